import { type Insertable, sql } from 'kysely';
import { recordProject } from '../../../audit/projects.audit.ts';
import type { Visibility } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel } from '../../../core/core.errors.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import { isPathTaken, lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project, ProjectsTable } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ObjectFormat } from '../../../git/common/index.ts';
import { createRepository } from '../../../git/repository/index.ts';
import { withNewRepository } from '../../../repositories/new-repository.ts';
import { addNamespaceOwner } from '../members/namespace-owner.ts';

export interface NewProject {
  namespace: Namespace;
  name: string;
  path: string;
  visibility: Visibility;
  creatorId: number;
  defaultBranch: string;
  objectFormat?: ObjectFormat;
  /** Name of the storage of its repository; chosen by weight when absent. */
  storage?: string;
  /** Further columns, such as feature access levels, description and settings. */
  columns?: Partial<Insertable<ProjectsTable>>;
  /** Writes the first objects and refs into the empty repository, before anyone can see it. */
  fillRepository?: (dir: string) => Promise<void>;
  /** Runs in the transaction that inserts the row. */
  transactionHook?: (db: Db, project: Project) => Promise<void>;
  /** Status of the error if name or path is taken; 400 when absent. */
  takenStatus?: number;
}

/** Creates a project with its repository. @throws ApiError 400 (or `takenStatus`) if name or path is taken */
export async function createProject(deps: Deps, input: NewProject): Promise<Project> {
  const make = async (dir: string) => {
    await createRepository(dir, {
      defaultBranch: input.defaultBranch,
      ...(input.objectFormat === undefined ? {} : { objectFormat: input.objectFormat }),
    });
    await input.fillRepository?.(dir);
  };
  try {
    return await withNewRepository(
      deps,
      make,
      (db, location) => insertProject(deps, db, input, location),
      input.storage,
    );
  } catch (error) {
    if (isUniqueViolation(error)) throw taken(['name', 'path'], input.takenStatus);
    throw error;
  }
}

async function insertProject(
  deps: Deps,
  db: Db,
  input: NewProject,
  location: { repository_storage: string; disk_path: string },
): Promise<Project> {
  const [namespace] = await lockTrees(db, [input.namespace]);
  if (namespace!.in_deletion === 1) throw forbidden('The namespace is marked for deletion');
  const fullPath = `${namespace!.full_path}/${input.path}`;
  await refuseTakenName(db, { namespaceId: namespace!.id, name: input.name, fullPath }, input.takenStatus);
  const now = timestamp(deps.clock);
  const inserted = await db
    .insertInto('projects')
    .values({
      namespace_id: namespace!.id,
      name: input.name,
      path: input.path,
      full_path: fullPath,
      visibility: input.visibility,
      ...location,
      creator_id: input.creatorId,
      created_at: now,
      updated_at: now,
      last_activity_at: now,
      ...input.columns,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const project = { ...inserted, fork_root_id: inserted.fork_root_id ?? inserted.id };
  await db.updateTable('projects').set({ fork_root_id: project.fork_root_id }).where('id', '=', project.id).execute();
  await addNamespaceOwner(db, namespace!, project.id, now);
  await deps.events.record(
    db,
    'project.created',
    { project_id: project.id, project: projectFacts(project) },
    { projectId: project.id, actorId: input.creatorId },
  );
  const event = { name: 'project_created', message: 'Added project', more: { add: 'project' } } as const;
  await recordProject(deps, db, project.id, { ...event, actorId: input.creatorId });
  await input.transactionHook?.(db, project);
  return project;
}

/**
 * Refuses a name or path of another project, group or user; redirects do not count. Call it in a transaction that has
 * locked the hierarchy.
 * @throws ApiError 400 (or `status`) with the platform's errors by field
 */
export async function refuseTakenName(
  db: Db,
  names: { namespaceId: number; name: string; fullPath: string; projectId?: number },
  status?: number,
): Promise<void> {
  const { namespaceId, name, fullPath, projectId } = names;
  const same = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .where('id', '!=', projectId ?? 0)
    .executeTakeFirst();
  const fields: ('name' | 'path')[] = same === undefined ? [] : ['name'];
  if (await isPathTaken(db, fullPath, projectId === undefined ? {} : { projectId })) fields.push('path');
  if (fields.length > 0) throw taken(fields, status);
  await db.deleteFrom('redirect_routes').where(sql<string>`lower(path)`, '=', asciiLower(fullPath)).execute();
}

function taken(fields: readonly ('name' | 'path')[], status?: number) {
  const errors: FieldErrors = Object.fromEntries(fields.map((field) => [field, ['has already been taken']]));
  if (fields.includes('name')) errors['project_namespace.name'] = ['has already been taken'];
  return invalidModel(errors, status);
}
