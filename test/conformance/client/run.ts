import type { Outcome } from '../play.ts';
export const CLIENT_FOLDER = '';
export const clientRun = async (_: unknown): Promise<readonly Outcome[]> => [];
