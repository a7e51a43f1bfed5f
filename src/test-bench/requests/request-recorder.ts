import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { Interceptor } from '../../http/interceptor.ts';
import type { ResponseCacheEntry } from '../../http/response-cache.ts';
import type { BenchRequest, BenchResponse } from '../bench-messages.ts';
import { isOfBench, pathOfRequest } from '../request-path.ts';
import { RecordedBodies } from './recorded-bodies.ts';
import { RecordedRequest } from './recorded-request.ts';

/** Requests that are kept, and bytes of all their bodies: the oldest ones go. */
const MAX_REQUESTS = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Topic of requests for the record that wait for more. */
export const RECORD_TOPIC = 'test_bench.requests';

/** A request; or, at no cost, that a cached answer was sent. */
type Row = RecordedRequest | ResponseCacheEntry;

/** Bytes of a row that others keep, too. */
const sharedBytes = (row: Row): number => (row instanceof RecordedRequest ? 0 : row.json.body.length);

/** Records the requests of one instance, the last ones. In memory: neither snapshots nor restarts keep them. */
export class RequestRecorder {
  readonly #deps: Deps;
  /** A ring: `#first` is the index of the oldest. */
  #ring: (Row | undefined)[] = new Array(MAX_REQUESTS);
  /** Of cached answers: when the request came, and the status; 0 for none. */
  readonly #times = new Float64Array(MAX_REQUESTS);
  readonly #statuses = new Uint16Array(MAX_REQUESTS);
  #first = 0;
  #count = 0;
  #shared = 0;
  readonly #bodies = new RecordedBodies(MAX_BYTES);
  /** Number of the newest one; the others have those before it. */
  #last = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Sees every request before the server does. */
  readonly interceptor: Interceptor<BenchRequest, BenchResponse> = (request, _response, next) => {
    if (!isOfBench(pathOfRequest(request))) {
      request.recorder = this;
      request.sentUrl = request.url ?? '';
      request.at = this.#deps.clock.now().getTime();
    }
    next();
  };

  /** Learns route and caller from the server. */
  readonly plugin = (app: FastifyInstance): void => {
    app.addHook('onRequest', (request, _reply, done) => {
      (request.raw as BenchRequest).record?.seen(request);
      done();
    });
  };

  /** Learns of cached answers. */
  readonly onCached = (request: IncomingMessage, entry: ResponseCacheEntry): void => {
    (request as BenchRequest).cached = entry;
  };

  begin(request: BenchRequest): RecordedRequest {
    return new RecordedRequest(request, request.at, this.#bodies);
  }

  end(request: BenchRequest, response: ServerResponse): void {
    if (this.#count === MAX_REQUESTS) this.#drop();
    const at = (this.#first + this.#count) % MAX_REQUESTS;
    const { cached } = request;
    const status = response.headersSent ? response.statusCode : null;
    if (cached === null) {
      const record = request.record!;
      record.end(response, status);
      this.#ring[at] = record;
    } else {
      this.#ring[at] = cached;
      this.#times[at] = request.at;
      this.#statuses[at] = status ?? 0;
      this.#shared += sharedBytes(cached);
    }
    this.#last += 1;
    this.#count += 1;
    while (this.#count > 0 && this.#isBeyond(this.#ring[this.#first]!)) this.#drop();
    this.#deps.longPolls.wake(RECORD_TOPIC);
  }

  #isBeyond(row: Row): boolean {
    if (this.#shared > MAX_BYTES) return true;
    return row instanceof RecordedRequest && row.position < this.#bodies.oldest;
  }

  #drop(): void {
    this.#shared -= sharedBytes(this.#ring[this.#first]!);
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % MAX_REQUESTS;
    this.#count -= 1;
  }

  /** Recorded requests, the oldest first. */
  list(): RecordedRequest[] {
    return Array.from({ length: this.#count }, (_, index) => {
      const at = (this.#first + index) % MAX_REQUESTS;
      const row = this.#ring[at]!;
      const record =
        row instanceof RecordedRequest
          ? row
          : RecordedRequest.ofCached(this.#times[at]!, row, this.#statuses[at] || null, this.#bodies);
      record.id = this.#last - this.#count + 1 + index;
      return record;
    });
  }

  clear(): void {
    this.#ring = new Array(MAX_REQUESTS);
    this.#first = 0;
    this.#count = 0;
    this.#shared = 0;
  }
}
