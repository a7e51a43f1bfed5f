import { IncomingMessage, ServerResponse } from 'node:http';
import type { RecordedRequest } from './requests/recorded-request.ts';

// Classes of their own: properties and methods put on single messages would slow down all of Node's code for HTTP.

/** A request to a server with a test bench. */
export class BenchRequest extends IncomingMessage {
  /** Null if it is not recorded. */
  record: RecordedRequest | null = null;
  /** How often the gate was sealed before it admitted the request; null if it has not. */
  sealsBefore: number | null = null;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (this.record !== null && Buffer.isBuffer(chunk)) this.record.receive(chunk);
    return super.push(chunk, encoding);
  }
}

/** The answer to it. */
export class BenchResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Null if it is not recorded. */
  record: RecordedRequest | null = null;
  /** Answers that the gate counts as under way; null if this one does not count. */
  underWay: Set<ServerResponse> | null = null;

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    this.on('close', onClose);
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (this.record !== null) this.record.send(chunk, rest[0]);
    return (super.write as (...args: unknown[]) => boolean)(chunk, ...rest);
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    if (this.record !== null) this.record.send(chunk, encoding);
    return (super.end as (...args: unknown[]) => unknown).call(this, chunk, encoding, done) as this;
  }
}

function onClose(this: BenchResponse): void {
  this.underWay?.delete(this);
  this.record?.end(this);
}
