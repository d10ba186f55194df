import type { FieldCase } from '../support/field-case.ts';
import { F01 } from './f01.ts';
import { F02 } from './f02.ts';
import { F03 } from './f03.ts';
import { F04 } from './f04.ts';
import { F05 } from './f05.ts';
import { F06 } from './f06.ts';
import { F07 } from './f07.ts';
import { F08 } from './f08.ts';
import { F09 } from './f09.ts';
import { F10 } from './f10.ts';
import { F11 } from './f11.ts';
import { F12 } from './f12.ts';
import { F13 } from './f13.ts';
import { F14 } from './f14.ts';
import { F15 } from './f15.ts';
import { F21 } from './f21.ts';
import { F22 } from './f22.ts';
import { F23 } from './f23.ts';
import { F25 } from './f25.ts';
import { F26 } from './f26.ts';
import { F27 } from './f27.ts';
import { F28 } from './f28.ts';
import { F29 } from './f29.ts';
import { F30 } from './f30.ts';
import { F31 } from './f31.ts';
import { F32 } from './f32.ts';
import { F33 } from './f33.ts';
import { F37 } from './f37.ts';
import { F34 } from './f34.ts';
import { F35 } from './f35.ts';
import { F38 } from './f38.ts';
import { F49 } from './f49.ts';
import { F50 } from './f50.ts';
import { F51 } from './f51.ts';
import { F53 } from './f53.ts';
import { F54 } from './f54.ts';
import { F60 } from './f60.ts';
import { F61 } from './f61.ts';

/** The cases that are played so far, in the order of their numbers. */
export const CASES: readonly FieldCase[] = [
  F01,
  F02,
  F03,
  F04,
  F05,
  F06,
  F07,
  F08,
  F09,
  F10,
  F11,
  F12,
  F13,
  F14,
  F15,
  F21,
  F22,
  F23,
  F25,
  F26,
  F27,
  F28,
  F29,
  F30,
  F31,
  F32,
  F33,
  F34,
  F35,
  F37,
  F38,
  F49,
  F50,
  F51,
  F53,
  F54,
  F60,
  F61,
];
