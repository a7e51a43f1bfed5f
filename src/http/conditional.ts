import type { FastifyRequest } from 'fastify';
import { ApiError } from '../core/core.errors.ts';

/**
 * Refuses a change if the resource has changed since `If-Unmodified-Since`. A missing or invalid header is ignored.
 * @param updatedAt last change of the resource, ISO 8601
 * @throws ApiError 412 if the resource has changed since
 */
export function checkUnmodifiedSince(request: FastifyRequest, updatedAt: string): void {
  const header = request.headers['if-unmodified-since'];
  if (typeof header !== 'string') return;
  const since = Date.parse(header);
  if (Number.isNaN(since)) return;
  // An HTTP date has whole seconds: a change within that second is not later.
  const changed = Date.parse(updatedAt);
  const comparable = /\.\d/.test(header) ? changed : Math.floor(changed / 1_000) * 1_000;
  if (comparable > since) throw new ApiError(412, '412 Precondition Failed');
}
