import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { Interceptor } from '../../http/interceptor.ts';
import type { ResponseCacheEntry } from '../../http/response-cache.ts';
import type { BenchRequest, BenchResponse } from '../bench-messages.ts';
import { isOfBench, pathOfRequest } from '../request-path.ts';
import { RecordedRequest } from './recorded-request.ts';

/** Requests that are kept, and bytes of all their bodies: the oldest ones go. */
const MAX_REQUESTS = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Topic of requests for the record that wait for more. */
export const RECORD_TOPIC = 'test_bench.requests';

/** Undefined for a request that did not come over a connection, null if it is not recorded. */
const recordOf = (request: IncomingMessage): RecordedRequest | null | undefined => (request as BenchRequest).record;

const bytesOf = ({ requestBody, responseBody }: RecordedRequest): number =>
  (requestBody?.kept ?? 0) + (responseBody?.kept ?? 0);

/** Records the requests of one instance, the last ones. In memory: neither snapshots nor restarts keep them. */
export class RequestRecorder {
  readonly #deps: Deps;
  /** A ring: `#first` is the index of the oldest. */
  #ring: (RecordedRequest | undefined)[] = new Array(MAX_REQUESTS);
  #first = 0;
  #count = 0;
  #bytes = 0;
  #last = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Sees every request before the server does. */
  readonly interceptor: Interceptor<BenchRequest, BenchResponse> = (request, response, next) => {
    if (!isOfBench(pathOfRequest(request))) {
      request.record = new RecordedRequest(this.#deps.clock.now().getTime(), request, this.#add);
      response.record = request.record;
    }
    next();
  };

  /** Learns route and caller from the server. */
  readonly plugin = (app: FastifyInstance): void => {
    app.addHook('onRequest', (request, _reply, done) => {
      recordOf(request.raw)?.seen(request);
      done();
    });
  };

  /** Learns route and caller of cached answers. */
  readonly onCached = (request: IncomingMessage, { route, user }: ResponseCacheEntry): void => {
    const recorded = recordOf(request);
    if (!recorded) return;
    recorded.route = route ?? null;
    recorded.caller = user?.username ?? null;
    recorded.responseType = 'application/json';
  };

  readonly #add = (recorded: RecordedRequest): void => {
    this.#last += 1;
    recorded.id = this.#last;
    this.#bytes += bytesOf(recorded);
    if (this.#count === MAX_REQUESTS) this.#drop();
    this.#ring[(this.#first + this.#count) % MAX_REQUESTS] = recorded;
    this.#count += 1;
    while (this.#bytes > MAX_BYTES) this.#drop();
    this.#deps.longPolls.wake(RECORD_TOPIC);
  };

  #drop(): void {
    this.#bytes -= bytesOf(this.#ring[this.#first]!);
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % MAX_REQUESTS;
    this.#count -= 1;
  }

  /** Recorded requests, the oldest first. */
  list(): RecordedRequest[] {
    return Array.from({ length: this.#count }, (_, at) => this.#ring[(this.#first + at) % MAX_REQUESTS]!);
  }

  clear(): void {
    this.#ring = new Array(MAX_REQUESTS);
    this.#first = 0;
    this.#count = 0;
    this.#bytes = 0;
  }
}
