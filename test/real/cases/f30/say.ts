export { say } from '../../support/script.ts';

/** What the harness gives each script. */
export const [, , url = '', name = ''] = process.argv;
