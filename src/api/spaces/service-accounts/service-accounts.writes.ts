import { projectMembership } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { covers, type EffectiveMembership } from '../../../access/role-permissions.ts';
import { user as onUser, recordAudit } from '../../../audit/record.audit.ts';
import { today } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel, notFound } from '../../../core/core.errors.ts';
import { randomText } from '../../../core/core.secrets.ts';
import { userFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { isPathTaken } from '../../../db/namespace-tree.ts';
import type { AccessToken } from '../../../db/tables/access-tokens.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { attributeErrors, createAccount, isEmailTaken, isUsernameTaken, updateUser } from '../../identity/index.ts';
import type { Source } from '../spaces.source.ts';
import type { Attributes } from './service-accounts.inputs.ts';

/** Owner of service accounts: the instance (null), a group or a project. */
export type ServiceAccountOwner = null | Source;

/** Query for the service accounts of an owner, in no order. */
export function accountsOf(db: Db, owner: ServiceAccountOwner) {
  const accounts = db.selectFrom('users').selectAll().where('kind', '=', 'service_account');
  if (owner === null) {
    return accounts.where('provisioned_by_group_id', 'is', null).where('provisioned_by_project_id', 'is', null);
  }
  return accounts.where(`provisioned_by_${owner.kind}_id`, '=', owner.id);
}

/** @throws ApiError 404 */
export async function findAccount(db: Db, owner: ServiceAccountOwner, id: number): Promise<User> {
  const user = await accountsOf(db, owner).where('id', '=', id).executeTakeFirst();
  if (user === undefined) throw notFound('User');
  return user;
}

const usernameFor = (owner: ServiceAccountOwner): string => {
  const infix = owner === null ? '' : `_${owner.kind}_${owner.id}`;
  return `service_account${infix}_${randomText(32).toLowerCase()}`;
};

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/**
 * Creates a service account. Those of groups and projects cannot create groups and projects, and an email address
 * counts as unconfirmed unless an administrator sets it.
 * @throws ApiError 400
 */
export async function createServiceAccount(
  deps: Deps,
  caller: UserCaller,
  owner: ServiceAccountOwner,
  input: Attributes,
): Promise<User> {
  const username = input.username || usernameFor(owner);
  const name = input.name || 'Service account user';
  const email = input.email || `${username}@noreply.${new URL(deps.externalUrl()).hostname}`;
  refuse(attributeErrors({ username, name, ...(input.email ? { email } : {}) }));
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
        confirmed: caller.admin || !input.email,
        columns:
          owner === null
            ? {}
            : { [`provisioned_by_${owner.kind}_id`]: owner.id, can_create_group: 0, projects_limit: 0 },
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

/** Updates the given attributes. @throws ApiError 400, 403, 404, 409 */
export async function updateServiceAccount(deps: Deps, scope: Manager, user: User, input: Attributes): Promise<User> {
  await requireManageable(deps, scope, user);
  const { manager } = scope;
  return updateUser(deps, manager, user.id, input, { confirmed: manager.admin });
}

/** Actor and owner of service accounts. */
export interface Manager {
  owner: ServiceAccountOwner;
  manager: UserCaller;
  /** Membership of the actor. */
  standing: EffectiveMembership;
}

/**
 * Refuses accounts with more rights than the actor: administrators, and accounts with a higher level or further
 * permissions in the project.
 * @throws ApiError 403
 */
export async function requireManageable(
  deps: Deps,
  { owner, manager, standing: scope }: Manager,
  user: User,
): Promise<void> {
  if (manager.admin) return;
  if (user.admin === 1) throw forbidden();
  if (owner?.kind !== 'project') return;
  const its = await projectMembership(deps.db, owner.project, owner.namespace, user.id, today(deps.clock));
  if (!covers(scope, its, 'project')) throw forbidden();
}

/** Returns a personal access token of an account. @throws ApiError 404 */
export async function tokenOf(db: Db, user: User, id: number): Promise<AccessToken> {
  return db
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('impersonation', '=', 0)
    .executeTakeFirstOrThrow(() => notFound('Personal Access Token'));
}
