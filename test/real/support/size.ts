/** `LEASEHOLD_FULL=1` plays the tests on real parts as long as they were asked for; otherwise they are short. */
export const FULL = process.env['LEASEHOLD_FULL'] === '1';
