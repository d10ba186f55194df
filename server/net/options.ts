import { TTL_MS_MAX } from '../../shared/limits.ts';
import { durationProblem, inWords, unknownKeyProblem, type OptionProblem } from '../../shared/options.ts';
import { durationMs, type DurationMs } from '../../shared/time.ts';
import type { CoordinatorOptions } from './coordinator-types.ts';
import type { Journal } from '../core/journal-port.ts';
import type { Limits } from '../core/limits.ts';
import type { Authenticate } from './auth-port.ts';
import { CoordinatorError } from './coordinator-error.ts';
import { pagesProblem, type PageFiles } from './example-pages.ts';
import { limitsFrom } from './limit-ranges.ts';
import { silentLogger, type Logger } from './logger.ts';
import { nodeLoop, type Loop } from './loop.ts';
import { canonicalOrigin, type OriginRules } from './origins.ts';

/** The options of `createCoordinator`, checked and complete. */
export interface Settings {
  readonly journal: Journal;
  readonly auth: Authenticate | null;
  readonly limits: Limits;
  readonly rules: OriginRules;
  readonly insecure: boolean;
  readonly quietMs: DurationMs;
  readonly base: string;
  readonly pages: PageFiles;
  readonly logger: Logger;
  readonly loop: Loop;
}

/** Total, so that a new option cannot be forgotten here. */
const KNOWN: Readonly<Record<keyof CoordinatorOptions, true>> = {
  journal: true,
  auth: true,
  limits: true,
  origins: true,
  hosts: true,
  anyLoopbackOrigin: true,
  insecure: true,
  quietMs: true,
  base: true,
  pages: true,
  logger: true,
  clock: true,
};

export function checkedOptions(options: CoordinatorOptions): Settings {
  if (typeof options !== 'object' || options === null)
    throw wrong({ param: 'options', problem: `options is ${inWords(options)}; it must be an object` });
  orThrow(unknownKeyProblem(options, Object.keys(KNOWN)));
  orThrow(journalProblem(options.journal));
  const quietMs = options.quietMs ?? 0;
  orThrow(durationProblem('quietMs', quietMs, 0, TTL_MS_MAX));
  const base = options.base ?? '';
  orThrow(baseProblem(base));
  const pages = options.pages ?? new Map();
  orThrow(pagesProblem(pages));
  const origins = options.origins ?? [];
  const hosts = options.hosts ?? [];
  for (const origin of origins) orThrow(originProblem(origin));
  for (const host of hosts) orThrow(hostProblem(host));
  return {
    journal: options.journal,
    auth: options.auth ?? null,
    limits: checkedLimits(options.limits ?? {}),
    rules: {
      origins,
      hosts: hosts.map((host) => host.toLowerCase()),
      anyLoopbackOrigin: options.anyLoopbackOrigin ?? false,
    },
    insecure: options.insecure ?? false,
    quietMs: durationMs(quietMs),
    base,
    pages,
    logger: options.logger ?? silentLogger,
    loop: nodeLoop(options.clock),
  };
}

export function checkedLimits(given: Partial<Limits>, base?: Limits): Limits {
  const result = limitsFrom(given, base);
  if (!result.ok) throw wrong(result.problem);
  return result.limits;
}

/** An origin as a browser writes it; what looks like one but never matches is refused with what was meant. */
export function originProblem(origin: string): OptionProblem | null {
  const known = canonicalOrigin(origin.replace(/\/+$/, ''));
  if (known === origin) return null;
  const cure =
    known === null ? 'it is exactly scheme://host or scheme://host:port, of http or https' : `write ${known}`;
  return { param: 'origins', problem: `the origin ${inWords(origin)} can match no page; ${cure}` };
}

export function hostProblem(host: string): OptionProblem | null {
  if (/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host)) return null;
  return {
    param: 'hosts',
    problem: `the host ${inWords(host)} is not one; it is a name without scheme, port and path`,
  };
}

function baseProblem(base: string): OptionProblem | null {
  if (base === '' || /^(\/[A-Za-z0-9._~-]+)+$/.test(base)) return null;
  return {
    param: 'base',
    problem: `base is ${inWords(base)}; it is empty, or a path such as "/locks" without a slash at its end`,
  };
}

function journalProblem(journal: unknown): OptionProblem | null {
  if (typeof journal === 'object' && journal !== null && 'append' in journal && 'load' in journal) return null;
  return {
    param: 'journal',
    problem: `journal is ${inWords(journal)}; give sqliteJournal({ path }) or memoryJournal()`,
  };
}

function orThrow(problem: OptionProblem | null): void {
  if (problem !== null) throw wrong(problem);
}

const wrong = (problem: OptionProblem): CoordinatorError =>
  new CoordinatorError('bad-request', `createCoordinator: ${problem.problem}.`, { param: problem.param });
