import type { FieldCase } from '../../real/support/field-case.ts';
import { F35_TABS } from './f35-tabs.ts';
import { F39 } from './f39.ts';
import { F40 } from './f40.ts';
import { F41 } from './f41.ts';
import { F42 } from './f42.ts';
import { F43 } from './f43.ts';
import { F44 } from './f44.ts';
import { F45 } from './f45.ts';

/** The cases that are played in tabs of a real Chromium, in the order of their numbers. */
export const BROWSER_CASES: readonly FieldCase[] = [F35_TABS, F39, F40, F41, F42, F43, F44, F45];
