import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';

/** Name of the cookie of a session. */
export const SESSION_COOKIE = 'stithy_session';
/** Cookie of a session, and of a browser that has none yet: forms need it. */
const NAMES = { session: SESSION_COOKIE, visitor: 'stithy_visitor' } as const;
type Name = keyof typeof NAMES;

const SECRET = /^[A-Za-z0-9]{40}$/;

/** Whether browsers reach the server by TLS. */
const isSecure = (deps: Deps): boolean => deps.externalUrl().startsWith('https:');

/** Path of all addresses of this server: it may be below another one. */
const pathOf = (deps: Deps): string => new URL(`${deps.externalUrl()}/`).pathname;

/** The secret in a cookie; null if the browser sends none. */
export function readCookie({ headers }: FastifyRequest, name: Name): string | null {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [key, value = ''] = part.trim().split('=', 2);
    if (key === NAMES[name] && SECRET.test(value)) return value;
  }
  return null;
}

/** Gives the browser a cookie until it is closed; null takes it away. */
export function setCookie(deps: Deps, reply: FastifyReply, name: Name, secret: string | null): void {
  const parts = [
    `${NAMES[name]}=${secret ?? ''}`,
    `Path=${pathOf(deps)}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(deps) ? ['Secure'] : []),
    ...(secret === null ? ['Max-Age=0'] : []),
  ];
  const before = reply.getHeader('set-cookie');
  const all = [...(before === undefined ? [] : [before].flat().map(String)), parts.join('; ')];
  reply.header('set-cookie', all);
}
