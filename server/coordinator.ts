import type { Coordinator, CoordinatorOptions } from './net/coordinator-types.ts';
import { checkedOptions } from './net/options.ts';
import { Service } from './net/service.ts';

/**
 * A coordinator: reads its journal at once, listens when it is told to. Throws a `CoordinatorError` where an option is
 * unknown or outside its range.
 */
export function createCoordinator(options: CoordinatorOptions): Coordinator {
  return new Service(checkedOptions(options));
}
