import { createCoordinator } from '../../../../server/coordinator.ts';
import { memoryJournal } from '../../../../server/journal/memory.ts';
import type { Coordinator, CoordinatorOptions } from '../../../../server/net/coordinator-types.ts';
import type { Logger } from '../../../../server/net/logger.ts';

export interface Running {
  readonly coordinator: Coordinator;
  readonly port: number;
  /** For sockets. */
  readonly url: string;
  /** For requests. */
  readonly http: string;
  /** What it warned of. */
  readonly lines: readonly string[];
}

const running = new Set<Coordinator>();

/** A coordinator in this process, in memory, on a free port of loopback. */
export async function start(options: Partial<CoordinatorOptions> = {}): Promise<Running> {
  const lines: string[] = [];
  const nothing = (): void => undefined;
  const warn = (_: unknown, text: string): void => void lines.push(text);
  const logger: Logger = { debug: nothing, info: nothing, warn, error: warn };
  const coordinator = createCoordinator({ journal: memoryJournal(), logger, ...options });
  running.add(coordinator);
  const { url } = await coordinator.listen({ port: 0 });
  return { coordinator, port: Number(new URL(url).port), url: url.replace('http', 'ws'), http: url, lines };
}

/** For `afterEach`. */
export async function stopAll(): Promise<void> {
  const all = [...running];
  running.clear();
  await Promise.all(all.map((coordinator) => coordinator.close({ drainMs: 0 })));
}
