import { today } from '../core/clock.ts';
import { unauthorized } from '../core/errors.ts';
import type { User } from '../db/tables/users.ts';
import type { Deps } from '../deps.ts';
import type { Caller, Credential } from './caller.ts';
import { checkUserState } from './token-caller.ts';

/**
 * The caller as he stands now, for what is done after a wait: blocked users and revoked tokens do nothing any more.
 * @throws ApiError 401, 403
 */
export async function callerNow<C extends Caller>(deps: Deps, caller: C): Promise<C> {
  if (!(await isValid(deps, caller.credential))) throw unauthorized();
  const { user, sudoBy } = caller;
  if (sudoBy !== null && (await activeUser(deps, sudoBy)).admin === 0) throw unauthorized();
  if (user === null) return caller;
  const now = await activeUser(deps, user);
  return { ...caller, user: now, admin: caller.admin && now.admin === 1 };
}

async function activeUser({ db }: Deps, { id }: User): Promise<User> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (user === undefined) throw unauthorized();
  checkUserState(user);
  return user;
}

async function isValid({ db, clock }: Deps, credential: Credential): Promise<boolean> {
  switch (credential.kind) {
    case 'access_token': {
      const row = await db
        .selectFrom('access_tokens')
        .select(['revoked', 'expires_at'])
        .where('id', '=', credential.token.id)
        .executeTakeFirst();
      return row?.revoked === 0 && (row.expires_at === null || row.expires_at > today(clock));
    }
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
    default:
      return true;
  }
}
