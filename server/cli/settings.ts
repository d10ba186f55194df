import { DEFAULT_PORT, TTL_MS_MAX } from '../../shared/limits.ts';
import { inWords } from '../../shared/options.ts';
import type { Limits } from '../core/limits.ts';
import { hostProblem, originProblem } from '../net/options.ts';
import { durationText, parseDuration } from './duration.ts';
import { UsageError } from './usage-error.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What `serve` and `dev` run with. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  /** A SQLite file; null keeps everything in memory. */
  readonly data: string | null;
  readonly origins: readonly string[];
  readonly allowHosts: readonly string[];
  readonly quietMs: number;
  readonly insecure: boolean;
  readonly logLevel: LogLevel;
  readonly limits: Partial<Limits>;
}

export type Command = 'serve' | 'dev';

export const DEFAULTS: Readonly<Record<Command, Settings>> = {
  serve: {
    port: DEFAULT_PORT,
    host: '127.0.0.1',
    data: './leasehold.db',
    origins: [],
    allowHosts: [],
    quietMs: 0,
    insecure: false,
    logLevel: 'info',
    limits: {},
  },
  dev: {
    port: DEFAULT_PORT,
    host: 'localhost',
    data: null,
    origins: [],
    allowHosts: [],
    quietMs: 0,
    insecure: false,
    logLevel: 'warn',
    limits: {},
  },
};

/** One setting as a flag and as a variable; its text is read by the same function in both places. */
export interface TextSetting<K extends keyof Settings> {
  readonly flag: string;
  readonly env: string;
  readonly help: string;
  /** May be given more than once; in the variable a comma stands between. */
  readonly repeats?: true;
  readonly read: (text: string) => Settings[K];
}

/** `where` is the flag or the variable, for the message. */
type Problem = string | null;

const refuse = (problem: Problem): void => {
  if (problem !== null) throw new UsageError(problem);
};

/** The order is that of `--help`. `limits` are set in the file only. */
export const TEXT_SETTINGS: { readonly [K in Exclude<keyof Settings, 'limits' | 'insecure'>]: TextSetting<K> } = {
  port: {
    flag: '--port <number>',
    env: 'LEASEHOLD_PORT',
    help: 'port to listen on; 0 takes a free one',
    read: readPort,
  },
  host: {
    flag: '--host <address>',
    env: 'LEASEHOLD_HOST',
    help: 'address to listen on; beyond loopback it needs --insecure, since there is no authentication',
    read: (text) => text,
  },
  data: {
    flag: '--data <file>',
    env: 'LEASEHOLD_DATA',
    help: 'SQLite file that keeps leases over restarts',
    read: readData,
  },
  origins: {
    flag: '--origin <url>',
    env: 'LEASEHOLD_ORIGIN',
    help: 'origin whose pages may connect, such as https://app.example; repeat for more',
    repeats: true,
    read: (text) => list(text, (one) => originProblem(one)?.problem ?? null),
  },
  allowHosts: {
    flag: '--allow-host <name>',
    env: 'LEASEHOLD_ALLOW_HOST',
    help: 'host name under which clients reach it, beside loopback names and addresses; repeat for more',
    repeats: true,
    read: (text) => list(text, (one) => hostProblem(one)?.problem ?? null),
  },
  quietMs: {
    flag: '--quiet <duration>',
    env: 'LEASEHOLD_QUIET',
    help: 'grant nothing for so long after the start: for a new file where holders of an older one may still believe',
    read: readQuiet,
  },
  logLevel: {
    flag: '--log-level <level>',
    env: 'LEASEHOLD_LOG_LEVEL',
    help: `${LOG_LEVELS.join(', ')}; JSON lines on stderr`,
    read: readLevel,
  },
};

export const INSECURE = {
  flag: '--insecure',
  env: 'LEASEHOLD_INSECURE',
  help: 'listen beyond loopback although everybody who reaches it can take and end leases',
} as const;

export const CONFIG = {
  flag: '--config <file>',
  env: 'LEASEHOLD_CONFIG',
  help: 'JSON file with any of these settings, and with limits',
} as const;

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  refuse(port <= 65_535 ? null : `the port is ${inWords(text)}; allowed is a whole number from 0 to 65535`);
  return port;
}

function readData(text: string): string {
  refuse(text === '' ? 'the data file has no name' : null);
  // To SQLite these would be no file of that name.
  const cure = 'give the name of a file; `leasehold dev` keeps everything in memory';
  refuse(/^(?::|file:)/i.test(text) ? `the data file is ${inWords(text)}; ${cure}` : null);
  return text;
}

function readQuiet(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms <= TTL_MS_MAX) return ms;
  throw new UsageError(
    `the quiet time is ${inWords(text)}; allowed is 0 to ${durationText(TTL_MS_MAX)}, with its unit: 500ms, 30s, 5m or 1h`,
  );
}

function readLevel(text: string): LogLevel {
  const found = LOG_LEVELS.find((level) => level === text);
  if (found !== undefined) return found;
  throw new UsageError(`the log level is ${inWords(text)}; allowed is one of ${LOG_LEVELS.join(', ')}`);
}

function list(text: string, problemOf: (one: string) => Problem): readonly string[] {
  const all = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  for (const one of all) refuse(problemOf(one));
  return all;
}

/** `LEASEHOLD_INSECURE=0` must not mean yes. */
export function readFlag(text: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false' || text === '') return false;
  throw new UsageError(`it is ${inWords(text)}; allowed is 1 or true, 0 or false`);
}
