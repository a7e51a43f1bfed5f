import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, originOf, rateLimitKeyOf } from '../access/caller.ts';
import type { FileValidators } from '../core/file-validators.ts';
import { RequestMemory } from '../core/request-memory.ts';
import type { Origin, RequestScope } from '../core/request-scope.ts';
import { reserveStreamMemory } from '../core/stream-memory.ts';
import { pageOf } from '../db/paginate.ts';
import type { Deps } from '../deps.ts';
import { preferredType } from './http.accept.ts';
import type { BaseContext } from './http.route.ts';
import type { List, Listing, PageLimits } from './listing.ts';
import { type Page, readPage, setListHeaders } from './pagination.ts';

/** Maximum wait: proxies close idle connections. */
const MAX_WAIT_MS = 60_000;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The chain of webhook events that a request belongs to: receivers of webhooks send its id back. */
export function hookChainOf({ headers }: FastifyRequest): string | undefined {
  const sent = headers['x-gitlab-event-uuid'] ?? headers['x-svc-event-uuid'];
  return typeof sent === 'string' && UUID.test(sent) ? sent : undefined;
}

/**
 * The scope of a request's work. A class, because an object literal with getters would get a new shape each time, which
 * the engine retains until the next full garbage collection with everything that the getters reach.
 */
class RequestWork implements RequestScope {
  readonly caller: string;
  readonly hookChain: string | undefined;
  readonly #context: RouteContext;

  constructor(context: RouteContext, caller: string) {
    this.caller = caller;
    this.hookChain = hookChainOf(context.request);
    this.#context = context;
  }

  get origin(): Origin {
    return originOf(this.#context.caller, this.#context.request.ip);
  }

  get signal(): AbortSignal | undefined {
    const { method } = this.#context.request;
    return method === 'GET' || method === 'HEAD' ? this.#context.signal : undefined;
  }

  get memory(): RequestMemory {
    return this.#context.memory;
  }

  get validators(): FileValidators | undefined {
    return this.#context.request.cacheDependencies?.validators;
  }
}

const NOBODY = async () => {};

/** The context of a handler, created with as little work as possible: its signal is made on demand. */
export class RouteContext implements BaseContext {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: Record<string, unknown>;
  readonly input: Record<string, unknown>;
  readonly #source: Record<string, unknown>;
  #bytes: Readable | undefined;
  #abort: AbortController | undefined;
  #memory: RequestMemory | undefined;

  constructor(
    deps: Deps,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    params: Record<string, unknown>,
    input: Record<string, unknown>,
    source: Record<string, unknown>,
  ) {
    this.deps = deps;
    this.caller = caller;
    this.request = request;
    this.reply = reply;
    this.params = params;
    this.input = input;
    this.#source = source;
  }

  get bytes(): Readable {
    if (this.#bytes === undefined) throw new Error('the route declares no body of bytes');
    return this.#bytes;
  }

  set bytes(bytes: Readable) {
    this.#bytes = bytes;
  }

  async page<DB, TB extends keyof DB, T, R = T[], A = R>(
    list: List<DB, TB, T, R>,
    present?: (rows: R) => A,
    limits?: PageLimits,
  ): Promise<Awaited<A>> {
    const page = readPage(this.#source, limits);
    const listing = (await this.#read(list, page)) as Listing<R>;
    setListHeaders(this.deps.externalUrl(), this.request, this.reply, page, listing);
    return (await (present === undefined ? listing.rows : present(listing.rows))) as Awaited<A>;
  }

  #read<DB, TB extends keyof DB, T, R>(list: List<DB, TB, T, R>, page: Page): unknown {
    if (typeof list === 'function') return list(page);
    if (!('execute' in list)) return { rows: list.slice(page.offset, page.offset + page.size), total: list.length };
    return pageOf(this.deps.db, list, page);
  }

  /**
   * The share that the request's work counts against; reading is aborted when the client disconnects, writing is not.
   */
  get work(): RequestScope {
    return new RequestWork(this, this.#share);
  }

  get #share(): string {
    return `${this.deps.start.prefix}${rateLimitKeyOf(this.caller, this.request.ip)}`;
  }

  /** The request's share of the memory limit. */
  get memory(): RequestMemory {
    if (this.#memory === undefined) {
      const memory = new RequestMemory(this.deps.memory, this.#share);
      this.#memory = memory;
      this.reply.raw.once('close', () => memory.end());
      if (this.reply.raw.destroyed) memory.end();
    }
    return this.#memory;
  }

  hold(bytes: number): Promise<void> {
    return this.memory.hold(bytes, this.signal);
  }

  async stream(bytes: number, open: () => Promise<Readable> | Readable): Promise<Readable> {
    const leave = await reserveStreamMemory(this.deps, this.#share, bytes, this.signal);
    try {
      const stream = await open();
      stream.once('close', leave);
      // A stream that nobody reads yet is not closed when the client disconnects.
      if (this.signal.aborted) stream.destroy();
      else this.signal.addEventListener('abort', leave, { once: true });
      return stream;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Media types of the route's answers, its default first. */
  types: readonly [string, ...string[]] = ['application/json'];

  get accepted(): string {
    return preferredType(this.request.headers.accept, this.types);
  }

  /** Checks the caller and their permissions again; set when the route is known. @throws ApiError 401, 403, 404 */
  reauthorize: () => Promise<unknown> = NOBODY;

  async waitFor<T>(topic: string, ms: number, poll: () => Promise<T | undefined>): Promise<T | undefined> {
    const { signal } = this;
    let polled = false;
    return this.deps.longPolls.wait({
      topic,
      key: rateLimitKeyOf(this.caller, this.request.ip),
      ms: Math.min(ms, MAX_WAIT_MS),
      signal,
      poll: async () => {
        if (polled) await this.reauthorize();
        polled = true;
        return poll();
      },
    });
  }

  isSent(name: string): boolean {
    return Object.hasOwn(this.#source, name);
  }

  get sent(): Readonly<Record<string, unknown>> {
    return this.#source;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      this.reply.raw.once('close', () => {
        if (!this.reply.raw.writableFinished) abort.abort();
      });
      if (this.reply.raw.destroyed) abort.abort();
    }
    return this.#abort.signal;
  }
}
