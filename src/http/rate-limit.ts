import type { FastifyReply } from 'fastify';
import type { Throttle, WindowCounter } from '../core/limiters.ts';

/** Refusal of a throttle: plain text, as clients expect it. */
export class Throttled extends Error {
  override name = 'Throttled';

  /** @param text text of the answer; null for the default */
  constructor(text: string | null) {
    super(text || 'Retry later');
  }
}

/**
 * Counts a request against a throttle and sets the `RateLimit-*` headers.
 * @throws Throttled if there were too many
 */
export function applyThrottle(
  counter: WindowCounter,
  throttle: Throttle,
  name: string,
  key: string,
  nowMs: number,
  reply: FastifyReply,
  text: string | null = null,
): void {
  if (throttle.requests === 0) return;
  const { count, resetAt } = counter.hit(`${name}:${key}`, throttle.periodSeconds, nowMs);
  reply.header('RateLimit-Limit', String(Math.ceil((throttle.requests * 60) / throttle.periodSeconds)));
  reply.header('RateLimit-Name', name);
  reply.header('RateLimit-Observed', String(count));
  reply.header('RateLimit-Remaining', String(Math.max(0, throttle.requests - count)));
  reply.header('RateLimit-Reset', String(resetAt));
  if (count > throttle.requests) {
    reply.header('RateLimit-ResetTime', new Date(resetAt * 1000).toUTCString());
    reply.header('Retry-After', String(Math.max(1, resetAt - Math.floor(nowMs / 1000))));
    throw new Throttled(text);
  }
}
