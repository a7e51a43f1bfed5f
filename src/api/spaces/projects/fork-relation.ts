import type { Caller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { recordProject } from '../../../audit/projects.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, forbidden, notFound } from '../../../core/errors.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';

/**
 * Makes a project a fork of another by hand.
 * @throws ApiError 404 for a source that the caller may not see, 403 for one that he may not fork, 409 for a fork
 */
export async function linkFork(deps: Deps, caller: Caller, project: Project, sourceId: string): Promise<Project> {
  const found = await findProject(deps, sourceId);
  if (found === undefined) throw notFound('Project');
  const permissions = await projectPermissions(deps, caller, found.project, found.namespace);
  if (!permissions.can('read_project')) throw notFound('Project');
  if (!permissions.can('fork_project')) throw forbidden();
  const source = found.project;
  const root = source.fork_root_id ?? source.id;
  if (project.forked_from_id !== null || source.id === project.id) throw conflict('Project already forked');
  return deps.db.transaction().execute(async (db) => {
    const linked = await db
      .updateTable('projects')
      .set({ forked_from_id: source.id, fork_root_id: root, updated_at: timestamp(deps.clock) })
      .where('id', '=', project.id)
      .where('forked_from_id', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (linked === undefined) throw conflict('Project already forked');
    return linked;
  });
}

/** Ends a project's being a fork. @returns false where it is none */
export async function unlinkFork(deps: Deps, project: Project): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('projects')
      .set({ forked_from_id: null, fork_root_id: project.id, updated_at: timestamp(deps.clock) })
      .where('id', '=', project.id)
      .where('forked_from_id', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const message = 'Project unlinked from its source';
    await recordProject(deps, db, project.id, { name: 'project_fork_relationship_removed', message });
    return true;
  });
}
