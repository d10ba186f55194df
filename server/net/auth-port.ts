/**
 * Port: holds a credential against whoever gives them out. A rejection means that it could not be looked at now: the
 * client is told `unavailable` and tries again.
 */
export type Authenticate = (credential: string | undefined) => Promise<{ readonly ok: boolean }>;

/** Without an answer within this the credential could not be looked at. */
export const AUTH_WITHIN_MS = 10_000;
