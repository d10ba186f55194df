import type { Import } from './imports.ts';

/**
 * The folders of the source, each with the height of its layer: an import leads to a lower layer, or stays in its own
 * folder. The longest folder that a path begins with is its own.
 */
export const LAYERS = {
  'shared/': 0,
  'client/core/': 1,
  'server/core/': 1,
  'client/shared-worker/': 1,
  'client/runtime/': 2,
  'server/journal/': 2,
  'server/net/': 2,
  'client/browser/': 3,
  'server/coordinator.ts': 3,
  'client/index.ts': 4,
  'server/index.ts': 4,
  'server/cli/': 4,
} as const;

export type Layer = keyof typeof LAYERS;

/** Between the packages nothing is imported by path; the command of the server uses the client by its name. */
export const CROSSINGS: readonly { readonly from: string; readonly to: string }[] = [
  { from: 'server/cli/', to: 'leasehold' },
  { from: 'client/testing/', to: 'server/core/' },
];

/** What stands beside the layers: tests and tools may import everything, and nothing may import them. */
const BESIDE = ['test/', 'scripts/', 'bench/', 'examples/', 'vitest.config.ts'];

export function layerOf(path: string): Layer | null {
  let found: Layer | null = null;
  for (const layer of Object.keys(LAYERS)) {
    if (isLayer(layer) && path.startsWith(layer) && layer.length > (found?.length ?? 0)) found = layer;
  }
  return found;
}

const isLayer = (name: string): name is Layer => Object.hasOwn(LAYERS, name);
const isPath = (to: string): boolean => to.includes('/') && !to.startsWith('@');
const isCrossing = ({ from, to }: Import): boolean =>
  CROSSINGS.some((crossing) => from.startsWith(crossing.from) && (to === crossing.to || to.startsWith(crossing.to)));

/** Imports that run the wrong way, in words. */
export function wrongWays(imports: readonly Import[]): readonly string[] {
  return imports.flatMap((one) => {
    const why = wrongWay(one);
    return why === null ? [] : [`${one.from}:${one.line} imports ${one.to}: ${why}`];
  });
}

function wrongWay(one: Import): string | null {
  if (BESIDE.some((place) => one.from.startsWith(place)) || isCrossing(one)) return null;
  const from = layerOf(one.from);
  if (from === null) return 'the importing file lies in no layer; add its folder to the layers';
  if (!isPath(one.to)) return packageProblem(from, one.to);
  const to = layerOf(one.to);
  if (to === null) return 'it lies in no layer';
  if (to === from) return null;
  if (LAYERS[to] >= LAYERS[from]) return `${from} is not above ${to}`;
  return otherSide(from, to) ? 'client and server meet in shared/ alone' : null;
}

const otherSide = (from: Layer, to: Layer): boolean => !to.startsWith('shared/') && side(from) !== side(to);
const side = (layer: Layer): string => layer.slice(0, layer.indexOf('/'));

function packageProblem(from: Layer, name: string): string | null {
  if (name === 'leasehold' || name === 'leasehold-server')
    return 'only server/cli imports the other package, by its name';
  if (LAYERS[from] <= 1) return 'shared and core import no package';
  return side(from) === 'client' ? 'the client depends on nothing' : null;
}
