import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { ApiError, unauthorized } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import type { CredentialLocation, SentCredential } from './credential-locations.ts';

/**
 * A kind of secret: who one stands for. Undefined where it is none of this kind, so that it may be of another.
 * @throws ApiError 401, 403, 404, 429 where it is of this kind, but no good (any more)
 */
export type CredentialLookup = (
  deps: Deps,
  sent: SentCredential,
  request: FastifyRequest,
) => Promise<Caller | undefined>;

/** One way for callers to say who they are. */
export interface CredentialMethod {
  /** What the OpenAPI document calls it; ways of one name are the same there. */
  readonly name: string;
  readonly location: CredentialLocation;
  /** For the OpenAPI document: what is sent there. */
  readonly description: string;
  /** What may be sent there. The first kind that the secret is of counts. */
  readonly kinds: readonly CredentialLookup[];
}

/** How callers of a route say who they are. */
export interface Credentials {
  /** Of these any one will do. The first that a request uses counts: one that is no good is refused. */
  readonly methods: readonly CredentialMethod[];
  /** What is answered in the place of any 401, such as a challenge that makes a client send what it has. */
  readonly challenge?: () => ApiError;
}

/** Whether the request says who sends it, be it true or not. */
export const hasCredentials = ({ methods }: Credentials, request: FastifyRequest): boolean =>
  methods.some(({ location }) => location.read(request) !== null);

/** Who sent the request; anonymous where it does not say. @throws ApiError 401, 403, 404, 429 */
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

/** Runs what may find that the caller has to say who they are. @throws ApiError; for 401 the challenge that is declared */
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

/** Headers that decide, beside the address, who sent a request; null where that must be looked up each time. */
export function credentialHeaders({ methods }: Credentials): readonly string[] | null {
  const headers = new Set<string>();
  for (const { location } of methods) {
    if (location.headers === null) return null;
    for (const name of location.headers) headers.add(name);
  }
  return [...headers];
}
