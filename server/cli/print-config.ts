import { LIMITS_DEFAULT } from '../core/limits.ts';
import { durationText } from './duration.ts';
import type { Settings } from './settings.ts';

/** Everything in effect, as a file that `--config` takes. */
export function configText(settings: Settings): string {
  const { quietMs, limits, ...others } = settings;
  return JSON.stringify({ ...others, quiet: durationText(quietMs), limits: { ...LIMITS_DEFAULT, ...limits } }, null, 2);
}
