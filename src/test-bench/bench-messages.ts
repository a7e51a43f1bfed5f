import { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseCacheEntry } from '../http/response-cache.ts';
import type { RecordedRequest } from './requests/recorded-request.ts';

// Classes of their own: properties and methods put on single messages would slow down all of Node's code for HTTP.

/** Records requests. */
interface Recorder {
  begin(request: BenchRequest): RecordedRequest;
  /** @param response after its connection is done with it */
  end(request: BenchRequest, response: ServerResponse): void;
}

/** A request to a server with a test bench. */
export class BenchRequest extends IncomingMessage {
  /** Null if it is not recorded. */
  recorder: Recorder | null = null;
  /** When it came, in milliseconds since 1970. */
  at = 0;
  /** Path and query as sent; `url` may be rewritten. */
  sentUrl = '';
  /** The cached answer that it gets. */
  cached: ResponseCacheEntry | null = null;
  #record: RecordedRequest | null = null;
  /** How often the gate was sealed before it admitted the request; null if it has not. */
  sealsBefore: number | null = null;

  /** Its record, made when there is something to record that no cached answer tells; null if it is not recorded. */
  get record(): RecordedRequest | null {
    this.#record ??= this.recorder?.begin(this) ?? null;
    return this.#record;
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (Buffer.isBuffer(chunk)) this.record?.receive(chunk);
    return super.push(chunk, encoding);
  }
}

/** The answer to it. */
export class BenchResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Answers that the gate counts as under way; null if this one does not count. */
  underWay: Set<ServerResponse> | null = null;

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    this.on('close', onClose);
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    this.#send(chunk, rest[0]);
    return (super.write as (...args: unknown[]) => boolean)(chunk, ...rest);
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    this.#send(chunk, encoding);
    return (super.end as (...args: unknown[]) => this)(chunk, encoding, done);
  }

  #send(chunk: unknown, encoding: unknown): void {
    const request = this.req as unknown as BenchRequest;
    if (request.cached === null) request.record?.send(chunk, encoding);
  }
}

function onClose(this: BenchResponse): void {
  this.underWay?.delete(this);
  const request = this.req as BenchRequest;
  request.recorder?.end(request, this);
}
