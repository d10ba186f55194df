/** Ids and tokens, branded and made in one place. None of them is a secret except `Secret`. */
export type LeaseName = string & { readonly __brand: 'LeaseName' };
export type SessionId = string & { readonly __brand: 'SessionId' };
/** Chosen by the client, unique within its session; a repeat is answered, not done twice. */
export type RequestId = string & { readonly __brand: 'RequestId' };
/** A random id of one client object; lives in memory only, so that no second copy of it can exist. */
export type InstanceId = string & { readonly __brand: 'InstanceId' };
export type JournalId = string & { readonly __brand: 'JournalId' };
/** What resumes a session. Sent once, kept by the client in memory, by the coordinator only as a hash. */
export type Secret = string & { readonly __brand: 'Secret' };
export type SecretHash = string & { readonly __brand: 'SecretHash' };
/** Number of a client's frame, counted once over all the sockets of its instance, from 1. */
export type FrameNumber = number & { readonly __brand: 'FrameNumber' };
export type FencingToken = number & { readonly __brand: 'FencingToken' };

export function leaseName(value: string): LeaseName {
  return value as LeaseName;
}
export function sessionId(value: string): SessionId {
  return value as SessionId;
}
export function requestId(value: string): RequestId {
  return value as RequestId;
}
export function instanceId(value: string): InstanceId {
  return value as InstanceId;
}
export function journalId(value: string): JournalId {
  return value as JournalId;
}
export function secret(value: string): Secret {
  return value as Secret;
}
export function secretHash(value: string): SecretHash {
  return value as SecretHash;
}
export function frameNumber(value: number): FrameNumber {
  return value as FrameNumber;
}
export function fencingToken(value: number): FencingToken {
  return value as FencingToken;
}
