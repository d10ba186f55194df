import { createHash, randomBytes } from 'node:crypto';
import { nanoid } from 'nanoid';
import { secret, secretHash, sessionId, type SecretHash } from '../../shared/ids.ts';
import type { Ids } from '../core/core-types.ts';

/** 24 random bytes: guessing one is hopeless, and 32 characters fit an id. */
const SECRET_BYTES = 24;

/** The hash under which a secret is kept. A secret is random, so that a plain hash cannot be searched. */
export const hashOf = (value: string): SecretHash => secretHash(createHash('sha256').update(value).digest('base64url'));

export const randomIds: Ids = {
  session: () => sessionId(nanoid()),
  secret: () => {
    const made = randomBytes(SECRET_BYTES).toString('base64url');
    return { secret: secret(made), hash: hashOf(made) };
  },
};
