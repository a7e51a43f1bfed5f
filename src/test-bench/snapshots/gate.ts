import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Busy } from '../../core/busy.ts';
import type { Route } from '../../http/http.route.ts';
import type { Interceptor } from '../../http/interceptor.ts';
import type { BenchRequest, BenchResponse } from '../bench-messages.ts';

/** Longest wait of what comes while the gate is closed, in milliseconds. */
const WAIT_MS = 1_000;
const RETRY_SECONDS = 1;

/** The addresses that close the gate themselves. */
const OWN = /^\/-\/bench\/(?:snapshots|reset)(?:[/?]|$)/;
/** Reads of the test bench, which may wait for what others do. */
const OF_BENCH = /^\/-\/bench(?:[/?]|$)/;
const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request may change something. The announcement of a push may create a project. */
const mayChange = ({ method, url = '' }: IncomingMessage): boolean =>
  !READS.has(method) || url.includes('service=git-receive-pack');

const REPLACED = 'the test bench has taken or restored a snapshot meanwhile';

const unavailable = (reason: string): Busy => new Busy(503, `503 Service Unavailable - ${reason}`, RETRY_SECONDS);

/**
 * Stands before everything that comes from outside: requests, and commands over SSH. While it is closed they wait, at
 * most a second. It knows what is under way.
 */
export class Gate {
  readonly #running = new Set<ServerResponse>();
  #seals = 0;
  #commands = 0;
  #handlers = 0;
  #closed: PromiseWithResolvers<void> | null = null;
  #broken: string | null = null;
  #beforeChange: (() => Promise<void>) | null = null;

  /** See `Interceptor`. */
  readonly pass: Interceptor<BenchRequest, BenchResponse> = (request, response, next) => {
    if (OWN.test(request.url ?? '')) next();
    else if (this.#closed !== null || (this.#beforeChange !== null && mayChange(request))) {
      void this.#late(request, response, next);
    } else this.#admit(request, response, next);
  };

  /** Whether something is under way that may read or write data. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#commands > 0 || this.#handlers > 0;
  }

  /** Has something done once, before the first request that may change something. */
  beforeChange(work: (() => Promise<void>) | null): void {
    this.#beforeChange = work;
  }

  close(): void {
    this.#closed ??= Promise.withResolvers();
  }

  open(): void {
    this.#broken = null;
    this.#closed?.resolve();
    this.#closed = null;
  }

  /** Stays closed, and gives this reason for it. */
  breakDown(reason: string): void {
    this.#broken = reason;
  }

  /**
   * Nothing that was admitted before may begin any more: a request whose client has left may still be on its way to its
   * handler.
   * @returns true
   */
  seal(): true {
    this.#seals += 1;
    return true;
  }

  /** Ends the connections of all requests under way. */
  cutOff(): void {
    for (const { socket } of this.#running) socket?.destroy();
  }

  /**
   * Admits a command over SSH.
   * @returns a function that marks it as ended
   * @throws Busy if the gate does not open in time
   */
  readonly enter = async (): Promise<() => void> => {
    await this.#whenOpen(true);
    this.#commands += 1;
    return () => {
      this.#commands -= 1;
    };
  };

  /** Refuses requests to all routes that were admitted before a seal, just before they are handled. */
  readonly plugin = (app: FastifyInstance): void => {
    app.addHook('preHandler', (request, _reply, done) =>
      done(this.#isSealed(request.raw) ? unavailable(REPLACED) : undefined),
    );
  };

  /** A route whose handler is known to the gate: it may outlast its connection. */
  readonly watched = (route: Route): Route => {
    const { method, path, root } = route.options;
    if (root === true && OF_BENCH.test(path) && (method === 'GET' || OWN.test(path))) return route;
    const handle: Route['handle'] = async (context) => {
      if (this.#isSealed(context.request.raw)) throw unavailable(REPLACED);
      this.#handlers += 1;
      try {
        return await route.handle(context);
      } finally {
        this.#handlers -= 1;
      }
    };
    return { ...route, handle };
  };

  #isSealed(request: IncomingMessage): boolean {
    return ((request as BenchRequest).sealsBefore ?? this.#seals) !== this.#seals;
  }

  #admit(request: BenchRequest, response: BenchResponse, next: () => void): void {
    if (!(READS.has(request.method) && OF_BENCH.test(request.url ?? ''))) {
      request.sealsBefore = this.#seals;
      this.#running.add(response);
      response.underWay = this.#running;
    }
    next();
  }

  async #late(request: BenchRequest, response: BenchResponse, next: () => void): Promise<void> {
    try {
      await this.#whenOpen(mayChange(request));
    } catch (error) {
      const { message, headers } = error as Busy;
      const body = JSON.stringify({ message });
      response.writeHead(503, { ...headers, 'Content-Type': 'application/json', Connection: 'close' }).end(body);
      return;
    }
    if (!response.destroyed) this.#admit(request, response, next);
  }

  async #whenOpen(changes: boolean): Promise<void> {
    if (changes) await this.#beforeChange?.();
    const end = performance.now() + WAIT_MS;
    while (this.#closed !== null) {
      const left = end - performance.now();
      if (this.#broken !== null) throw unavailable(this.#broken);
      if (left <= 0 || !(await opensWithin(this.#closed.promise, left)))
        throw unavailable(this.#broken ?? 'the test bench takes or restores a snapshot');
    }
  }
}

async function opensWithin(opened: Promise<void>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([opened.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
