import type { AuditEventName } from '../../../audit/names.audit.ts';
import { user as onUser, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError, conflict, forbidden } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { User, UserState } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

/** Upper bound of the configured number of days. */
export const MAX_DORMANT_DAYS = 36_500;

interface StateChange {
  name: AuditEventName;
  message: string;
}

function change(
  deps: Deps,
  user: User,
  from: readonly UserState[],
  to: UserState,
  stateChange: StateChange,
): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    if (to !== 'active') {
      await lockAdministrators(db);
      const now = await db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirst();
      if (now !== undefined && from.includes(now.state) && (await isLastAdministrator(db, now))) {
        throw forbidden('The last administrator has to stay active. Appoint another administrator first.');
      }
    }
    const result = await db
      .updateTable('users')
      .set({ state: to, updated_at: timestamp(deps.clock) })
      .where('id', '=', user.id)
      .where('state', 'in', from)
      .executeTakeFirst();
    const changed = result.numUpdatedRows > 0n;
    if (changed) await recordAudit(deps, db, { ...stateChange, entity: onUser(user.id) });
    if (changed && (to === 'blocked' || to === 'banned')) await deps.lifecycle.userBlocked.run(db, user.id);
    return changed;
  });
}

const refuseInternal = (user: User, verb: string): void => {
  if (user.kind === 'ghost') throw forbidden(`An internal user cannot be ${verb}`);
};

const isBlocked = ({ state }: User): boolean => state !== 'active' && state !== 'deactivated';

/** Blocks a user. @returns null if already blocked @throws ApiError 403 for the caller and for internal users */
export async function blockUser(deps: Deps, actor: User, user: User): Promise<true | null> {
  if (user.state === 'ldap_blocked') throw forbidden('LDAP blocked users cannot be modified by the API');
  if (user.id === actor.id) throw forbidden('The API initiating user cannot be blocked by the API');
  refuseInternal(user, 'blocked');
  return (
    (await change(deps, user, ['active', 'deactivated', 'blocked_pending_approval'], 'blocked', {
      name: 'user_blocked',
      message: 'User blocked',
    })) || null
  );
}

/** Unblocks a user. @returns false if the user is not blocked @throws ApiError 403 */
export async function unblockUser(deps: Deps, user: User): Promise<boolean> {
  if (user.state === 'ldap_blocked') throw forbidden('LDAP blocked users cannot be unblocked by the API');
  if (user.state === 'deactivated') throw forbidden('Deactivated users cannot be unblocked by the API');
  return change(deps, user, ['blocked', 'blocked_pending_approval'], 'active', {
    name: 'unblock_user',
    message: 'User unblocked',
  });
}

/** Activates a deactivated user; no effect on active ones. @throws ApiError 403 for blocked users */
export async function activateUser(deps: Deps, user: User): Promise<true> {
  if (isBlocked(user)) throw forbidden('A blocked user must be unblocked to be activated');
  await change(deps, user, ['deactivated'], 'active', { name: 'user_activate', message: 'User activated' });
  return true;
}

/**
 * Deactivates a user without activity in the configured period.
 * @throws ApiError 403 for recently active, blocked and internal users
 */
export async function deactivateUser(deps: Deps, user: User): Promise<true> {
  if (user.state === 'deactivated') return true;
  if (isBlocked(user)) throw forbidden('A blocked user cannot be deactivated by the API');
  if (user.kind === 'ghost') throw forbidden('An internal user cannot be deactivated by the API');
  const { deactivate_dormant_users_period: period } = await applicationSettings(deps);
  const days = Math.min(period, MAX_DORMANT_DAYS);
  const limit = new Date(deps.clock.now().getTime() - days * 86_400_000).toISOString();
  const isRecent = (seen: string | null) => seen !== null && seen > limit.slice(0, seen.length);
  if (isRecent(user.last_activity_on) || isRecent(user.current_sign_in_at)) {
    throw forbidden(
      `The user you are trying to deactivate has been active in the past ${period} days and cannot be deactivated`,
    );
  }
  await change(deps, user, ['active'], 'deactivated', { name: 'user_deactivate', message: 'User deactivated' });
  return true;
}

/** Bans a user. @throws ApiError 403 for users who are not active, for the caller and for internal users */
export async function banUser(deps: Deps, actor: User, user: User): Promise<true> {
  if (user.id === actor.id) throw forbidden('The API initiating user cannot be banned by the API');
  refuseInternal(user, 'banned');
  if (!(await change(deps, user, ['active'], 'banned', { name: 'ban_user', message: 'User banned' })))
    throw notInState('ban', user);
  return true;
}

/** Unbans a user. @throws ApiError 403 for users who are not banned */
export async function unbanUser(deps: Deps, user: User): Promise<true> {
  if (!(await change(deps, user, ['banned'], 'active', { name: 'unban_user', message: 'User unbanned' })))
    throw notInState('unban', user);
  return true;
}

const notInState = (verb: string, { state }: User) => new ApiError(403, `You cannot ${verb} ${state} users.`);

/** Approves a pending user. @throws ApiError 409 if the user is not pending */
export async function approveUser(deps: Deps, user: User): Promise<{ message: string }> {
  if (
    !(await change(deps, user, ['blocked_pending_approval'], 'active', {
      name: 'user_approved',
      message: 'Instance access request approved',
    }))
  ) {
    throw conflict('The user you are trying to approve is not pending approval');
  }
  return { message: 'Success' };
}

/** Locks the administrators, so that two of them cannot remove each other. @param db handle of a transaction */
export async function lockAdministrators(db: Db): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({ admin: eb.ref('admin') }))
    .where('admin', '=', 1)
    .execute();
}

/** Whether the user is the only active administrator. */
export async function isLastAdministrator(db: Db, user: User): Promise<boolean> {
  if (user.admin === 0) return false;
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', 1)
    .where('state', '=', 'active')
    .where('id', '!=', user.id)
    .executeTakeFirst();
  return other === undefined;
}
