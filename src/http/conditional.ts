import type { FastifyRequest } from 'fastify';
import { ApiError } from '../core/core.errors.ts';

/**
 * Refuses a change to what has changed since the client saw it. A header that is absent or no date asks for nothing.
 * @param updatedAt last change of the resource, ISO 8601
 * @throws ApiError 412 when that is later than `If-Unmodified-Since`
 */
export function checkUnmodifiedSince(request: FastifyRequest, updatedAt: string): void {
  const header = request.headers['if-unmodified-since'];
  if (typeof header !== 'string') return;
  const since = Date.parse(header);
  if (Number.isNaN(since)) return;
  // An HTTP date has whole seconds: a change within the second that it names is not later.
  const changed = Date.parse(updatedAt);
  const comparable = /\.\d/.test(header) ? changed : Math.floor(changed / 1_000) * 1_000;
  if (comparable > since) throw new ApiError(412, '412 Precondition Failed');
}
