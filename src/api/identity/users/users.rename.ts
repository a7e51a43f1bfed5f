import { timestamp } from '../../../core/clock.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import { userFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower, equalsIgnoringCase, startsWith } from '../../../db/like.ts';
import { isPathTaken, lockTrees } from '../../../db/namespace-tree.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';

/**
 * Renames the personal namespace of a user and updates the paths of its projects. Old paths redirect to the new ones.
 * Takes the handle of the transaction that changes the user.
 * @throws ApiError 400 if a group has the path
 */
export async function renameNamespace(
  deps: Deps,
  db: Db,
  user: User,
  next: { username: string; name: string },
  actorId: number,
): Promise<void> {
  const personalNamespace = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('owner_id', '=', user.id)
    .executeTakeFirst();
  if (personalNamespace === undefined || (next.username === user.username && next.name === user.name)) return;
  const [namespace] = await lockTrees(db, [personalNamespace]);
  if (await isPathTaken(db, next.username, { namespaceId: personalNamespace.id })) {
    throw invalidModel({ username: ['has already been taken'] });
  }
  await db
    .updateTable('namespaces')
    .set({ name: next.name, path: next.username, full_path: next.username, updated_at: timestamp(deps.clock) })
    .where('id', '=', personalNamespace.id)
    .execute();
  if (next.username === user.username) return;
  const projects = await db
    .selectFrom('projects')
    .select(['id', 'path', 'full_path'])
    .where('namespace_id', '=', personalNamespace.id)
    .execute();
  // Redirects from a path that is in use again are obsolete.
  await db
    .deleteFrom('redirect_routes')
    .where((eb) => startsWith(eb, eb.fn<string>('lower', ['path']), `${asciiLower(next.username)}/`))
    .execute();
  for (const { id, path, full_path } of projects) {
    await db
      .updateTable('projects')
      .set({ full_path: `${next.username}/${path}` })
      .where('id', '=', id)
      .execute();
    if (asciiLower(next.username) === asciiLower(user.username)) continue;
    await db
      .deleteFrom('redirect_routes')
      .where((eb) => equalsIgnoringCase(eb.ref('path'), full_path))
      .execute();
    await db.insertInto('redirect_routes').values({ path: full_path, source_type: 'project', source_id: id }).execute();
    const payload = { project_id: id, old_full_path: full_path };
    await deps.events.record(db, 'project.renamed', payload, { projectId: id, actorId });
  }
  const old = namespace!.path;
  const facts = { ...userFacts(user), username: next.username, name: next.name };
  await deps.events.record(db, 'user.renamed', { user: facts, user_id: user.id, old_username: old }, { actorId });
}
