import { recordAudit } from '../../../audit/record.ts';
import { conflict, forbidden } from '../../../core/errors.ts';
import { removeBelongings } from '../../../db/removal.ts';
import type { Db } from '../../../db/schema.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { handToGhost } from './ghost.ts';
import { isLastAdministrator, lockAdministrators } from './state.ts';

/**
 * Deletes a user with the personal projects and snippets. What he wrote elsewhere stays, in the name of the ghost user.
 * @param hard also deletes what he wrote, and the groups that have no other owner
 * @throws ApiError 403 for internal users, 409 for the only owner of a group (unless `hard`) and the last administrator
 */
export async function destroyUser(deps: Deps, actor: User, user: User, hard: boolean): Promise<void> {
  if (user.kind === 'ghost') throw forbidden('An internal user cannot be deleted');
  await refuseLastAdministrator(deps.db, user);
  const removal = { hard, actorId: actor.id };
  await deps.lifecycle.userRemovalAsked.run(user, removal);
  await deps.db.transaction().execute(async (db) => {
    if (user.admin === 1) await lockAdministrators(db);
    await refuseLastAdministrator(db, user);
    await deps.lifecycle.userRemoved.run(db, user, removal);
    await removeBelongings(db, 'user', [user.id]);
    await handToGhost(db, deps.clock, user.id);
    await db.deleteFrom('users').where('id', '=', user.id).execute();
    const { id, username, email, name } = user;
    const entity = { type: 'User', id, path: username, name } as const;
    await recordAudit(deps, db, {
      name: 'user_destroyed',
      entity,
      message: 'User destroyed',
      more: { remove: 'user' },
    });
    await deps.events.record(db, 'user.destroyed', { user_id: id, username, email, name }, { actorId: actor.id });
  });
}

async function refuseLastAdministrator(db: Db, user: User): Promise<void> {
  if (await isLastAdministrator(db, user)) throw conflict('The last administrator cannot be deleted');
}
