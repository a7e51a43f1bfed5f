import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { routeMatchOf } from '../../http/route-match.ts';

/** Bytes of a body that are kept. */
export const MAX_BODY = 64 * 1024;

/** The first bytes of a chunk, in memory of their own. */
const beginningOf = (chunk: Buffer | string, bytes: number): Buffer =>
  Buffer.from((typeof chunk === 'string' ? Buffer.from(chunk) : chunk).subarray(0, bytes));

/** What went through in one direction: the beginning, and how much it was. */
export class KeptBody {
  /** Strings stand for their UTF-8: answers are kept as they are sent, and encoded only when somebody asks. */
  readonly #chunks: (Buffer | string)[] = [];
  kept = 0;
  size = 0;

  take(chunk: Buffer | string): void {
    const room = MAX_BODY - this.kept;
    const length = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    this.size += length;
    if (room <= 0) return;
    this.#chunks.push(length > room ? beginningOf(chunk, room) : chunk);
    this.kept += Math.min(length, room);
  }

  /** What is kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
  }
}

/** A request while and after it is answered. Texts are made of it, and secrets masked, only when somebody asks. */
export class RecordedRequest {
  /** 0 until it has ended. */
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
  requestBody: KeptBody | null = null;
  responseBody: KeptBody | null = null;
  readonly #done: (record: RecordedRequest) => void;
  #request: FastifyRequest | null = null;

  /** @param done called when it has ended */
  constructor(
    at: number,
    { method = '', url = '', headers }: IncomingMessage,
    done: (record: RecordedRequest) => void,
  ) {
    this.at = at;
    this.method = method;
    this.url = url;
    this.requestType = headers['content-type'];
    this.#done = done;
  }

  /** Takes a part of its body. */
  receive(chunk: Buffer): void {
    this.requestBody ??= new KeptBody();
    // The parser's buffer is much larger.
    if (this.requestBody.kept < MAX_BODY) this.requestBody.take(Buffer.from(chunk));
    else this.requestBody.size += chunk.length;
  }

  /** Takes what is given to `write` or `end` of its answer. */
  send(chunk: unknown, encoding: unknown): void {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
    this.responseBody ??= new KeptBody();
    const isUtf8 = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
    if (Buffer.isBuffer(chunk) || (isUtf8 && typeof chunk === 'string')) this.responseBody.take(chunk);
    else this.responseBody.take(Buffer.from(chunk as string, encoding as BufferEncoding));
  }

  /** The server's own view of the request, which knows route and caller at the end. */
  seen(request: FastifyRequest): void {
    this.#request = request;
  }

  /** @param response after its connection is done with it */
  end(response: ServerResponse): void {
    if (this.#request !== null) {
      const { url, config } = routeMatchOf(this.#request);
      this.route = url ?? null;
      this.secrets = config?.secrets;
      this.caller = this.#request.caller?.user?.username ?? null;
      this.#request = null;
      const type = response.getHeader('content-type');
      this.responseType = type === undefined ? undefined : String(type);
    }
    if (response.headersSent) this.status = response.statusCode;
    this.#done(this);
  }
}
