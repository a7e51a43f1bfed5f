import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { recordProject } from '../../../audit/projects.audit.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { ApiError, forbidden, notFound, refused } from '../../../core/core.errors.ts';
import { randomText } from '../../../core/core.secrets.ts';
import { withDeletionSuffix, withoutDeletionSuffix } from '../../../core/deletion-suffix.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { deletionDelay } from '../../../settings/deletion-delay.ts';
import { refuseTakenName } from './projects.create.ts';
import { destroyProject, lockProject } from './projects.destroy.ts';
import { insertRedirect } from './projects.update.ts';

const NOT_AT_ONCE = 'Projects marked for deletion cannot be deleted immediately.';

/** A project with its namespace, and the user who deletes or restores it. */
export interface DeletionScope {
  project: Project;
  namespace: Namespace;
  caller: UserCaller;
}

/**
 * Deletes a project: immediately without delayed deletion, else it is marked and deleted after the delay.
 * @param options `permanently`: delete a marked project immediately, named by `fullPath`
 * @throws ApiError 400 if it is already marked; with `permanently` if it is not marked, or `fullPath` differs
 */
export async function deleteProject(
  deps: Deps,
  scope: DeletionScope,
  options: { permanently?: boolean | undefined; fullPath?: string | undefined },
): Promise<void> {
  const { project, caller } = scope;
  const settings = await applicationSettings(deps);
  const { allow_immediate_namespaces_deletion: immediate, default_project_deletion_protection: isProtected } = settings;
  if (isProtected && !caller.admin) throw forbidden();
  const delayed = deletionDelay(settings, 'project') > 0;
  if (delayed && options.permanently !== true) return markProject(deps, scope);
  if (delayed && !immediate && !caller.admin) throw forbidden(NOT_AT_ONCE);
  const refuse = async (db: Db, now: Project) => {
    await revalidateProjectAbility(deps, db, caller, now.id, 'remove_project');
    if (delayed && now.in_deletion === 0) throw refused('Project must be marked for deletion first.');
    if (options.permanently && options.fullPath !== now.full_path) {
      throw refused('`full_path` is incorrect. You must enter the complete path for the project.');
    }
  };
  await destroyProject(deps, project, caller.user.id, refuse);
}

async function markProject(deps: Deps, scope: DeletionScope): Promise<void> {
  const { caller } = scope;
  await changeMark(deps, scope, async (project) => {
    if (project.marked_for_deletion_on !== null) throw refused('Project has been already marked for deletion');
    const { id } = project;
    return {
      names: [{ name: withDeletionSuffix(project.name, id), path: withDeletionSuffix(project.path, id) }],
      columns: { marked_for_deletion_on: today(deps.clock), marked_by_id: caller.user.id, in_deletion: 1 as const },
    };
  });
}

/**
 * Restores a marked project with its name and path, with a suffix if they are taken. In a marked group it stays pending
 * deletion.
 * @throws ApiError 400 if it is not marked, 404
 */
export async function restoreProject(deps: Deps, scope: DeletionScope): Promise<Project> {
  return changeMark(deps, scope, async (project, namespace) => {
    if (project.marked_for_deletion_on === null) throw refused('Project has not been marked for deletion');
    const [name, path] = [
      withoutDeletionSuffix(project.name, project.id),
      withoutDeletionSuffix(project.path, project.id),
    ];
    const more = randomText(5).toLowerCase();
    return {
      names: [
        { name, path },
        { name: `${name}-${more}`, path: `${path}-${more}` },
      ],
      columns: { marked_for_deletion_on: null, marked_by_id: null, in_deletion: namespace.in_deletion },
    };
  });
}

interface Change {
  /** Possible names, in order of preference. */
  names: readonly { name: string; path: string }[];
  columns: Pick<Project, 'marked_for_deletion_on' | 'marked_by_id' | 'in_deletion'>;
}

async function changeMark(
  deps: Deps,
  { project: unlockedProject, namespace: place, caller }: DeletionScope,
  decide: (project: Project, namespace: Namespace) => Promise<Change>,
): Promise<Project> {
  return deps.db.transaction().execute(async (db) => {
    const namespace = (await lockTrees(db, [place]))[0]!;
    const project = await lockProject(db, unlockedProject.id);
    if (project === undefined || project.namespace_id !== namespace.id) throw notFound('Project');
    await revalidateProjectAbility(deps, db, caller, project.id, 'remove_project');
    const { names, columns } = await decide(project, namespace);
    const { name, path } = await freeName(db, project, namespace, names);
    const fullPath = `${namespace.full_path}/${path}`;
    const row = await db
      .updateTable('projects')
      .set({ ...columns, name, path, full_path: fullPath, updated_at: timestamp(deps.clock) })
      .where('id', '=', project.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const event =
      columns.marked_for_deletion_on === null
        ? ({ name: 'project_restored', message: 'Project restored' } as const)
        : ({ name: 'project_deletion_marked', message: 'Project marked for deletion' } as const);
    await recordProject(deps, db, project.id, event);
    const about = { projectId: project.id, actorId: caller.user.id };
    const renamed = fullPath !== project.full_path;
    if (renamed) {
      await insertRedirect(db, project.id, project.full_path);
      const payload = { project_id: project.id, old_full_path: project.full_path, project: projectFacts(row) };
      await deps.events.record(db, 'project.renamed', payload, about);
    }
    const payload = { project_id: project.id, project: projectFacts(row), renamed };
    await deps.events.record(db, 'project.updated', payload, about);
    return row;
  });
}

/** Returns the first name that is free in the namespace. @throws ApiError 400 if all are taken */
async function freeName(db: Db, project: Project, namespace: Namespace, names: Change['names']) {
  for (const [index, each] of names.entries()) {
    const fullPath = `${namespace.full_path}/${each.path}`;
    try {
      await refuseTakenName(db, { namespaceId: namespace.id, name: each.name, fullPath, projectId: project.id });
      return each;
    } catch (error) {
      if (!(error instanceof ApiError) || index === names.length - 1) throw error;
    }
  }
  throw new Error('a project was given no name');
}
