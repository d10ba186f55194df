import type { CoreStatus } from '../core/core-types.ts';
import type { CoordinatorStatus } from './coordinator-types.ts';

/** What `/readyz` looks at. Null: the journal has not been read yet. */
export interface Readiness {
  readonly core: CoreStatus | null;
  readonly isListening: boolean;
  readonly phase: CoordinatorStatus['phase'];
}

/** Why nobody should be sent here now; empty when it is ready. A quiet time is no reason: claims wait in their queues. */
export function notReady(readiness: Readiness): readonly string[] {
  const reasons: string[] = [];
  const { phase, core } = readiness;
  if (phase === 'starting') reasons.push('the journal is being read');
  if (phase === 'failed') reasons.push('the journal could not be read');
  if (phase === 'broken') reasons.push('a defect stopped the coordinator');
  if (phase === 'draining' || phase === 'closed') reasons.push('it is draining');
  if (core !== null && !core.writable) reasons.push('the journal cannot be written');
  if (!readiness.isListening) reasons.push('its event loop has stood still');
  return reasons;
}
