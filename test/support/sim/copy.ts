import { frameNumber, instanceId } from '../../../shared/ids.ts';
import type { CoordinatorMessage } from '../../../shared/frames.ts';
import type { SimulatedClient } from './client.ts';
import type { Stage } from './faults.ts';

/**
 * A second copy of a client (a duplicated tab, a cloned machine) says `hello` with the same secret and an instance of
 * its own (R10). It believes what it is told of: told of a lease that the first one holds, both believe.
 */
export function copySession(client: SimulatedClient, { network, coordinator, history, world }: Stage): void {
  const known = client.known;
  if (known === null || network.isCut(client.id)) return;
  const { host } = client;
  const id = `${client.id}-copy`;
  const sentAt = host.mono;
  const connection = coordinator.accept((end) =>
    network.connect(client.id, {
      coordinator: end,
      client: {
        host,
        heard: (text) => {
          // What the coordinator said, which its own tests hold against the table of frames.
          const messages = JSON.parse(text) as readonly CoordinatorMessage[];
          for (const message of messages) {
            if (message.type !== 'welcome') continue;
            history.note(world.now, `${id} ${message.resumed ? 'took over' : 'has a session of its own'}`);
            if (!message.resumed) history.counts.separated += 1;
            for (const { name, fencingToken: token, leftMs } of message.held) {
              const to = host.trueAfter(leftMs - (host.mono - sentAt) - leftMs / 10);
              if (to > world.now) history.add({ kind: 'believed', client: id, name, token, from: world.now, to });
            }
          }
          connection?.close('client', 1000, '');
        },
        closed: () => undefined,
      },
    }),
  );
  connection?.send(
    'coordinator',
    JSON.stringify([
      {
        type: 'hello',
        frame: frameNumber(1),
        protocolMin: 1,
        protocolMax: 1,
        instance: instanceId(`${id}-${world.now.toFixed(3)}`),
        dial: 1,
        resume: known,
      },
    ]),
  );
}
