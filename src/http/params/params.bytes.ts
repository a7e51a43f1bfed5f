import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../../core/core.errors.ts';

const tooLarge = () => new ApiError(413, '413 Request Entity Too Large', {}, { Connection: 'close' });

/** Refuses a body with a too large Content-Length before it is read. @throws ApiError 413 */
export function refuseTooLarge(request: FastifyRequest, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
}

async function* read(body: Readable | undefined, limit: number): AsyncGenerator<Buffer> {
  if (body === undefined) return;
  let size = 0;
  try {
    // The connection stays open for the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') throw badRequest('the body ended prematurely');
    throw error;
  }
}

/**
 * The body as a stream for a handler.
 * @param body undefined for a request without one
 * @param limit bytes after which reading fails
 * @returns a stream that fails with ApiError 400 or 413
 */
export const limitedBytes = (body: Readable | undefined, limit: number): Readable =>
  Readable.from(read(body, limit), { objectMode: false });
