import { recordProjectChanges } from '../../../audit/projects.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import { lockTrees } from '../../../db/namespace-tree.ts';
import type { Deps } from '../../../deps.ts';
import { refuseTakenName } from './projects.create.ts';
import { lockProject } from './projects.destroy.ts';

/**
 * Gives a project that was kept under a temporary path its final name and path in its namespace; the temporary path
 * does not redirect.
 * @throws ApiError 400 if another project has them
 */
export async function claimPath(
  deps: Deps,
  id: number,
  { name, path }: { name: string; path: string },
  actorId: number,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const current = await db
      .selectFrom('projects')
      .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
      .selectAll('namespaces')
      .where('projects.id', '=', id)
      .executeTakeFirst();
    if (current === undefined) return;
    const [namespace] = await lockTrees(db, [current]);
    const before = await lockProject(db, id);
    if (before === undefined || before.namespace_id !== namespace!.id) return;
    const full_path = `${namespace!.full_path}/${path}`;
    await refuseTakenName(db, { namespaceId: namespace!.id, name, fullPath: full_path, projectId: id });
    const changed = await db
      .updateTable('projects')
      .set({ name, path, full_path, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordProjectChanges(deps, db, before, changed);
    const about = { projectId: id, actorId };
    const project = projectFacts(changed);
    const renamed = { project_id: id, old_full_path: before.full_path, project };
    await deps.events.record(db, 'project.renamed', renamed, about);
    await deps.events.record(db, 'project.updated', { project_id: id, project, renamed: true }, about);
  });
}
