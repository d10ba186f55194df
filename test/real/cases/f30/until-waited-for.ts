import type { Client } from 'leasehold';

export async function untilWaitedFor(client: Client, name: string): Promise<void> {
  while ((await client.inspect(name)).queue === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
