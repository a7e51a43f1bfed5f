import { forbidden } from '../core/core.errors.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import { addressKey } from '../core/fair-slots.ts';
import { parseJson } from '../db/columns.ts';
import type { Deps } from '../deps.ts';
import { requiresSecondFactor, userOfPassword } from './access.sign-in.ts';
import type { Caller } from './caller.ts';
import { checkUserState } from './token-caller.ts';

/**
 * Authenticates a username and password or token (part 1, section 5). A password has no scopes.
 * @param address address of the client, for which failures are counted
 * @throws ApiError 403 for a user who may not sign in, or not with a password alone; 429 after too many failures
 */
export async function callerOfPassword(
  deps: Deps,
  username: string,
  password: string,
  address: string,
): Promise<Caller | undefined> {
  if (!deps.settings.now.password_authentication_enabled_for_git) return undefined;
  const user = await userOfPassword(deps, username, password, { share: addressKey(address), address });
  if (user === undefined) return undefined;
  checkUserState(user);
  if (requiresSecondFactor(deps, user)) {
    throw forbidden('Two-factor authentication is required for administrators. Use a personal access token instead.');
  }
  return { user, admin: user.admin === 1, scopes: null, credential: { kind: 'password' }, sudoBy: null };
}

/**
 * Finds the deploy token of a secret.
 * @param username username that the token must have; null if none was sent
 */
export async function callerOfDeployToken(
  { db, clock }: Deps,
  username: string | null,
  secret: string,
): Promise<Caller | undefined> {
  const token = await db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where('digest', '=', tokenDigest(secret))
    .where('revoked', '=', 0)
    .executeTakeFirst();
  if (token === undefined || (username !== null && token.username !== username)) return undefined;
  if (token.expires_at !== null && token.expires_at <= clock.now().toISOString()) return undefined;
  const scopes = parseJson<string[]>(token.scopes);
  return { user: null, admin: false, scopes, credential: { kind: 'deploy_token', token }, sudoBy: null };
}
