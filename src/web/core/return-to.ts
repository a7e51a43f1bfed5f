import type { PageContext } from './page.ts';

const MAX = 2_000;

/**
 * A path of this server that somebody was going to; `/` for anything else: nobody is led to another server.
 * @param sent as it came with a request
 */
export function ownPath(sent: string | undefined): string {
  if (sent === undefined || sent.length > MAX || !/^\/(?![/\\])/.test(sent) || /[\\\p{Cc}]/u.test(sent)) return '/';
  const { origin, pathname, search, hash } = new URL(sent, 'http://own.invalid');
  return origin === 'http://own.invalid' && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}

/** The sign-in, which leads back to the page of the request. */
export function signInPath({ request }: Pick<PageContext, 'request'>): string {
  const target = request.method === 'GET' ? ownPath(request.originalUrl) : '/';
  return target === '/' ? '/users/sign_in' : `/users/sign_in?return_to=${encodeURIComponent(target)}`;
}
