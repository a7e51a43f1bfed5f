import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signer } from '../../access/signer.ts';
import { randomText } from '../../core/core.secrets.ts';
import type { Deps } from '../../deps.ts';
import { readCookie, setCookie } from '../../http/session-cookie.ts';

/** Name of the field. */
export const TOKEN_FIELD = 'authenticity_token';

const tokenOf = async (deps: Deps, secret: string): Promise<string> =>
  (await signer(deps))(`web-form:${secret}`).toString('base64url');

/**
 * The token for forms of a browser: made of the cookie of its session, or of one for visitors, which it gets here.
 */
export async function formTokenFor(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const secret = readCookie(request, 'session') ?? readCookie(request, 'visitor') ?? giveVisitorCookie(deps, reply);
  return tokenOf(deps, secret);
}

function giveVisitorCookie(deps: Deps, reply: FastifyReply): string {
  const secret = randomText(40);
  setCookie(deps, reply, 'visitor', secret);
  return secret;
}

/** Whether a form was sent by a page of this server: it has the token of the browser, and comes from the same origin. */
export async function isOwnForm(deps: Deps, request: FastifyRequest, sent: string): Promise<boolean> {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin !== undefined && !isSameOrigin(deps, request, origin)) return false;
  for (const name of ['session', 'visitor'] as const) {
    const secret = readCookie(request, name);
    if (secret !== null && isSame(sent, await tokenOf(deps, secret))) return true;
  }
  return false;
}

function isSameOrigin(deps: Deps, { headers }: FastifyRequest, origin: string): boolean {
  if (origin === new URL(deps.externalUrl()).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
