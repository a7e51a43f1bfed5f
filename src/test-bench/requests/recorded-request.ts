import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ResponseCacheEntry } from '../../http/response-cache.ts';
import { routeMatchOf } from '../../http/route-match.ts';
import { type RecordedBodies, RecordedBody } from './recorded-bodies.ts';

/** A request with its path and query as sent. */
interface SentRequest extends Pick<IncomingMessage, 'method' | 'headers'> {
  sentUrl: string;
}

/** A request while and after it is answered. Texts are made of it, and secrets masked, only when somebody asks. */
export class RecordedRequest {
  /** 0 until it is listed. */
  id = 0;
  readonly at: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  route: string | null = null;
  caller: string | null = null;
  /** Null if nothing was answered. */
  status: number | null = null;
  /** Inputs of the route that are secret. */
  secrets: ReadonlySet<string> | undefined;
  requestType: string | undefined;
  responseType: string | undefined;
  requestBody: RecordedBody | null = null;
  responseBody: RecordedBody | null = null;
  readonly #bodies: RecordedBodies;
  #request: FastifyRequest | null = null;

  /** @param at when it came, in milliseconds since 1970 */
  constructor({ method = '', sentUrl, headers }: SentRequest, at: number, bodies: RecordedBodies) {
    this.at = at;
    this.method = method;
    this.url = sentUrl;
    this.requestType = headers['content-type'];
    this.#bodies = bodies;
  }

  /** A request that got a cached answer. */
  static ofCached(
    at: number,
    { json, path, route, user }: ResponseCacheEntry,
    status: number | null,
    bodies: RecordedBodies,
  ): RecordedRequest {
    const record = new RecordedRequest({ method: 'GET', sentUrl: path, headers: {} }, at, bodies);
    record.route = route ?? null;
    record.caller = user?.username ?? null;
    record.status = status;
    record.responseType = 'application/json';
    record.responseBody = new RecordedBody(bodies);
    if (status === 200) record.responseBody.share(json.body);
    return record;
  }

  /** Takes a part of its body. */
  receive(chunk: Buffer): void {
    this.requestBody ??= new RecordedBody(this.#bodies);
    this.requestBody.take(chunk);
  }

  /** Takes what is given to `write` or `end` of its answer. */
  send(chunk: unknown, encoding: unknown): void {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
    this.responseBody ??= new RecordedBody(this.#bodies);
    const isUtf8 = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
    if (chunk instanceof Uint8Array || (isUtf8 && typeof chunk === 'string')) this.responseBody.take(chunk);
    else this.responseBody.take(Buffer.from(chunk as string, encoding as BufferEncoding));
  }

  /** Position of its oldest byte in the memory of bodies; infinite if it has none. */
  get position(): number {
    return Math.min(this.requestBody?.position ?? Infinity, this.responseBody?.position ?? Infinity);
  }

  /** The server's own view of the request, which knows route and caller at the end. */
  seen(request: FastifyRequest): void {
    this.#request = request;
  }

  /** @param response after its connection is done with it */
  end(response: ServerResponse, status: number | null): void {
    if (this.#request !== null) {
      const { url, config } = routeMatchOf(this.#request);
      this.route = url ?? null;
      this.secrets = config?.secrets;
      this.caller = this.#request.caller?.user?.username ?? null;
      this.#request = null;
      const type = response.getHeader('content-type');
      this.responseType = type === undefined ? undefined : String(type);
    }
    this.status = status;
  }
}
