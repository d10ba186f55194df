import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/built.ts';

const OWN_PLACE = ' --data ./leasehold.db --port 7400';

/** `npm start` of this very project, from `folder`: with a file and a port of its own, as they come behind it. */
export function npmStart(folder: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>; // Our own.
  };
  const { start = '' } = scripts;
  if (!start.endsWith(OWN_PLACE)) throw new Error(`npm start does not end with${OWN_PLACE}: ${start}`);
  const without = { private: true, scripts: { start: start.slice(0, -OWN_PLACE.length) } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(without));
  for (const used of ['scripts', 'server', 'node_modules']) symlinkSync(join(ROOT, used), join(folder, used));
  return ['npm', '--prefix', folder, 'start', '--'];
}
