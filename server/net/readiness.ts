import type { CoreStatus } from '../core/core-types.ts';

/** What `/readyz` looks at. Null: the journal has not been read yet. */
export interface Readiness {
  readonly core: CoreStatus | null;
  readonly isListening: boolean;
  readonly isDraining: boolean;
  readonly isBroken: boolean;
}

/** Why nobody should be sent here now; empty when it is ready. A quiet time is no reason: claims wait in their queues. */
export function notReady(readiness: Readiness): readonly string[] {
  const reasons: string[] = [];
  if (readiness.isBroken) reasons.push('a broken invariant stopped the coordinator');
  else if (readiness.core === null) reasons.push('the journal is being read');
  else if (!readiness.core.writable) reasons.push('the journal cannot be written');
  if (readiness.isDraining) reasons.push('it is draining');
  if (!readiness.isListening) reasons.push('its event loop has stood still');
  return reasons;
}
