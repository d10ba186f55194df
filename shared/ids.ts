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

export const leaseName = (value: string): LeaseName => value as LeaseName;
export const sessionId = (value: string): SessionId => value as SessionId;
export const requestId = (value: string): RequestId => value as RequestId;
export const instanceId = (value: string): InstanceId => value as InstanceId;
export const journalId = (value: string): JournalId => value as JournalId;
export const secret = (value: string): Secret => value as Secret;
export const secretHash = (value: string): SecretHash => value as SecretHash;
export const frameNumber = (value: number): FrameNumber => value as FrameNumber;
export const fencingToken = (value: number): FencingToken => value as FencingToken;
