import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultLabel } from '../../../../client/runtime/label.ts';
import { utf8Bytes } from '../../../../shared/utf8.ts';

afterEach(() => void vi.unstubAllGlobals());

/** The label where these are the runtime's globals; they are put back at once, since the tests' own runner needs them. */
function labelWith(globals: Readonly<Record<string, unknown>>): string {
  vi.stubGlobal('process', undefined);
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  try {
    return defaultLabel();
  } finally {
    vi.unstubAllGlobals();
  }
}

const refuses = (): never => {
  throw new Error('not allowed');
};
const node = (over: object = {}) => ({
  versions: { node: '24.0.0' },
  pid: 71,
  argv: ['/usr/bin/node', '/srv/jobs/nightly.ts', 'secret argument'],
  getBuiltinModule: (name: string) => (name === 'os' ? { hostname: () => 'db-3' } : undefined),
  env: { HOSTNAME: 'by-env' },
  ...over,
});

describe('the label of a process', () => {
  it('is host, process id and script', () => {
    expect(labelWith({ process: node() })).toBe('db-3:71 nightly.ts');
    expect(labelWith({ process: node({ argv: ['C:\\node.exe', 'C:\\jobs\\nightly.js'] }) })).toBe('db-3:71 nightly.js');
  });

  it('takes the host from the environment where there is no built-in module', () => {
    expect(labelWith({ process: node({ getBuiltinModule: undefined }) })).toBe('by-env:71 nightly.ts');
    expect(labelWith({ process: node({ getBuiltinModule: () => undefined }) })).toBe('by-env:71 nightly.ts');
  });

  it('is that of this very process, for one', () => {
    expect(defaultLabel()).toMatch(new RegExp(`^[^:]+:${process.pid} \\S+$`));
  });

  it('has what is left where the runtime refuses the rest, and never throws', () => {
    const asking = {
      versions: { node: '24.0.0' },
      get pid() {
        return refuses();
      },
      get argv() {
        return refuses();
      },
      get env() {
        return refuses();
      },
      getBuiltinModule: refuses,
    };
    expect(labelWith({ process: asking })).toBe('pid:');
    expect(labelWith({ process: { versions: { node: '24.0.0' }, pid: 9 } })).toBe('pid:9');
  });

  it('in Deno asks for nothing that was not allowed beforehand: Deno would stop and ask at the terminal', () => {
    const hostname = vi.fn(() => 'db-3');
    const state: Record<string, string> = {};
    const Deno = { permissions: { querySync: ({ name }: { name: string }) => ({ state: state[name] ?? 'prompt' }) } };
    const process = {
      versions: { node: '24.0.0' },
      pid: 71,
      getBuiltinModule: () => ({ hostname }),
      get argv() {
        return state['read'] === 'granted' ? ['deno', '/srv/main.ts'] : refuses();
      },
      get env() {
        return refuses();
      },
    };
    expect(labelWith({ Deno, process })).toBe('pid:71');
    expect(hostname).not.toHaveBeenCalled();
    state['sys'] = 'granted';
    state['read'] = 'granted';
    expect(labelWith({ Deno, process })).toBe('db-3:71 main.ts');
  });

  it('is cut to 128 bytes at the end of a character', () => {
    const label = labelWith({ process: node({ argv: ['', `${'é'.repeat(200)}.ts`] }) });
    expect(label).toBe(`db-3:71 ${'é'.repeat(60)}`);
    expect(utf8Bytes(label)).toBe(128);
  });
});

describe('the label of a page or a worker', () => {
  it('is its path and four random letters', () => {
    const labels = [1, 2].map(() => labelWith({ location: { pathname: '/inbox' } }));
    expect(labels).toEqual([expect.stringMatching(/^\/inbox [a-z]{4}$/), expect.stringMatching(/^\/inbox [a-z]{4}$/)]);
    expect(labels[0]).not.toBe(labels[1]);
  });

  it('keeps its letters when the path is long', () => {
    const label = labelWith({ location: { pathname: `/${'ü'.repeat(200)}` } });
    expect(label).toMatch(/^\/ü{61} [a-z]{4}$/);
  });

  it('is the letters alone where there is no address, and nothing where there is no randomness', () => {
    expect(labelWith({})).toMatch(/^[a-z]{4}$/);
    expect(labelWith({ location: { pathname: '/a' }, crypto: { getRandomValues: refuses } })).toBe('/a');
    expect(labelWith({ crypto: undefined })).toBe('');
  });

  it("a bundler's stand-in for process is no process", () => {
    expect(labelWith({ process: { env: {}, argv: [], versions: {} }, location: { pathname: '/a' } })).toMatch(/^\/a /);
  });
});
