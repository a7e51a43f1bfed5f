import type { UserCaller } from '../../../access/caller.ts';
import { projectMembership } from '../../../access/membership.ts';
import { covers, type MemberStanding } from '../../../access/role-permissions.ts';
import { user as onUser, recordAudit } from '../../../audit/record.ts';
import { today } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel, notFound } from '../../../core/errors.ts';
import { userFacts } from '../../../core/event-facts.ts';
import { randomText } from '../../../core/secrets.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { isPathTaken } from '../../../db/namespace-tree.ts';
import type { Db } from '../../../db/schema.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { attributeErrors, createAccount, isEmailTaken, isUsernameTaken, updateUser } from '../../identity/index.ts';
import type { Source } from '../source.ts';
import type { Attributes } from './inputs.ts';

/** Whose service accounts: those of the whole server, of a group, or of a project. */
export type Home = null | Source;

/** The service accounts of one home, in no order. */
export function accountsOf(db: Db, home: Home) {
  const accounts = db.selectFrom('users').selectAll().where('kind', '=', 'service_account');
  if (home === null) {
    return accounts.where('provisioned_by_group_id', 'is', null).where('provisioned_by_project_id', 'is', null);
  }
  return accounts.where(`provisioned_by_${home.kind}_id`, '=', home.id);
}

/** @throws ApiError 404 */
export async function findAccount(db: Db, home: Home, id: number): Promise<User> {
  const user = await accountsOf(db, home).where('id', '=', id).executeTakeFirst();
  if (user === undefined) throw notFound('User');
  return user;
}

const usernameFor = (home: Home): string => {
  const place = home === null ? '' : `_${home.kind}_${home.id}`;
  return `service_account${place}_${randomText(32).toLowerCase()}`;
};

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/**
 * Makes an account for a program. Those of groups and projects make no groups and projects of their own, and an address
 * that anyone but an administrator gives them counts as unconfirmed.
 * @throws ApiError 400
 */
export async function createServiceAccount(
  deps: Deps,
  caller: UserCaller,
  home: Home,
  given: Attributes,
): Promise<User> {
  const username = given.username || usernameFor(home);
  const name = given.name || 'Service account user';
  const email = given.email || `${username}@noreply.${new URL(deps.externalUrl()).hostname}`;
  refuse(attributeErrors({ username, name, ...(given.email ? { email } : {}) }));
  try {
    return await deps.db.transaction().execute(async (db) => {
      refuse({
        ...((await isEmailTaken(db, email)) ? { email: ['has already been taken'] } : {}),
        ...((await isPathTaken(db, username)) || (await isUsernameTaken(db, username))
          ? { username: ['has already been taken'] }
          : {}),
      });
      const created = await createAccount(db, deps.clock, {
        username,
        name,
        email,
        kind: 'service_account',
        createdById: caller.user.id,
        confirmed: caller.admin || !given.email,
        columns:
          home === null ? {} : { [`provisioned_by_${home.kind}_id`]: home.id, can_create_group: 0, projects_limit: 0 },
      });
      const payload = { user_id: created.id, user: userFacts(created) };
      await deps.events.record(db, 'user.created', payload, { actorId: caller.user.id });
      await recordAudit(deps, db, {
        name: 'user_created',
        entity: onUser(created.id),
        message: 'Service account created',
      });
      return created;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ username: ['has already been taken'] });
    throw error;
  }
}

/** Changes what is given. @throws ApiError 400, 403, 404, 409 */
export async function updateServiceAccount(deps: Deps, scope: Manager, user: User, given: Attributes): Promise<User> {
  await requireManageable(deps, scope, user);
  const { manager } = scope;
  return updateUser(deps, manager, user.id, given, { confirmed: manager.admin });
}

/** Who manages the accounts of a home. */
export interface Manager {
  home: Home;
  manager: UserCaller;
  /** What the manager is there. */
  standing: MemberStanding;
}

/**
 * Nobody acts through an account that may do more than themselves: one that was made an administrator, or that has a higher
 * level or further permissions in the project.
 * @throws ApiError 403
 */
export async function requireManageable(deps: Deps, { home, manager, standing }: Manager, user: User): Promise<void> {
  if (manager.admin) return;
  if (user.admin === 1) throw forbidden();
  if (home?.kind !== 'project') return;
  const its = await projectMembership(deps.db, home.project, home.namespace, user.id, today(deps.clock));
  if (!covers(standing, its, 'project')) throw forbidden();
}

/** A personal access token of an account. @throws ApiError 404 */
export async function tokenOf(db: Db, user: User, id: number): Promise<AccessToken> {
  const token = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('impersonation', '=', 0)
    .executeTakeFirst();
  if (token === undefined) throw notFound('Personal Access Token');
  return token;
}
