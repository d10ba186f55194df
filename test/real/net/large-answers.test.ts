import { afterEach, describe, expect, test } from 'vitest';
import { connect, type Client } from '../../../client/index.ts';
import { memoryJournal } from '../../../server/journal/memory.ts';
import { RawClient } from '../support/raw-client.ts';
import { eventually, sleep } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';
import { hello, Stranger, textFrame } from './support/stranger.ts';

const clients = new Set<Client>();

afterEach(async () => {
  await Promise.all([...clients].map((client) => client.close()));
  clients.clear();
  await stopAll();
});

function join(url: string): Client {
  const client = connect(url);
  clients.add(client);
  return client;
}

const names = Array.from({ length: 200 }, (_, index) => `jobs/${index}`);
const state = 'x'.repeat(65_000);

/** Names with states that nobody holds. */
async function withStates(url: string): Promise<void> {
  const writer = join(url);
  const write = async (name: string): Promise<void> => {
    const lease = await writer.acquire(name);
    await lease.setState(state);
    await lease.release();
  };
  // A few at a time: a coordinator refuses writes of more than some MiB that wait for its disk.
  for (let index = 0; index < names.length; index += 20) await Promise.all(names.slice(index, index + 20).map(write));
  await writer.close();
}

describe('S11 answers of many MiB that are asked for at once', () => {
  test('S10 S11 200 leases with states of 65,000 bytes, and 200 looks at them, come to one client within seconds', async () => {
    // A disk that takes its time, so that all grants are told in one turn.
    const { url, lines } = await start({ journal: memoryJournal({ faults: { beforeCommit: () => sleep(30) } }) });
    await withStates(url);
    const client = join(url);
    const from = performance.now();
    const leases = await Promise.all(names.map((name) => client.acquire(name)));
    expect(leases.map((lease) => lease.state)).toEqual(names.map(() => state));
    const views = await Promise.all(names.map((name) => client.inspect(name, { timeoutMs: 10_000 })));
    expect(views.map((view) => view.state?.value)).toEqual(names.map(() => state));
    expect(performance.now() - from).toBeLessThan(8_000);
    expect(lines).toEqual([]);
  }, 30_000);

  test('S11 one frame of 400 questions is answered whole and in order, others are served meanwhile', async () => {
    const { url, port } = await start();
    await withStates(url);
    const stranger = await Stranger.upgrade(port);
    const lists = Array.from({ length: 400 }, (_, index) => ({
      type: 'list',
      ...(index === 0 ? { frame: 2 } : {}),
      request: `r${index}`,
      name: names[index % names.length],
    }));
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
    stranger.send(textFrame(JSON.stringify(lists)));
    const { client } = await RawClient.welcome(url);
    client.send({ type: 'list', request: 'other', name: 'free' });
    expect(await client.take('view')).toMatchObject({ request: 'other' });
    client.close();
    const told = await eventually(() => (stranger.told.includes('"r399"') ? stranger.told : null), 20_000, 'all told');
    const order = [...told.matchAll(/"type":"view","request":"r(\d+)"/g)].map((found) => Number(found[1]));
    expect(order).toEqual(lists.map((_, index) => index));
    stranger.stream.destroy();
  }, 40_000);

  test('S11 who asks for 26 MiB in one frame and reads nothing makes little wait, and is cut after 10 s', async () => {
    const { url, port, coordinator, lines } = await start();
    await withStates(url);
    const stranger = await Stranger.upgrade(port);
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
    stranger.stream.pause();
    await eventually(() => (coordinator.status.connections === 1 ? true : null), 3_000, 'the writer has left');
    const before = process.memoryUsage().external;
    const lists = Array.from({ length: 400 }, (_, index) => ({
      type: 'list',
      ...(index === 0 ? { frame: 2 } : {}),
      request: `r${index}`,
      name: names[index % names.length],
    }));
    const from = performance.now();
    stranger.send(textFrame(JSON.stringify(lists)));
    let mostBytes = 0;
    await eventually(
      () => {
        mostBytes = Math.max(mostBytes, process.memoryUsage().external - before);
        return coordinator.status.connections === 0 ? true : null;
      },
      20_000,
      'it is cut',
    );
    expect(performance.now() - from).toBeGreaterThan(9_500);
    // What lies in the socket's buffers; the system's own hold some more.
    expect(mostBytes).toBeLessThan(8 * 1_048_576);
    expect(lines.at(-1)).toContain('read too little');
    stranger.stream.destroy();
  }, 40_000);
});
