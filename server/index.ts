export { createCoordinator } from './coordinator.ts';
export { memoryJournal } from './journal/memory.ts';
export { sqliteJournal } from './journal/sqlite.ts';
export { CoordinatorError } from './net/coordinator-error.ts';
export { JournalError } from './core/journal-port.ts';
export { LIMITS_DEFAULT } from './core/limits.ts';
export type { Journal, JournalErrorCode } from './core/journal-port.ts';
export type { Limits } from './core/limits.ts';
export type { Authenticate } from './net/auth-port.ts';
export type { PageFile, PageFiles } from './net/example-pages.ts';
export type { Logger } from './net/logger.ts';
export type { ClockOption } from './net/loop.ts';
export type {
  Coordinator,
  CoordinatorOptions,
  CoordinatorStatus,
  ListenOptions,
  RevokeOptions,
  UpgradingServer,
} from './net/coordinator-types.ts';
