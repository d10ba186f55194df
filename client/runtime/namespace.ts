import { leaseName, type LeaseName } from '../../shared/ids.ts';
import { NAME_BYTES_MAX } from '../../shared/limits.ts';
import { nameProblem } from '../../shared/names.ts';
import { inWords } from '../../shared/options.ts';
import { isWellFormed, utf8Bytes } from '../../shared/utf8.ts';
import { badRequest } from './errors.ts';
import { checkName, refused } from './options.ts';

/** Names as the people of one client know them, and as they go over the wire: those have the namespace before them. */
export interface Names {
  /** Checks `name`, alone and together with the namespace; throws `bad-request`. */
  readonly full: (name: string) => LeaseName;
  /** The same for what names begin with; it may be empty. */
  readonly prefix: (prefix: unknown) => string;
  /** Of a full name, what people know. */
  readonly short: (full: string) => string;
}

/** Throws `bad-request` for a namespace that cannot be one. */
export function namesIn(namespace: string | undefined): Names {
  const before = namespace === undefined ? '' : `${namespace}/`;
  const problem = namespace === undefined ? null : namespaceProblem(namespace);
  if (problem !== null) throw badRequest('namespace', `namespace is ${inWords(namespace)}; ${problem}`);

  const joined = (key: string, name: string): string => {
    const bytes = utf8Bytes(before + name);
    if (bytes <= NAME_BYTES_MAX) return before + name;
    const both = before && ` and namespace ${inWords(namespace)}`;
    const have = before ? 'they have' : 'it has';
    throw badRequest(key, `${key} is ${inWords(name)}${both}; with ${bytes} bytes ${have} more than ${NAME_BYTES_MAX}`);
  };
  return {
    full(name) {
      checkName(name);
      return leaseName(joined('name', name));
    },
    prefix(prefix) {
      if (typeof prefix !== 'string' || !isWellFormed(prefix))
        throw refused('prefix', prefix, 'string of well-formed Unicode');
      return joined('prefix', prefix);
    },
    short: (full) => full.slice(before.length),
  };
}

/** Of the kind of a name, and so short that a name of one byte fits behind it and its slash. */
function namespaceProblem(namespace: string): string | null {
  if (/^\/|\/$/.test(namespace)) return 'a namespace has no slash at either end';
  const bytes = utf8Bytes(namespace);
  const bytesMax = NAME_BYTES_MAX - 2;
  return bytes > bytesMax
    ? `a namespace has at most ${bytesMax} bytes, this one has ${bytes}`
    : (nameProblem(namespace)?.replace('a name', 'a namespace') ?? null);
}
