import { unknownKeyProblem } from '../../shared/options.ts';
import { CONFIG, INSECURE, TEXT_SETTINGS } from './settings.ts';

const PREFIX = 'LEASEHOLD_';
const READ = [INSECURE, CONFIG, ...Object.values(TEXT_SETTINGS)].map(({ env }) => env.slice(PREFIX.length));
/** Read by other programs of the project, so that they are no slip. */
const OTHERS = ['URL', 'TOKEN', 'TOKEN_FILE', 'NO_APT', 'FULL', 'WRITE', 'SKIP_NOTHING', 'SEED', 'RUN_LOG'];

/** A line for each variable that looks like one that the command reads and is not: it would be passed over in silence. */
export function misspelt(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(env).flatMap((variable) => {
    const name = variable.slice(PREFIX.length);
    if (!variable.startsWith(PREFIX) || READ.includes(name) || OTHERS.includes(name)) return [];
    const near = READ.find((known) => name.startsWith(known) || isNear(name, known));
    return near === undefined ? [] : [`${variable} is not read; did you mean ${PREFIX}${near}?`];
  });
}

const isNear = (name: string, known: string): boolean =>
  unknownKeyProblem({ [name]: true }, [known])?.problem.includes('did you mean') === true;
