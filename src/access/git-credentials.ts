import { ApiError, unauthorized } from '../core/errors.ts';
import { addressKey } from '../core/fair-slots.ts';
import { tokenDigest } from '../core/secrets.ts';
import { parseJson } from '../db/columns.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './caller.ts';
import { userOfPassword } from './sign-in.ts';
import { callerOfToken, checkUserState } from './token-caller.ts';

/**
 * Who a user name and password stand for in git over HTTP and its like (part 1, section 5): any name with a personal,
 * project, group or OAuth token as password; the name of a deploy token with the token; or a user with the password.
 * A password limits its user by no scopes.
 * @param address of the client, kept with the token's use
 * @throws ApiError 401 when they stand for nobody, 403 for a user who may not sign in, 429 after too many failures
 */
export async function callerOfBasic(deps: Deps, username: string, password: string, address: string): Promise<Caller> {
  if (password === '') throw unauthorized();
  const byToken = await ofToken(deps, password, address);
  if (byToken !== undefined) return byToken;
  const byDeployToken = await ofDeployToken(deps, username, password);
  if (byDeployToken !== undefined) return byDeployToken;
  const user = await userOfPassword(deps, username, password, addressKey(address));
  if (user === undefined) throw unauthorized();
  checkUserState(user);
  return { user, admin: user.admin === 1, scopes: null, credential: { kind: 'password' }, sudoBy: null };
}

/** Undefined for what is no token; a token that is not good any more still refuses. */
async function ofToken(deps: Deps, token: string, address: string): Promise<Caller | undefined> {
  try {
    return await callerOfToken(deps, token, address);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && error.body.error === undefined) return undefined;
    throw error;
  }
}

async function ofDeployToken({ db, clock }: Deps, username: string, password: string): Promise<Caller | undefined> {
  const token = await db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where('digest', '=', tokenDigest(password))
    .where('revoked', '=', 0)
    .executeTakeFirst();
  if (token === undefined || token.username !== username) return undefined;
  if (token.expires_at !== null && token.expires_at <= clock.now().toISOString()) return undefined;
  const scopes = parseJson<string[]>(token.scopes);
  return { user: null, admin: false, scopes, credential: { kind: 'deploy_token', token }, sudoBy: null };
}
