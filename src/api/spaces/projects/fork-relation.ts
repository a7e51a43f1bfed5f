import type { Caller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { project, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, forbidden, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { lockProject } from './projects.destroy.ts';

/**
 * Creates a fork relationship between existing projects.
 * @throws ApiError 404 for a hidden source, 403 for one that the caller may not fork, 409 for a fork
 */
export async function linkFork(deps: Deps, caller: Caller, project: Project, sourceId: string): Promise<Project> {
  const sourceProject = await findProject(deps, sourceId);
  if (sourceProject === undefined) throw notFound('Project');
  const permissions = await projectPermissions(deps, caller, sourceProject.project, sourceProject.namespace);
  if (!permissions.can('read_project')) throw notFound('Project');
  if (!permissions.can('fork_project')) throw forbidden();
  const source = sourceProject.project;
  const root = source.fork_root_id ?? source.id;
  if (project.forked_from_id !== null || source.id === project.id) throw conflict('Project already forked');
  return deps.db.transaction().execute(async (db) => {
    return db
      .updateTable('projects')
      .set({ forked_from_id: source.id, fork_root_id: root, updated_at: timestamp(deps.clock) })
      .where('id', '=', project.id)
      .where('forked_from_id', 'is', null)
      .returningAll()
      .executeTakeFirstOrThrow(() => conflict('Project already forked'));
  });
}

/** Removes the fork relationship. @returns false if the project is not a fork */
export async function unlinkFork(deps: Deps, { id }: Project, actorId: number | null): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const now = await lockProject(db, id);
    if (now === undefined || now.forked_from_id === null) return false;
    await leaveForks(deps, db, now, actorId);
    return true;
  });
}

/**
 * Removes a project from its fork network, with the handle of a transaction. It no longer has a source, nor do its
 * forks, which remain in one network.
 */
export async function leaveForks(
  deps: Deps,
  db: Db,
  { id, forked_from_id }: Pick<Project, 'id' | 'forked_from_id'>,
  actorId: number | null,
): Promise<void> {
  await deps.lifecycle.forkUnlinked.run(db, id, actorId);
  const forks = await db
    .updateTable('projects')
    .set({ forked_from_id: null })
    .where('forked_from_id', '=', id)
    .returning('id')
    .execute();
  await renameNetwork(db, id);
  await db
    .updateTable('projects')
    .set({ forked_from_id: null, fork_root_id: id, updated_at: timestamp(deps.clock) })
    .where('id', '=', id)
    .execute();
  const unlinked = [...(forked_from_id === null ? [] : [id]), ...forks.map((fork) => fork.id).sort((a, b) => a - b)];
  await recordAudit(
    deps,
    db,
    unlinked.map((fork) => ({
      name: 'project_fork_relationship_removed',
      entity: project(fork),
      message: 'Project unlinked from its source',
      actorId,
    })),
  );
}

/** Renames the network of a root that leaves it to the id of its oldest fork. */
async function renameNetwork(db: Db, rootId: number): Promise<void> {
  const oldest = await db
    .selectFrom('projects')
    .select('id')
    .where('fork_root_id', '=', rootId)
    .where('id', '!=', rootId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await db
    .updateTable('projects')
    .set({ fork_root_id: oldest.id })
    .where('fork_root_id', '=', rootId)
    .where('id', '!=', rootId)
    .execute();
}
