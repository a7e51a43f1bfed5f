import { requiresSecondFactor, userOfPassword } from '../../access/access.sign-in.ts';
import { callerOfToken } from '../../access/token-caller.ts';
import { beginSession, endSession } from '../../access/user-sessions.ts';
import { ApiError } from '../../core/core.errors.ts';
import { addressKey } from '../../core/fair-slots.ts';
import type { AccessToken } from '../../db/tables/access-tokens.table.ts';
import type { User } from '../../db/tables/users.table.ts';
import type { Deps } from '../../deps.ts';
import { setCookie } from '../../http/session-cookie.ts';
import type { Page, PageContext, PageRoute } from '../core/page.ts';
import { ownPath } from '../core/return-to.ts';
import { html } from '../core/template.ts';

interface Proven {
  user: User;
  /** Null for a password. */
  token: AccessToken | null;
}

const isSameName = (one: string, other: string): boolean => one !== '' && one.toLowerCase() === other.toLowerCase();

const WRONG = 'The name, the password or the token is wrong.';

function form({ formToken, at }: PageContext, login: string, returnTo: string, problem: string | null): Page {
  const body = html`<h1>Sign in</h1>
${problem === null ? null : html`<p class="notice bad" role="alert">${problem}</p>`}
<form class="stack" method="post" action="${at('/users/sign_in')}">
${formToken}<input type="hidden" name="return_to" value="${returnTo}">
<div><label for="login">Username or email</label>
<input id="login" name="user[login]" value="${login}" autocomplete="username" autocapitalize="none" required></div>
<div><label for="password">Password or personal access token</label>
<input id="password" name="user[password]" type="password" autocomplete="current-password" required></div>
<div><button class="main">Sign in</button></div>
</form>`;
  return { title: 'Sign in', body, status: problem === null ? 200 : 422 };
}

/** Who a login and a password, or a personal access token in its place, belong to. */
async function prove(deps: Deps, login: string, secret: string, ip: string): Promise<Proven | null> {
  const byToken = secret === '' ? null : await tokenOf(deps, secret, ip);
  if (byToken !== null) {
    const { username, email } = byToken.user;
    return isSameName(login, username) || isSameName(login, email ?? '') ? byToken : null;
  }
  const user = await userOfPassword(deps, login, secret, { share: addressKey(ip), address: ip });
  return user === undefined ? null : { user, token: null };
}

async function tokenOf(deps: Deps, secret: string, ip: string): Promise<Proven | null> {
  const caller = await callerOfToken(deps, secret, ip).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  // Bots and service accounts are for programs.
  if (caller?.user?.kind !== 'human' || caller.credential.kind !== 'access_token') return null;
  return caller.scopes?.includes('api') === true ? { user: caller.user, token: caller.credential.token } : null;
}

/** Signing in and out. */
export const signInPages: PageRoute[] = [
  {
    method: 'GET',
    path: '/users/sign_in',
    handle: async (c) => {
      const returnTo = ownPath(c.query('return_to'));
      return c.session === null ? form(c, '', returnTo, null) : { redirect: returnTo };
    },
  },
  {
    method: 'POST',
    path: '/users/sign_in',
    signsIn: true,
    handle: async (c) => {
      const { deps, request, reply } = c;
      const [login, secret] = [c.field('user[login]').trim(), c.field('user[password]')];
      const returnTo = ownPath(c.field('return_to'));
      const proven = await prove(deps, login, secret, request.ip);
      if (proven === null) return form(c, login, returnTo, WRONG);
      const { user, token } = proven;
      if (user.state !== 'active') return form(c, login, returnTo, 'Your account is blocked or waits for approval.');
      if (token === null && requiresSecondFactor(deps, user))
        return form(
          c,
          login,
          returnTo,
          'Administrators need a second factor here: sign in with a personal access token.',
        );
      // Whoever had this browser before is signed out.
      if (c.session !== null) await endSession(deps, c.session.row);
      const origin = { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' };
      setCookie(deps, reply, 'session', await beginSession(deps, user, token, origin));
      return { redirect: returnTo };
    },
  },
  {
    method: 'POST',
    path: '/users/sign_out',
    handle: async ({ deps, session, reply }) => {
      if (session !== null) await endSession(deps, session.row);
      setCookie(deps, reply, 'session', null);
      return { redirect: '/users/sign_in' };
    },
  },
];
