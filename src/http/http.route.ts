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
import type { Page } from './pagination.ts';
import type { ParamRules } from './params/coerce.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route, and what is looked up to find that out. Checked before the body is read. `A` is what the
 * check found (a project, a group); handlers get it as part of their context.
 */
export interface Access<A extends object = object> {
  /** For the OpenAPI document: who may call. */
  readonly description: string;
  /** Name of the ability that it takes, in one of the tables of `access/`. */
  readonly ability?: string;
  /** Whether the ability changes something: what every route that writes must name. */
  readonly writes?: boolean;
  /** Whether anonymous callers are ever let in. */
  readonly anonymous: boolean;
  /** Whether a resource that has moved leads to where it is now: 301 for reads, 405 for all else. */
  readonly moves?: boolean;
  /** Path parameters the check reads, with their schemas. */
  readonly params: Readonly<Record<string, TSchema>>;
  /** @throws ApiError 401, 403 or 404 */
  check(request: AccessRequest): Promise<A>;
}

export interface AccessRequest {
  deps: Deps;
  caller: Caller;
  params: Readonly<Record<string, string>>;
  /**
   * The path parameters as the route declares them, for a check that looks something up by them.
   * @throws ApiError 400 for those that are none
   */
  values(): Readonly<Record<string, unknown>>;
  method: string;
  /** Address of the request, path and query, for redirects. */
  url: string;
}

/** What every handler gets. */
export interface BaseContext {
  deps: Deps;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The bytes of the body, for routes that declare one; reading fails past the declared limit. */
  readonly bytes: Readable;
  /** Page asked for; only lists use it. */
  page: Page;
  /** Media type that the answer will have: the one among those declared that the client likes best. */
  readonly accepted: string;
  /** Whether the client sent the parameter at all, be it null or empty. */
  given(name: string): boolean;
  /** All parameters as the client sent them, also those that the route does not declare. Nothing is checked of them. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
  /**
   * Waits until so many bytes of memory may be used for the answer; they are given back when it has been sent.
   * @throws ApiError 429, 503 while too many wait
   */
  hold(bytes: number): Promise<void>;
  /**
   * Waits until there is something to answer: long polling. Ends with the client's connection, with the server, and at once
   * where too many wait; whoever wakes calls `deps.longPolls.wake`. The rights are looked at again before each further look.
   * @param topic what is waited for
   * @param ms milliseconds after which it is enough; a minute at most
   * @param look gives undefined while there is nothing
   * @returns undefined when there was nothing
   * @throws ApiError 401, 403, 404 when the caller may not see it any more; what `look` throws
   */
  waitFor<T>(topic: string, ms: number, poll: () => Promise<T | undefined>): Promise<T | undefined>;
  /**
   * Opens a stream for the answer once so many bytes of memory may be used beside those of other streams; they are given
   * back when it has ended.
   * @param bytes what the stream and its processes may take
   * @throws ApiError 429, 503 while too many wait; what `open` throws
   */
  stream(bytes: number, open: () => Promise<Readable> | Readable): Promise<Readable>;
}

export type Context<P extends TObject, I extends TObject, A extends object> = BaseContext & {
  params: Static<P>;
  input: Static<I>;
} & A;

/** What a successful call answers with. */
export type Success =
  /** JSON of the schema; or one of other media types, where `Accept` prefers it: the handler asks for `accepted`. */
  | {
      status: 200 | 201 | 202;
      schema: TSchema;
      alternatives?: readonly string[];
      description?: string;
      headers?: Record<string, TSchema>;
    }
  /** No body; with 302 the handler sets `Location`. */
  | { status: 200 | 201 | 202 | 204 | 302; empty: true; description?: string; headers?: Record<string, TSchema> }
  /** Bytes of another kind, streamed or whole; of several where the content decides. */
  | {
      status: 200 | 206;
      contentType: string | readonly string[];
      description?: string;
      headers?: Record<string, TSchema>;
    };

/** A body of bytes, which the handler reads as they come. It holds no parameters: those stand in the query string. */
export interface BytesBody<P extends TObject, A extends object> {
  /** What clients send; any other type is taken as well. */
  contentType: string;
  description: string;
  /** How many bytes it may have, asked once access was given and before any of it is read. */
  limit(admitted: { deps: Deps; caller: Caller; params: Static<P> } & A): number | Promise<number>;
}

/** A limit of the requests of a route: 0 requests in the setting are no limit. */
export interface RouteLimit {
  setting: SettingOfNumber;
  periodSeconds: number;
  /** For callers without a token alone. */
  anonymous?: true;
}

