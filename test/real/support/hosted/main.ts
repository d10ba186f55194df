import { createInterface } from 'node:readline';
import { createCoordinator, sqliteJournal, type Coordinator, type Logger } from 'leasehold-server';
import type { Json } from '../../../../shared/json.ts';
import type { HostLine, HostOrder, HostOutcome, HostStart } from './lines.ts';

/**
 * A program that hosts a coordinator of its own, as an application would: the built package, without the command. What
 * its host can do to it while it runs is asked for on stdin.
 */
type Said<L> = L extends unknown ? Omit<L, 'at'> : never;

const at = (): string => String(process.hrtime.bigint());
const say = (line: Said<HostLine>, when = at()): void =>
  void process.stdout.write(`${JSON.stringify({ at: when, ...line })}\n`);
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json; // JSON text parses to JSON.

const level =
  (name: keyof Logger): Logger[keyof Logger] =>
  (fields, text) =>
    say({ what: 'log', level: name, fields: plain(fields) as Readonly<Record<string, Json>>, text }); // It was a record.

const logger: Logger = { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };

async function obey(coordinator: Coordinator, order: HostOrder): Promise<Json> {
  switch (order.do) {
    case 'configure':
      // Whatever was asked for: to refuse what is wrong is the coordinator's part.
      coordinator.configure(order.limits);
      return null;
    case 'revoke':
      return plain(await coordinator.revoke(order.name, order.options));
    case 'status':
      return plain(coordinator.status);
    default:
      return order satisfies never;
  }
}

function failed(error: unknown): HostOutcome {
  const { code = '', param = '', message = '' } = Object(error) as Readonly<Record<string, unknown>>; // Looked at below.
  return { ok: false, code: String(code), param: String(param), message: String(message) };
}

const start = JSON.parse(process.argv[2] ?? '{}') as HostStart; // Written by our own harness.
const coordinator = createCoordinator({ journal: sqliteJournal({ path: start.data }), limits: start.limits, logger });

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const order = JSON.parse(line) as HostOrder; // As above.
    const calledAt = at();
    void obey(coordinator, order)
      .then((value): HostOutcome => ({ ok: true, value }), failed)
      .then((outcome) => say({ what: 'done', call: order.call, calledAt, outcome }));
  })
  .on('close', () => process.exit(0));

const { url } = await coordinator.listen({ port: 0 });
say({ what: 'listening', url });
