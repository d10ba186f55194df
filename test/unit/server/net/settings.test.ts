import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { durationText, parseDuration } from '../../../../server/cli/duration.ts';
import { main } from '../../../../server/cli/main.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command inside this process; nothing here gets as far as listening. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await main(args, {
    env,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    onSignal: () => undefined,
    exit: () => undefined,
  });
  return { code, out, err };
}

const folder = mkdtempSync(join(tmpdir(), 'leasehold-settings-'));
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const configOf = async (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<unknown> => {
  const { code, out, err } = await run([...args, '--print-config'], env);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out);
};

describe('the command line', () => {
  test('a flag wins over its variable, that over the file, that over the default', async () => {
    const config = file('a.json', {
      port: 1,
      host: '::1',
      quiet: '2m',
      origins: ['https://a.example'],
      limits: { queueMax: 7 },
    });
    expect(await configOf(['serve'])).toMatchObject({
      port: 7_400,
      host: '127.0.0.1',
      data: './leasehold.db',
      quiet: '0',
      logLevel: 'info',
    });
    expect(await configOf(['serve', '--config', config])).toMatchObject({
      port: 1,
      quiet: '2m',
      limits: { queueMax: 7, sessionsMax: 50_000 },
    });
    expect(await configOf(['serve', '--config', config], { LEASEHOLD_PORT: '2' })).toMatchObject({
      port: 2,
      host: '::1',
    });
    expect(await configOf(['serve', '--port', '3'], { LEASEHOLD_PORT: '2', LEASEHOLD_CONFIG: config })).toMatchObject({
      port: 3,
      host: '::1',
    });
    expect(await configOf(['serve'], { LEASEHOLD_INSECURE: '0' })).toMatchObject({ insecure: false });
    expect(await configOf(['serve', '--insecure'], { LEASEHOLD_INSECURE: '0' })).toMatchObject({ insecure: true });
  });

  test('flags that repeat add up, in the variable a comma stands between', async () => {
    expect(await configOf(['serve', '--origin', 'https://a.example', '--origin', 'https://b.example'])).toMatchObject({
      origins: ['https://a.example', 'https://b.example'],
    });
    expect(await configOf(['serve'], { LEASEHOLD_ORIGIN: 'https://a.example, https://b.example' })).toMatchObject({
      origins: ['https://a.example', 'https://b.example'],
    });
    expect(await configOf(['serve', '--allow-host', 'a', '--allow-host', 'b'])).toMatchObject({
      allowHosts: ['a', 'b'],
    });
  });

  test('what --print-config prints is a file that --config takes', async () => {
    const { out } = await run(['serve', '--quiet', '90s', '--origin', 'https://a.example', '--print-config']);
    const again = await run(['serve', '--config', file('b.json', out), '--print-config']);
    expect(again.out).toBe(out);
    expect(JSON.parse(out)).toMatchObject({ quiet: '90s' });
  });

  test('dev keeps everything in memory unless it is given a file', async () => {
    expect(await configOf(['dev'])).toMatchObject({ data: null, host: 'localhost', logLevel: 'warn' });
    expect(await configOf(['dev', '--data', 'x.db'])).toMatchObject({ data: 'x.db' });
  });

  test('S10 what is wrong is one line with the value, the range and the nearest name; exit code 64', async () => {
    const wrong: readonly (readonly [readonly string[], string, Readonly<Record<string, string>>?])[] = [
      [['serve', '--port', '70000'], 'the port is "70000"; allowed is a whole number from 0 to 65535'],
      [['serve', '--quiet', '30'], 'with its unit: 500ms, 30s, 5m or 1h'],
      [['serve', '--origin', 'https://a.example/'], 'write https://a.example'],
      [['serve', '--prot', '1'], 'Did you mean --port?'],
      [['sevre'], 'Did you mean serve?'],
      [['serve'], 'LEASEHOLD_PORT: the port is "x"', { LEASEHOLD_PORT: 'x' }],
      [['serve'], 'LEASEHOLD_INSECURE: it is "maybe"', { LEASEHOLD_INSECURE: 'maybe' }],
      [['serve', '--config', file('c.json', { prot: 1 })], 'did you mean "port"?'],
      [
        ['serve', '--config', file('d.json', { limits: { queueMax: 0 } })],
        'queueMax is 0; allowed is a whole number from 1',
      ],
      [['serve', '--config', file('e.json', { limits: { queMax: 1 } })], 'did you mean "queueMax"?'],
      [['serve', '--config', file('f.json', '{')], 'it is not JSON'],
      [['serve', '--config', join(folder, 'none.json')], 'it cannot be read'],
      [['serve', '--config', file('g.json', { port: 'x' })], 'port is "x"; allowed are whole numbers from 0 to 65535.'],
      [['serve', '--config', file('h.json', { insecure: 1 })], 'insecure is 1; allowed is true or false.'],
      [['serve', '--config', file('i.json', { origins: ['a', 5] })], 'origins.1 is 5; allowed is a text.'],
      [
        ['serve', '--config', file('j.json', { logLevel: 'loud' })],
        'logLevel is "loud"; allowed is one of debug, info',
      ],
      [['serve', '--config', file('k.json', { limits: [] })], 'limits is a list; allowed is an object.'],
      [['serve', '--config', file('l.json', { data: ':memory:' })], 'leasehold dev'],
      [['serve', '--data', ':memory:'], 'the data file is ":memory:"; give the name of a file; `leasehold dev` keeps'],
      [['serve', '--data', 'file:a.db?mode=memory'], '`leasehold dev` keeps everything in memory'],
      [['serve', '--port', '1', '--port', '1'], 'It is given more than once; give it once.'],
      [['serve', '--config', 'a.json', '--config', 'b.json'], 'It is given more than once; give it once.'],
      [
        ['serve', '--host', '0.0.0.0', '--port', '0', '--data', join(folder, 'never.db')],
        'with --insecure; in code, give',
      ],
    ];
    for (const [args, text, env] of wrong) {
      const { code, out, err } = await run(args, env);
      expect(err, args.join(' ')).toContain(text);
      expect(code, args.join(' ')).toBe(64);
      expect(out).toBe('');
      expect(err.split('\n')[0], args.join(' ')).toMatch(/^leasehold: /);
    }
  });

  test('help names every flag with default and variable, and the exit codes', async () => {
    const { code, out } = await run(['serve', '--help']);
    expect(code).toBe(0);
    for (const text of [
      '--port <number>',
      '(default: 7400, env: LEASEHOLD_PORT)',
      '--data <file>',
      '--quiet <duration>',
      '--print-config',
      'Exit codes: 0',
    ]) {
      expect(out.replaceAll(/\s+/g, ' ')).toContain(text.replaceAll(/\s+/g, ' '));
    }
    const root = await run(['--help']);
    expect(root.out).toContain('leasehold dev');
    expect((await run([])).code).toBe(64);
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+/);
    expect(await run(['-V'])).toEqual(await run(['--version']));
    expect(await run(['-h'])).toEqual(root);
    expect(await run(['dev', '-h'])).toEqual(await run(['dev', '--help']));
  });

  test('help and --print-config agree on what is so when nothing is said', async () => {
    const { out } = await run(['serve', '--help']);
    const shown = /--quiet[^]*?\(default: (\w+),/.exec(out.replaceAll(/\s+/g, ' '))?.[1];
    expect(await configOf(['serve'])).toMatchObject({ quiet: shown });
  });

  test('S10 a variable that is almost one that is read is warned of; those of other programs are not', async () => {
    const env = {
      LEASEHOLD_PROT: '1',
      LEASEHOLD_QUIET_MS: '1',
      LEASEHOLD_ORIGINS: 'x',
      LEASEHOLD_TOKEN: 't',
      LEASEHOLD_TOKEN_FILE: 't',
      LEASEHOLD_URL: 'u',
      LEASEHOLD_NO_APT: '1',
      LEASEHOLD_FULL: '1',
      LEASEHOLD_PORT: '7',
    };
    const { code, out, err } = await run(['serve', '--print-config'], env);
    expect(err.split('\n')).toEqual([
      'leasehold: LEASEHOLD_PROT is not read; did you mean LEASEHOLD_PORT?',
      'leasehold: LEASEHOLD_QUIET_MS is not read; did you mean LEASEHOLD_QUIET?',
      'leasehold: LEASEHOLD_ORIGINS is not read; did you mean LEASEHOLD_ORIGIN?',
      '',
    ]);
    expect([code, JSON.parse(out)]).toMatchObject([0, { port: 7 }]);
  });
});

test('a duration has a unit', () => {
  expect(['0', '500ms', '30s', '5m', '1h'].map(parseDuration)).toEqual([0, 500, 30_000, 300_000, 3_600_000]);
  expect(['30', '1.5s', '-1s', '1d', '', 's', '1 s'].map(parseDuration)).toEqual(Array.from({ length: 7 }, () => null));
  expect([0, 500, 90_000, 60_000, 7_200_000].map(durationText)).toEqual(['0', '500ms', '90s', '1m', '2h']);
});
