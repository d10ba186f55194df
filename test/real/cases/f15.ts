import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import { entriesOf, msBetween, now, type EntryOf, type Messages } from '../support/log.ts';
import type { FieldCase } from '../support/field-case.ts';
import type { Relay } from '../support/relay.ts';
import { seeded } from '../support/seeded.ts';
import { sleep, within } from '../support/waiting.ts';

const NAME = 'progress';
const EVERY_MS = 5;
const SHOWN_MS_MAX = 1_000;
/** A watcher that was reset again and again pauses for up to 16 s before its fifth dial. */
const RESETS_MS_MAX = 60_000;

export const F15: FieldCase = {
  id: 'F15',
  title: 'a watch that begins amid changes and is cut again and again shows the last of them and never goes back',
  async run(bench, size) {
    const plan =
      size === 'full' ? { versions: 1_000, watchers: 20, resets: 5 } : { versions: 400, watchers: 5, resets: 2 };
    const coordinator = await bench.coordinator();
    const holder = bench.process().client('holder', coordinator.url, { idleMs: 60_000 });
    const granted = await holder.acquire('a', NAME);
    const programs = [bench.process(), bench.process()];
    const spanMs = plan.versions * EVERY_MS;
    const watched = Array.from({ length: plan.watchers }, async (_, index) => {
      const relay = await bench.relay(() => coordinator);
      const program = programs[index % programs.length] ?? bench.process();
      const watcher = program.client(`watcher-${index}`, relay.url);
      return watchAndReset(watcher, relay, { index, resets: plan.resets, joinMs: spanMs * seeded(index) });
    });
    // Two that nothing is done to: those that are reset again and again are away at the last write more often than not.
    const steady = programs.map((program, index) => program.client(`steady-${index}`, coordinator.url));
    for (const watcher of steady) watcher.watch('w', NAME);
    const watching = Promise.all(watched);
    // Awaited below: what goes wrong until then must not be unhandled.
    watching.catch(() => undefined);
    const written = await holder.write('a', plan.versions, EVERY_MS);
    const watchers = await watching;
    const labels = [...watchers, ...steady].map(({ label }) => label);
    await allShow(bench, labels, plan.versions);
    measureSteady(bench, steady, written.at, plan.versions);
    measure(bench, { ...plan, written, token: granted.ok ? Number(granted.value) : Number.NaN }, watchers);
    await holder.release('a');
    await agree(bench, coordinator, plan.versions);
  },
};

interface Watcher {
  readonly label: string;
  /** Connections that told of a view, as they came and went. */
  readonly connected: readonly Connected[];
}

interface Connected {
  readonly from: bigint;
  readonly to: bigint | null;
}

interface Fate {
  readonly index: number;
  readonly resets: number;
  readonly joinMs: number;
}

/** Joins at its moment; is reset on a connection that has shown something, up to half a second later. */
async function watchAndReset(watcher: ClientHandle, relay: Relay, fate: Fate): Promise<Watcher> {
  const connected: Connected[] = [];
  await sleep(fate.joinMs);
  watcher.watch('w', NAME);
  for (let reset = 0; reset <= fate.resets; reset += 1) {
    const welcomed = relay.next('down', isWelcome);
    const viewed = relay.next('down', isView);
    const { at: from } = await within(welcomed, RESETS_MS_MAX, `${watcher.label} is welcomed`);
    await within(viewed, 5_000, `${watcher.label} is shown something`);
    if (reset === fate.resets) return { label: watcher.label, connected: [...connected, { from, to: null }] };
    await sleep(500 * seeded(1_000 * (fate.index + 1) + reset));
    connected.push({ from, to: now() });
    relay.reset();
  }
  throw new Error('unreachable');
}

type Message = Messages[number];
const isWelcome = (message: Message): boolean => message['type'] === 'welcome';
const isView = (message: Message): boolean => message['type'] === 'view';

const allShow = (bench: Bench, labels: readonly string[], last: number): Promise<unknown> =>
  Promise.all(
    labels.map((label) =>
      bench.log.find(
        'viewed',
        ({ client, version }) => client === label && version === last,
        5_000,
        `${label} shows version ${last}`,
      ),
    ),
  );

