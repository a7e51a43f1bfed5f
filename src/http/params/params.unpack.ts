import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../../core/core.errors.ts';
import { routeMatchOf } from '../route-match.ts';

const CLOSE = { Connection: 'close' };
const tooLarge = () => new ApiError(413, '413 Request Entity Too Large', {}, CLOSE);
const unknown = () =>
  new ApiError(415, '415 Unsupported Media Type - Content-Encoding can be gzip', {}, { 'Accept-Encoding': 'gzip' });

/** A body that is decompressed while it is read. */
class Unpacked extends Readable {
  /** Compressed bytes received, which Fastify compares with Content-Length. */
  receivedEncodedLength = 0;
  readonly #chunks: AsyncGenerator<Buffer>;

  constructor(packed: Readable, limit: number) {
    super();
    this.#chunks = this.#unpack(packed, limit);
  }

  override _read(): void {
    this.#chunks.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const done = () => callback(error);
    this.#chunks.return(undefined).then(done, done);
  }

  async *#unpack(packed: Readable, limit: number): AsyncGenerator<Buffer> {
    const gunzip = createGunzip();
    const count = (chunk: Buffer) => {
      this.receivedEncodedLength += chunk.length;
      if (this.receivedEncodedLength > limit) gunzip.destroy(tooLarge());
    };
    packed.on('data', count);
    packed.on('error', (error) => gunzip.destroy(error));
    packed.pipe(gunzip);
    let size = 0;
    try {
      for await (const chunk of gunzip as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > limit) throw tooLarge();
        yield chunk;
      }
    } catch (error) {
      throw error instanceof ApiError ? error : badRequest('the body does not match its Content-Encoding');
    } finally {
      packed.off('data', count);
      packed.unpipe(gunzip);
      gunzip.destroy();
    }
  }
}

/**
 * Decompresses a body with `Content-Encoding: gzip` before its size is counted: a hook before parsing. Both sizes are
 * limited by the route.
 * @throws ApiError 400 for invalid gzip, 413, 415 for another encoding
 */
export async function unpackBody(request: FastifyRequest, _reply: FastifyReply, payload: Readable): Promise<Readable> {
  const encodings = String(request.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length === 0) return payload;
  if (encodings.length > 1 || (encodings[0] !== 'gzip' && encodings[0] !== 'x-gzip')) throw unknown();
  return new Unpacked(payload, routeMatchOf(request).bodyLimit);
}
