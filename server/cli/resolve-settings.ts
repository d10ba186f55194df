import { readConfigFile, withoutHoles } from './config-file.ts';
import { DEFAULTS, INSECURE, readFlag, TEXT_SETTINGS, type Command, type Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** What commander found: the settings by their names, each as its reader made it, and the file. */
export type Given = Partial<Settings> & { readonly config?: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** A flag wins over its variable, that over the config file, that over the default. */
export function resolveSettings(command: Command, given: Given, env: Environment): Settings {
  const { config = env['LEASEHOLD_CONFIG'], ...flags } = given;
  const fromFile = config === undefined || config === '' ? {} : readConfigFile(config);
  return { ...DEFAULTS[command], ...fromFile, ...fromEnvironment(env), ...withoutHoles(flags) };
}

function fromEnvironment(env: Environment): Partial<Settings> {
  const read = <T>(name: string, reader: (text: string) => T): T | undefined => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    try {
      return reader(text);
    } catch (error) {
      if (error instanceof UsageError) throw new UsageError(`${name}: ${error.message}`);
      throw error;
    }
  };
  const { port, host, data, origins, allowHosts, quietMs, logLevel } = TEXT_SETTINGS;
  return withoutHoles({
    port: read(port.env, port.read),
    host: read(host.env, host.read),
    data: read(data.env, data.read),
    origins: read(origins.env, origins.read),
    allowHosts: read(allowHosts.env, allowHosts.read),
    quietMs: read(quietMs.env, quietMs.read),
    logLevel: read(logLevel.env, logLevel.read),
    insecure: read(INSECURE.env, readFlag),
  });
}
