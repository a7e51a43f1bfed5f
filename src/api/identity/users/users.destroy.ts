import { recordAudit } from '../../../audit/record.audit.ts';
import { conflict, forbidden } from '../../../core/core.errors.ts';
import { userFacts } from '../../../core/event-facts.ts';
import { removeBelongings } from '../../../db/db.removal.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userById } from './users.find.ts';
import { reassignToGhost } from './users.ghost.ts';
import { isLastAdministrator, lockAdministrators } from './users.state.ts';

/**
 * Deletes a user with their personal projects and snippets. Other contributions pass to the ghost user.
 * @param hard also deletes their issues, merge requests and comments, and the groups that have no other owner
 * @param refuse called with the user inside the transaction; may throw
 * @throws ApiError 403 for internal users, 404, 409 for the only owner of a group (unless `hard`) and the last
 *   administrator
 */
export async function destroyUser(
  deps: Deps,
  actor: User,
  unlockedUser: User,
  hard: boolean,
  refuse: (now: User) => void = () => {},
): Promise<void> {
  if (unlockedUser.kind === 'ghost') throw forbidden('An internal user cannot be deleted');
  await refuseLastAdministrator(deps.db, unlockedUser);
  const removal = { hard, actorId: actor.id };
  await deps.lifecycle.userRemovalAsked.run(unlockedUser, removal);
  await deps.db.transaction().execute(async (db) => {
    await lockAdministrators(db);
    await lockRow(db, 'users', unlockedUser.id);
    const user = await userById(db, unlockedUser.id);
    refuse(user);
    await refuseLastAdministrator(db, user);
    await deps.lifecycle.userRemoved.run(db, user, removal);
    await removeBelongings(db, 'user', [user.id]);
    await reassignToGhost(db, deps.clock, user.id);
    await db.deleteFrom('users').where('id', '=', user.id).execute();
    const { id, username, email, name } = user;
    const entity = { type: 'User', id, path: username, name } as const;
    await recordAudit(deps, db, {
      name: 'user_destroyed',
      entity,
      message: 'User destroyed',
      more: { remove: 'user' },
    });
    const payload = { user_id: id, username, email, name, user: userFacts(user) };
    await deps.events.record(db, 'user.destroyed', payload, { actorId: actor.id });
  });
}

async function refuseLastAdministrator(db: Db, user: User): Promise<void> {
  if (await isLastAdministrator(db, user))
    throw conflict('The last administrator cannot be deleted. Appoint another administrator first.');
}
