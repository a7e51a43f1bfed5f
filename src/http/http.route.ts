import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { PaidPlan } from '../access/access.plan.ts';
import type { Caller } from '../access/caller.ts';
import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { Deps } from '../deps.ts';
import type { ApplicationSettings } from '../settings/settings-table.ts';
import type { ThrottleGroup } from '../settings/throttles.ts';
import { type Credentials, credentialHeaders } from './http.credentials.ts';
import type { List, PageLimits } from './listing.ts';
import type { ParamRules } from './params/coerce.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Decides who may call a route. Checked before the body is read. `A` is the result of the check (a project, a group);
 * handlers get it as part of their context.
 */
export interface Access<A extends object = object> {
  /** Description for the OpenAPI document. */
  readonly description: string;
  /** Name of the required ability in one of the tables of `access/`. */
  readonly ability?: string;
  /** Whether the ability changes something; required for every writing route. */
  readonly writes?: boolean;
  /** Whether anonymous callers may be admitted. */
  readonly anonymous: boolean;
  /** Whether moved resources redirect to their new path: 301 for reads, 405 for other methods. */
  readonly moves?: boolean;
  /** Path parameters of the check, with their schemas. */
  readonly params: Readonly<Record<string, TSchema>>;
  /** @throws ApiError 401, 403 or 404 */
  check(request: AccessRequest): Promise<A>;
}

export interface AccessRequest {
  deps: Deps;
  caller: Caller;
  params: Readonly<Record<string, string>>;
  /**
   * Path parameters as the route declares them.
   * @throws ApiError 400 for invalid ones
   */
  values(): Readonly<Record<string, unknown>>;
  method: string;
  /** Path and query of the request, for redirects. */
  url: string;
}

/** Base context of all handlers. */
export interface BaseContext {
  deps: Deps;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The body as a stream, for routes that declare one; fails past the declared limit. */
  readonly bytes: Readable;
  /**
   * Answers the requested page of a list, and sets its headers.
   * @param present presents the rows of the page; as they are by default
   * @throws ApiError 400 for an invalid page, 405 as `limits` say; errors of `list` and `present`
   */
  page<DB, TB extends keyof DB, T, R = T[], A = R>(
    list: List<DB, TB, T, R>,
    present?: (rows: R) => A,
    limits?: PageLimits,
  ): Promise<Awaited<A>>;
  /** Media type of the answer: the declared one that the client prefers. */
  readonly accepted: string;
  /** Whether the client sent the parameter, even with null or an empty value. */
  isSent(name: string): boolean;
  /** All parameters as sent by the client, including undeclared ones. They are not validated. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /**
   * Waits until this many bytes of memory may be used for the answer; they are returned after it was sent.
   * @throws ApiError 429, 503 if too many requests wait
   */
  hold(bytes: number): Promise<void>;
  /**
   * Long polling: waits until `poll` returns something. Ends when the client disconnects or the server stops, and
   * immediately if too many requests wait; `deps.longPolls.wake` triggers the next poll. Permissions are checked again
   * before each further poll.
   * @param topic topic to be woken by
   * @param ms maximum wait in milliseconds, up to a minute
   * @param poll returns undefined while there is nothing
   * @returns undefined if there was nothing
   * @throws ApiError 401, 403, 404 if the caller lost access; errors of `poll`
   */
  waitFor<T>(topic: string, ms: number, poll: () => Promise<T | undefined>): Promise<T | undefined>;
  /**
   * Opens a stream for the answer after reserving memory for it; the memory is returned when the stream ends.
   * @param bytes memory of the stream and its processes
   * @throws ApiError 429, 503 if too many requests wait; errors of `open`
   */
  stream(bytes: number, open: () => Promise<Readable> | Readable): Promise<Readable>;
}

export type Context<P extends TObject, I extends TObject, A extends object> = BaseContext & {
  params: Static<P>;
  input: Static<I>;
} & A;

/** Response of a successful call. */
export type Success =
  /** JSON of the schema, or another media type that the client prefers by `Accept`: the handler reads `accepted`. */
  | {
      status: 200 | 201 | 202;
      schema: TSchema;
      alternatives?: readonly string[];
      description?: string;
      headers?: Record<string, TSchema>;
    }
  /** No body; with 302 the handler sets `Location`. */
  | { status: 200 | 201 | 202 | 204 | 302; empty: true; description?: string; headers?: Record<string, TSchema> }
  /** Content of another type, as a stream or whole; several types if the content decides. */
  | {
      status: 200 | 206;
      contentType: string | readonly string[];
      description?: string;
      headers?: Record<string, TSchema>;
    };

