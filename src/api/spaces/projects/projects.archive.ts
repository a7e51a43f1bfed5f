import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { recordProject } from '../../../audit/projects.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound } from '../../../core/core.errors.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import { bit } from '../../../db/columns.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';

/** Archives a project, which makes it read-only, or unarchives it. @throws ApiError 401, 403, 404 */
export async function setArchived(
  deps: Deps,
  caller: UserCaller,
  project: Project,
  archived: boolean,
): Promise<Project> {
  return deps.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('projects')
      .set({ archived: bit(archived), updated_at: timestamp(deps.clock) })
      .where('id', '=', project.id)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound('Project'));
    await revalidateProjectAbility(deps, db, caller, project.id, 'archive_project');
    if ((project.archived === 1) !== archived) {
      const event = archived
        ? ({ name: 'project_archived', message: 'Project archived' } as const)
        : ({ name: 'project_unarchived', message: 'Project unarchived' } as const);
      await recordProject(deps, db, project.id, event);
    }
    const about = { projectId: project.id, actorId: caller.user.id };
    await deps.events.record(db, 'project.updated', { project_id: project.id, project: projectFacts(row) }, about);
    return row;
  });
}
