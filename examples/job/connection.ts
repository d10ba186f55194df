import type { Client, QueuedInfo } from 'leasehold';

/** Says at once, and once, that no coordinator is there, and when it is again; and whatever the client warns of. */
export function tellOf(client: Client, url: string, line: (text: string) => void): void {
  let isMissing = false;
  client.on('status', ({ status }) => {
    if (status === 'backing-off' && !isMissing) {
      isMissing = true;
      line(`no coordinator at ${url}: is \`npm start\` running? trying again`);
    }
    if (status === 'open' && isMissing) {
      isMissing = false;
      line(`is connected to ${url}`);
    }
  });
  client.on('warning', ({ code, message }) => line(`warning: ${code}: ${message}`));
}

/** Where a claim stands. Nobody holds the name in the quiet time after a coordinator's start, or while it stays closed. */
export function placeOf({ behind, holder, position }: QueuedInfo): string {
  const first = behind === 'nobody' ? 'waits: nobody holds it yet' : `waits behind ${holder ?? 'somebody'}`;
  return position === 0 ? first : `${first}${behind === 'nobody' ? ', behind' : ' and'} ${position} more`;
}
