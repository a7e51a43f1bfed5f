import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, shareOf } from '../access/caller.ts';
import type { RequestScope } from '../core/request-scope.ts';
import type { Deps } from '../deps.ts';
import { type Page, readPage } from './pagination.ts';
import type { BaseContext } from './route.ts';

/** What a handler gets, made with as little work as a request allows: page and signal only when they are asked for. */
export class RouteContext implements BaseContext {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: Record<string, unknown>;
  readonly input: Record<string, unknown>;
  readonly #source: Record<string, unknown>;
  #bytes: Readable | undefined;
  #page: Page | undefined;
  #abort: AbortController | undefined;

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

  get page(): Page {
    this.#page ??= readPage(this.#source);
    return this.#page;
  }

  /** Whose share the request's work counts against; reading ends when the client leaves, what was begun to be written does not. */
  get work(): RequestScope {
    const reads = this.request.method === 'GET' || this.request.method === 'HEAD';
    const signalNow = () => (reads ? this.signal : undefined);
    return {
      caller: shareOf(this.caller, this.request.ip),
      get signal() {
        return signalNow();
      },
    };
  }

  async hold(bytes: number): Promise<void> {
    const { caller } = this.work;
    const leave = await this.deps.memory.take(caller, { cost: bytes, signal: this.signal });
    this.reply.raw.once('close', leave);
    if (this.reply.raw.destroyed) leave();
  }

  given(name: string): boolean {
    return Object.hasOwn(this.#source, name);
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