interface Run {
  readonly versions: number;
  readonly resets: number;
  readonly written: { readonly at: bigint; readonly ok: boolean; readonly value?: unknown };
  readonly token: number;
}

function measure(bench: Bench, { versions, resets, written, token }: Run, watchers: readonly Watcher[]): void {
  const { entries } = bench.log;
  const viewsOf = watchers.map(({ label }) => entriesOf(entries, 'viewed', label));
  const all = viewsOf.flat();
  bench.measure(
    'last version written',
    `${String(written.value)} at ${EVERY_MS} ms`,
    String(versions),
    written.ok && written.value === versions,
  );
  const cuts = watchers.flatMap(({ connected }) => connected.filter(({ to }) => to !== null)).length;
  const amid = watchers.flatMap(({ connected }) => connected.filter(({ to }) => to !== null && to < written.at)).length;
  bench.measure(
    'resets of a watcher that was shown something',
    `${cuts}, ${amid} of them amid the writes`,
    `${resets} of each watcher`,
    cuts === resets * watchers.length && amid > 0,
  );
  const backwards = viewsOf.flatMap(fallsOf).length;
  bench.measure(`versions that went back, of ${all.length} views`, backwards, '0', backwards === 0);
  const unsigned = all.filter(({ version, writer }) => version !== null && writer !== token).length;
  bench.measure('versions shown without the token that wrote them', unsigned, '0', unsigned === 0);
  const lags = watchers.map((watcher, index) => connectedMsUntil(watcher, written.at, viewsOf[index] ?? [], versions));
  const slowest = Math.max(...lags);
  bench.measure(
    `last write to version ${versions} shown, slowest of ${watchers.length}, time without a connection not counted`,
    `${slowest.toFixed(1)} ms`,
    `at most ${SHOWN_MS_MAX} ms`,
    slowest <= SHOWN_MS_MAX,
  );
}

function measureSteady(bench: Bench, steady: readonly ClientHandle[], from: bigint, last: number): void {
  const views = steady.map(({ label }) => entriesOf(bench.log.entries, 'viewed', label));
  const lags = views.map((of) => msBetween(from, of.find(({ version }) => version === last)?.at ?? 0n));
  const slowest = Math.max(...lags);
  const falls = views.flatMap(fallsOf).length;
  bench.measure(
    `of ${steady.length} watchers that were not reset, slowest`,
    `${slowest.toFixed(1)} ms, ${views.map(({ length }) => length).join(' and ')} views, ${falls} went back`,
    `at most ${SHOWN_MS_MAX} ms, none`,
    slowest <= SHOWN_MS_MAX && falls === 0,
  );
}

function fallsOf(views: readonly EntryOf<'viewed'>[]): readonly EntryOf<'viewed'>[] {
  return views.filter(({ version }, index) => (version ?? 0) < (views[index - 1]?.version ?? 0));
}

/** A dial that was put off by the product's pauses is no fault of the watch; what it does once connected is. */
function connectedMsUntil(
  { connected }: Watcher,
  from: bigint,
  views: readonly EntryOf<'viewed'>[],
  last: number,
): number {
  const shown = views.find(({ version }) => version === last)?.at;
  if (shown === undefined) return Infinity;
  return connected.reduce((sum, stretch) => {
    const begins = stretch.from > from ? stretch.from : from;
    const ends = stretch.to !== null && stretch.to < shown ? stretch.to : shown;
    return ends > begins ? sum + msBetween(begins, ends) : sum;
  }, 0);
}

/** What a watch that begins now shows, long after the last change and behind the release. */
async function agree(bench: Bench, coordinator: CoordinatorProcess, versions: number): Promise<void> {
  const late = bench.process().client('late', coordinator.url);
  late.watch('w', NAME, { views: 1 });
  const { version, holder } = await bench.log.find('viewed', ({ client }) => client === late.label, 5_000, 'a view');
  bench.measure(
    'a watch that begins after the release',
    `version ${version}, held by ${holder ?? 'nobody'}`,
    `version ${versions}, nobody`,
    version === versions && holder === null,
  );
}