/** A raw body that the handler reads as a stream. It contains no parameters: those are in the query string. */
export interface BytesBody<P extends TObject, A extends object> {
  /** Usual media type; any other type is accepted as well. */
  contentType: string;
  description: string;
  /** Maximum size in bytes, computed after authorization and before the body is read. */
  limit(admitted: { deps: Deps; caller: Caller; params: Static<P> } & A): number | Promise<number>;
}

/** Rate limit of a route: a setting of 0 requests is no limit. */
export interface RouteLimit {
  setting: SettingOfNumber;
  periodSeconds: number;
  /** Applies to anonymous callers only. */
  anonymous?: true;
}

type SettingOfNumber = {
  [K in keyof ApplicationSettings]: ApplicationSettings[K] extends number ? K : never;
}[keyof ApplicationSettings];

export interface RouteOptions<P extends TObject, I extends TObject, A extends object> {
  method: Method;
  /** Below `/api/v4`, with `:name` for path parameters; a final `*name` matches the rest, including slashes. */
  path: string;
  /** The path is relative to the server's root instead. */
  root?: true;
  /** The address for clients, if the server rewrites it to `path`. */
  address?: string;
  /** Operation id for generated clients, if the one derived from method and path reads badly. Must not change. */
  operationId?: string;
  /** Tag in the reference; derived from the path by default. */
  tag?: string;
  /** Lowest plan with this route; on a lower plan it is refused after the access check. All plans by default. */
  plan?: PaidPlan;
  summary: string;
  description?: string;
  access: Access<A>;
  /** Accepted credentials; the API's tokens by default. */
  credentials?: Credentials;
  /** Path parameters in addition to those of `access`. */
  params?: P;
  /** Parameters in the query string or the body. */
  input?: I;
  rules?: ParamRules;
  success: Success;
  /** A second success response, whose status the handler sets. */
  otherSuccess?: Success;
  /** Statuses of refusals in addition to those of access and parameters. */
  errors?: readonly number[];
  /** Sufficient scopes in addition to `api` (and `read_api` for GET and HEAD). */
  scopes?: readonly string[];
  /**
   * Media type of JSON bodies in both directions, including refusals; application/json by default, which is always
   * accepted.
   */
  mediaType?: string;
  /** Size limit for parameter bodies; the ordinary limit by default. */
  bodyLimit?: 'file';
  /** The body is raw content for the handler instead of parameters. */
  body?: BytesBody<P, A>;
  /** Expensive: few concurrent requests per caller. */
  expensive?: boolean;
  /** Rate limit per user, or per address for anonymous callers, from a setting. */
  limit?: RouteLimit;
  /** Not counted by the API's throttles: one task takes many such requests. */
  unthrottled?: true;
  /** Throttle group that takes precedence, if the path does not tell it. */
  throttle?: ThrottleGroup;
  /** A sign-in: also counted by address. */
  signsIn?: true;
  /**
   * Makes responses cacheable. Headers, in lower case, on which they depend besides URL, caller, database and refs;
   * they must not depend on anything else, such as the time. Prepared responses (`sendCached`, `Serialized`) are sent
   * again before any check.
   */
  cacheable?: readonly string[];
  /** Answered in maintenance mode, although its method is a writing one. */
  duringMaintenance?: true;
  /** Called when a revoked token is sent, before the 401 answer. */
  onRevokedToken?: (deps: Deps, token: AccessToken) => Promise<void>;
  /** Marked as deprecated in the OpenAPI document and by a Deprecation header. */
  deprecated?: boolean;
}

export interface Route {
  readonly options: RouteOptions<TObject, TObject, object>;
  handle(context: Context<TObject, TObject, object>): unknown;
}

/**
 * Declares an endpoint. The handler receives typed parameters and the result of `access`; it returns the body of the
 * answer.
 * @throws Error for a contradictory declaration
 */
export function route<
  A extends object,
  P extends TObject = TObject<Record<never, TSchema>>,
  I extends TObject = TObject<Record<never, TSchema>>,
>(options: RouteOptions<P, I, A> & { handler: (context: Context<P, I, A>) => unknown }): Route {
  const { handler, ...rest } = options;
  const { method, path, bodyLimit, credentials, cacheable, plan, limit, expensive } = options;
  if (cacheable !== undefined && plan !== undefined) {
    throw new Error(`${method} ${path} cannot be cacheable, because a plan can expire without a commit`);
  }
  if (cacheable !== undefined && (limit !== undefined || expensive !== undefined)) {
    throw new Error(`${method} ${path} cannot be cacheable, because its requests are counted`);
  }
  if (cacheable !== undefined && credentials !== undefined && credentialHeaders(credentials) === null) {
    throw new Error(`${method} ${path} cannot be cacheable, because its credentials are looked up each time`);
  }
  if (bodyLimit === 'file' && credentials?.methods.some(({ location }) => location.inBody)) {
    throw new Error(`${method} ${path} cannot accept large bodies, because its callers are only known after the body`);
  }
  return { options: rest, handle: handler };
}
