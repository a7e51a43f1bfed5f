import { today } from '../core/clock.ts';
import { unauthorized } from '../core/core.errors.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import type { Caller, Credential } from './caller.ts';
import { isCertificateValid } from './certificate-caller.ts';
import { userOfId } from './find-by-id.ts';
import { flagsClientExists } from './flags-client-caller.ts';
import { isJobRunning } from './job-token-caller.ts';
import { isDeployKeyValid, isSshKeyValid } from './key-caller.ts';
import { arePersonalTokensOff } from './personal-tokens.ts';
import { runnerExists } from './runner-caller.ts';
import { checkUserState } from './token-caller.ts';

/**
 * Checks the caller again after a wait: blocked users and revoked tokens are refused.
 * @throws ApiError 401, 403
 */
export async function revalidateCaller<C extends Caller>(deps: Deps, caller: C): Promise<C> {
  const { user, sudoBy, credential } = caller;
  if (!(await isValid(deps, caller))) throw unauthorized();
  const signedIn = sudoBy ?? user;
  if (user === null || signedIn === null) return caller;
  const holder = await activeUser(deps, signedIn, credential);
  if (sudoBy === null) return { ...caller, user: holder, admin: caller.admin && holder.admin === 1 };
  if (holder.admin === 0) throw unauthorized();
  const now = await activeUser(deps, user);
  return { ...caller, user: now, admin: caller.admin && now.admin === 1 };
}

/** The user of a token, if the token is still valid. */
const holderOfToken = cachedUntilWrite((db, { id, token, day }: { id: number; token: number; day: string }) =>
  db
    .selectFrom('users')
    .selectAll('users')
    .where('users.id', '=', id)
    .innerJoin('access_tokens', 'access_tokens.user_id', 'users.id')
    .where('access_tokens.id', '=', token)
    .where('revoked', '=', 0)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)])),
);

/** @param credential an access token that must still be valid, which the same query checks */
async function activeUser(deps: Deps, { id }: User, credential?: Credential): Promise<User> {
  const { db, clock } = deps;
  const [user] = await (credential?.kind === 'access_token'
    ? holderOfToken(db, { id, token: credential.token.id, day: today(clock) })
    : userOfId(db, { id }));
  if (user === undefined) throw unauthorized();
  if (credential?.kind === 'access_token' && arePersonalTokensOff(deps, user, credential.token)) throw unauthorized();
  checkUserState(user);
  return user;
}

/** Whether a credential is still valid; access tokens are checked together with their user. */
async function isValid(deps: Deps, { credential, user }: Caller): Promise<boolean> {
  const { db, clock } = deps;
  switch (credential.kind) {
    case 'oauth': {
      const row = await db
        .selectFrom('oauth_tokens')
        .select('revoked_at')
        .where('id', '=', credential.tokenId)
        .executeTakeFirst();
      return row !== undefined && row.revoked_at === null;
    }
    case 'deploy_token': {
      const row = await db
        .selectFrom('deploy_tokens')
        .select(['revoked', 'expires_at'])
        .where('id', '=', credential.token.id)
        .executeTakeFirst();
      return row?.revoked === 0 && (row.expires_at === null || row.expires_at > clock.now().toISOString());
    }
    case 'job_token':
      return isJobRunning(deps, credential.jobId);
    case 'runner':
      return runnerExists(deps, credential.runner);
    case 'ssh_key':
      return isSshKeyValid(deps, credential.keyId);
    case 'deploy_key':
      return isDeployKeyValid(deps, credential.key.id);
    case 'ssh_certificate':
      return user !== null && isCertificateValid(deps, credential, user.id);
    case 'flags_client':
      return flagsClientExists(deps, credential.client);
    case 'access_token':
    case 'password':
    case 'none':
      return true;
  }
}
