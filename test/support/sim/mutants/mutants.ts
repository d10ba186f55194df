import { CLIENT_MUTANTS } from './client-mutants.ts';
import { COORDINATOR_MUTANTS } from './coordinator-mutants.ts';
import type { Mutant } from './registry.ts';
import { TABLE_MUTANTS } from './table-mutants.ts';

export const MUTANTS: readonly Mutant[] = [...CLIENT_MUTANTS, ...COORDINATOR_MUTANTS, ...TABLE_MUTANTS];
