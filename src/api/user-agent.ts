import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { notFound } from '../core/core.errors.ts';

/** Where a request came from. */
export interface Origin {
  userAgent: string | null;
  address: string;
}

const MAX_USER_AGENT = 1_000;

/** Where the request came from, as it is kept for administrators. */
export const originOf = ({ headers, ip }: FastifyRequest): Origin => ({
  userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  address: ip,
});

/** What is known of who made something, for administrators. */
export const UserAgentDetail = Type.Object({
  user_agent: Type.String({ description: 'The program, as it named itself.' }),
  ip_address: Type.String(),
  akismet_submitted: Type.Boolean({ description: 'Always false: nothing is sent to a service against spam.' }),
});

/** What was kept of a request as JSON. @throws ApiError 404 where nothing was */
export function presentUserAgent(stored: {
  user_agent: string | null;
  ip_address: string | null;
}): Static<typeof UserAgentDetail> {
  const { user_agent, ip_address } = stored;
  if (user_agent === null || ip_address === null) throw notFound('UserAgentDetail');
  return { user_agent, ip_address, akismet_submitted: false };
}

/** What is kept where nothing is known. */
export const UNKNOWN_ORIGIN = { user_agent: null, ip_address: null };
