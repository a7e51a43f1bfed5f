import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { ApiError, unauthorized } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import type { Place, Sent } from './credential-places.ts';

/**
 * A kind of secret: who one stands for. Undefined where it is none of this kind, so that it may be of another.
 * @throws ApiError 401, 403, 404, 429 where it is of this kind, but no good (any more)
 */
export type LookUp = (deps: Deps, sent: Sent, request: FastifyRequest) => Promise<Caller | undefined>;

/** One way for callers to say who they are. */
export interface Way {
  /** What the OpenAPI document calls it; ways of one name are the same there. */
  readonly name: string;
  readonly place: Place;
  /** For the OpenAPI document: what is sent there. */
  readonly description: string;
  /** What may be sent there. The first kind that the secret is of counts. */
  readonly kinds: readonly LookUp[];
}

/** How callers of a route say who they are. */
export interface Credentials {
  /** Of these any one will do. The first that a request uses counts: one that is no good is refused. */
  readonly ways: readonly Way[];
  /** What is answered in the place of any 401, such as a challenge that makes a client send what it has. */
  readonly refusal?: () => ApiError;
}

/** Whether the request says who sends it, be it true or not. */
export const saysWho = ({ ways }: Credentials, request: FastifyRequest): boolean =>
  ways.some(({ place }) => place.read(request) !== null);

/** Who sent the request; anonymous where it does not say. @throws ApiError 401, 403, 404, 429 */
export async function callerOf(deps: Deps, { ways }: Credentials, request: FastifyRequest): Promise<Caller> {
  for (const { place, kinds } of ways) {
    const sent = place.read(request);
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

/** Runs what may find that the caller has to say who they are. @throws ApiError; for 401 the refusal that is declared */
export function orRefusal<T>({ refusal }: Credentials, work: () => Promise<T>): Promise<T> {
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
export function decidingHeaders({ ways }: Credentials): readonly string[] | null {
  const headers = new Set<string>();
  for (const { place } of ways) {
    if (place.headers === null) return null;
    for (const name of place.headers) headers.add(name);
  }
  return [...headers];
}
