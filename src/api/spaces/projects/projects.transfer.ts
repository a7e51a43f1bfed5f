import { sql } from 'kysely';
import { groupsOf, lineageIds } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { recordProject } from '../../../audit/projects.audit.ts';
import { AccessLevel, visibilityLevel } from '../../../core/access-levels.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { ApiError, notFound, refused } from '../../../core/core.errors.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { contains } from '../../../db/like.ts';
import { lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { dropForeignRoles } from '../member-roles/member-roles.moved.ts';
import { addNamespaceOwner } from '../members/namespace-owner.ts';
import { leaveForks } from './fork-relation.ts';
import { mayCreateProjects, requirePlacement } from './placement.ts';
import { refuseTakenName } from './projects.create.ts';
import { insertRedirect } from './projects.update.ts';

const failed = (reason: string) => refused(`Failed to transfer project ["${reason}"]`);

/**
 * Transfers a project to another namespace (public documentation, "Transfer a project"). Its visibility is limited to
 * that of the group, and its old path redirects. The caller must have checked the right to move it out of its
 * namespace.
 * @throws ApiError 400 if it cannot be moved, 404 for a namespace in which the caller may not create projects; 401, 403
 * and 404 if a right was lost meanwhile
 */
export async function transferProject(
  deps: Deps,
  caller: Caller,
  project: Project,
  target: Namespace,
): Promise<Project> {
  if (!(await mayCreateProjects(deps, caller, target))) throw notFound('Namespace');
  return deps.db.transaction().execute(async (db) => move(deps, db, caller, project, target));
}

/** Returns the target namespace of a transfer by id or full path. @throws ApiError 404 */
export async function transferTarget(deps: Deps, idOrPath: string): Promise<Namespace> {
  const namespace = await findNamespace(deps, idOrPath);
  if (namespace === undefined) throw notFound('Namespace');
  return namespace;
}

async function move(deps: Deps, db: Db, caller: Caller, input: Project, target: Namespace): Promise<Project> {
  const source = await db.selectFrom('namespaces').selectAll().where('id', '=', input.namespace_id).executeTakeFirst();
  if (source === undefined) throw notFound('Project');
  const [, namespace] = (await lockTrees(db, [source, target])) as [Namespace, Namespace];
  const project = await db.selectFrom('projects').selectAll().where('id', '=', input.id).executeTakeFirst();
  if (project === undefined) throw notFound('Project');
  await revalidateProjectAbility(deps, db, caller, project.id, 'transfer_project');
  await requirePlacement(deps, db, caller, namespace.id);
  if (project.in_deletion === 1) throw failed('Project is marked for deletion.');
  if (namespace.in_deletion === 1) throw failed('The namespace is marked for deletion.');
  if (project.namespace_id === namespace.id) throw failed('Project is already in this namespace.');
  const fullPath = `${namespace.full_path}/${project.path}`;
  try {
    await refuseTakenName(db, { namespaceId: namespace.id, name: project.name, fullPath, projectId: project.id });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw failed('Project with same name or path in target namespace already exists');
  }
  const limit = namespace.kind === 'group' ? namespace.visibility : 'public';
  const tooOpen = visibilityLevel(project.visibility) > visibilityLevel(limit);
  const moved = await db
    .updateTable('projects')
    .set({
      namespace_id: namespace.id,
      full_path: fullPath,
      visibility: tooOpen ? limit : project.visibility,
      updated_at: timestamp(deps.clock),
    })
    .where('id', '=', project.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (tooOpen) await leaveForks(deps, db, project, caller.user?.id ?? null);
  const root = namespace.kind === 'group' ? lineageIds(namespace.lineage)[0]! : null;
  await dropForeignRoles(db, { projectId: project.id }, root);
  await addNamespaceOwner(db, namespace, project.id, moved.updated_at);
  await insertRedirect(db, project.id, project.full_path);
  const more = { change: 'namespace', from: project.full_path, to: fullPath };
  const message = `Changed namespace from ${project.full_path} to ${fullPath}`;
  await recordProject(deps, db, project.id, { name: 'project_namespace_updated', message, more });
  await deps.events.record(
    db,
    'project.transferred',
    { project_id: project.id, old_full_path: project.full_path, project: projectFacts(moved) },
    { projectId: project.id, actorId: caller.user?.id ?? null },
  );
  if (!tooOpen) return moved;
  return db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
}

/** Query for the groups that the caller could transfer the project to. */
export function transferLocations(deps: Deps, caller: Caller, project: Project, search: string | undefined) {
  let query = deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('kind', '=', 'group')
    .where('in_deletion', '=', 0)
    .where('id', '!=', project.namespace_id)
    .orderBy('full_path')
    .orderBy('id');
  if (!caller.admin) {
    const groups = groupsOf(caller.user?.id ?? 0, AccessLevel.maintainer, today(deps.clock));
    query = query.where(sql<boolean>`id in ${groups}`);
  }
  if (search) {
    query = query.where((eb) => eb.or([contains(eb.ref('name'), search), contains(eb.ref('full_path'), search)]));
  }
  return query;
}
