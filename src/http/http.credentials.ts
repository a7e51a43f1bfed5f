import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { ApiError, unauthorized } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import type { CredentialLocation, SentCredential } from './credential-locations.ts';

/**
 * Looks up the caller of a kind of secret; undefined if the secret is not of this kind.
 * @throws ApiError 401, 403, 404, 429 if it is of this kind, but not valid
 */
export type CredentialLookup = (
  deps: Deps,
  sent: SentCredential,
  request: FastifyRequest,
) => Promise<Caller | undefined>;

/** A way to send credentials. */
export interface CredentialMethod {
  /** Name of the OpenAPI security scheme; methods with the same name are identical. */
  readonly name: string;
  readonly location: CredentialLocation;
  /** Description for the OpenAPI document. */
  readonly description: string;
  /** Accepted kinds of secrets; the first one that matches counts. */
  readonly kinds: readonly CredentialLookup[];
}

/** Accepted credentials of a route. */
export interface Credentials {
  /** Alternative methods. The first one that a request uses counts: invalid credentials are refused. */
  readonly methods: readonly CredentialMethod[];
  /** Replaces any 401, for example by a challenge that makes clients send their credentials. */
  readonly challenge?: () => ApiError;
}

/** Whether the request contains credentials, valid or not. */
export const hasCredentials = ({ methods }: Credentials, request: FastifyRequest): boolean =>
  methods.some(({ location }) => location.read(request) !== null);

/** The caller of a request; anonymous without credentials. @throws ApiError 401, 403, 404, 429 */
export async function callerOf(deps: Deps, { methods }: Credentials, request: FastifyRequest): Promise<Caller> {
  for (const { location, kinds } of methods) {
    const sent = location.read(request);
    if (sent === null) continue;
    if (sent.secret === '') throw unauthorized();
    for (const lookUp of kinds) {
      const caller = await lookUp(deps, sent, request);
      if (caller !== undefined) return caller;
    }
    throw unauthorized();
  }
  return ANONYMOUS;
}

/** Runs a check that may require authentication. @throws ApiError; 401 is replaced by the declared challenge */
export function withChallenge<T>({ challenge: refusal }: Credentials, work: () => Promise<T>): Promise<T> {
  return refusal === undefined ? work() : refuseBy(refusal, work);
}

async function refuseBy<T>(refusal: () => ApiError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw refusal();
    throw error;
  }
}

/** Headers that determine the caller; null if responses must not be cached by them. */
export function credentialHeaders({ methods }: Credentials): readonly string[] | null {
  const headers = new Set<string>();
  for (const { location } of methods) {
    if (location.headers === null) return null;
    for (const name of location.headers) headers.add(name);
  }
  return [...headers];
}
