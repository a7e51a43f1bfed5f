import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { notFound } from '../core/core.errors.ts';

/** Origin of a request. */
export interface Origin {
  userAgent: string | null;
  address: string;
}

const MAX_USER_AGENT = 1_000;

/** Returns the origin of a request, for storage. */
export const originOf = ({ headers, ip }: FastifyRequest): Origin => ({
  userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  address: ip,
});

/** User agent details of an object, for administrators. */
export const UserAgentDetail = Type.Object({
  user_agent: Type.String({ description: 'User agent string.' }),
  ip_address: Type.String(),
  akismet_submitted: Type.Boolean({ description: 'Always false: nothing is submitted to a spam check service.' }),
});

/** Renders a stored origin. @throws ApiError 404 if none was stored */
export function presentUserAgent(stored: {
  user_agent: string | null;
  ip_address: string | null;
}): Static<typeof UserAgentDetail> {
  const { user_agent, ip_address } = stored;
  if (user_agent === null || ip_address === null) throw notFound('UserAgentDetail');
  return { user_agent, ip_address, akismet_submitted: false };
}

/** Stored if the origin is unknown. */
export const UNKNOWN_ORIGIN = { user_agent: null, ip_address: null };
