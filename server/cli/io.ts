/** Port: what the command uses of its process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes text as it is. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Calls `listener` at each SIGTERM and SIGINT, with its number. */
  readonly onSignal: (listener: (signal: number) => void) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

export const processIo: Io = {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  onSignal: (listener) => {
    process.on('SIGINT', () => listener(SIGNALS.SIGINT));
    process.on('SIGTERM', () => listener(SIGNALS.SIGTERM));
  },
  exit: (code) => process.exit(code),
};