type SettingOfNumber = {
  [K in keyof ApplicationSettings]: ApplicationSettings[K] extends number ? K : never;
}[keyof ApplicationSettings];

export interface RouteOptions<P extends TObject, I extends TObject, A extends object> {
  method: Method;
  /** Below `/api/v4`, with `:name` for path parameters; `*name` at the end takes the rest, slashes included. */
  path: string;
  /** The path stands at the server's root instead. */
  root?: true;
  /** The address as clients call it, where the server turns that into `path` before it looks for the route. */
  address?: string;
  /** What generated clients call it, where the name that is made of method and path reads badly. It never changes. */
  operationId?: string;
  /** What the reference lists it under; made of the path when absent. */
  tag?: string;
  /** Lowest plan that has it; on a lower one it is refused to all whom `access` lets in. All plans when absent. */
  plan?: PaidPlan;
  summary: string;
  description?: string;
  access: Access<A>;
  /** How callers say who they are; with the API's tokens when absent. */
  credentials?: Credentials;
  /** Path parameters beside those of `access`. */
  params?: P;
  /** Parameters in the query string or the body, wherever the client puts them. */
  input?: I;
  rules?: ParamRules;
  success: Success;
  /** A second kind of success, whose status the handler sets. */
  otherSuccess?: Success;
  /** Statuses of refusals beside those that follow from access and parameters. */
  errors?: readonly number[];
  /** Scopes that do beside `api` (and `read_api` for GET and HEAD). */
  scopes?: readonly string[];
  /** Media type of the JSON that comes in and goes out, refusals too; application/json when absent, and always taken. */
  mediaType?: string;
  /** Bytes of a body of parameters; the ordinary limit when absent. */
  bodyLimit?: 'file';
  /** The body is bytes for the handler to read, instead of parameters. */
  body?: BytesBody<P, A>;
  /** Costs much: few at once for one caller. */
  expensive?: boolean;
  /** So many of its requests by one user, or one address without one, are answered in a period, as a setting says. */
  limit?: RouteLimit;
  /** The API's throttles do not count it: one piece of work takes many such requests. */
  unthrottled?: true;
  /** What its requests are counted as before that, where its path does not say it. */
  throttle?: ThrottleGroup;
  /** Somebody signs in with it: counted by address as well. */
  signsIn?: true;
  /**
   * Headers, in lower case, on which its answers depend beside the address, who asks, the database and refs, and on nothing else,
   * the time neither: what is sent ready made (`sendCached`, `Serialized`) is sent again before anything is looked at.
   */
  cacheable?: readonly string[];
  /** Answered in maintenance mode, too, although its method is one that changes something. */
  duringMaintenance?: true;
  /** Told when a revoked token is sent here, before the answer 401. */
  onRevokedToken?: (deps: Deps, token: AccessToken) => Promise<void>;
  /** Old: named so in the OpenAPI document and by a Deprecation header. */
  deprecated?: boolean;
}

export interface Route {
  readonly options: RouteOptions<TObject, TObject, object>;
  handle(context: Context<TObject, TObject, object>): unknown;
}

/**
 * Declares one endpoint. The handler gets typed parameters and whatever `access` found; it returns the answer's body.
 * @throws Error for a declaration that cannot be kept safely
 */
export function route<
  A extends object,
  P extends TObject = TObject<Record<never, TSchema>>,
  I extends TObject = TObject<Record<never, TSchema>>,
>(options: RouteOptions<P, I, A> & { handler: (context: Context<P, I, A>) => unknown }): Route {
  const { handler, ...rest } = options;
  const { method, path, bodyLimit, credentials, cacheable, plan, limit, expensive } = options;
  if (cacheable !== undefined && plan !== undefined) {
    throw new Error(`${method} ${path} would be answered again although a plan ends by itself`);
  }
  if (cacheable !== undefined && (limit !== undefined || expensive !== undefined)) {
    throw new Error(`${method} ${path} would be answered again although its requests are counted`);
  }
  if (cacheable !== undefined && credentials !== undefined && credentialHeaders(credentials) === null) {
    throw new Error(`${method} ${path} would be answered again although nobody knows who asks`);
  }
  if (bodyLimit === 'file' && credentials?.methods.some(({ location }) => location.inBody)) {
    throw new Error(`${method} ${path} would read large bodies of callers whom it does not know`);
  }
  return { options: rest, handle: handler };
}
