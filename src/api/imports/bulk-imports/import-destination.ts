import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { VISIBILITIES, type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { PROJECT_FEATURES, PROJECT_FLAGS, type Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { propertiesOf } from '../../../http/http.schema.ts';
import { coerceText, type ImportedObject } from '../../../import-export/imports/coerce-import.ts';
import { CreateProject, createGroupByInput, createProjectByInput } from '../../spaces/index.ts';
import { importedGroupSettings } from '../group-settings.ts';

/** The group or project that an entity is imported into. */
export type ImportDestination =
  | { kind: 'group'; group: Namespace; root: Namespace }
  | { kind: 'project'; project: Project; namespace: Namespace; root: Namespace };

/** Imported settings of a project. */
const TAKEN: readonly string[] = [
  ...PROJECT_FEATURES.map((feature) => `${feature}_access_level`),
  ...PROJECT_FLAGS,
  'merge_method',
  'squash_option',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  'allow_merge_on_skipped_pipeline',
  'remove_source_branch_after_merge',
  'lfs_enabled',
  'autoclose_referenced_issues',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'ci_config_path',
  'emails_enabled',
  'topics',
];

/** The more restrictive of the original visibility and that of the parent. */
const visibilityOf = (object: ImportedObject, parent: Visibility | null): Visibility => {
  const requestedVisibility = VISIBILITIES.find((each) => each === object.visibility) ?? 'private';
  return parent !== null && visibilityLevel(parent) < visibilityLevel(requestedVisibility)
    ? parent
    : requestedVisibility;
};

/** Creates it, with private visibility if administrators restrict the original one. */
async function asOpenAsAllowed<T>(
  requestedVisibility: Visibility,
  make: (visibility: Visibility) => Promise<T>,
): Promise<T> {
  try {
    return await make(requestedVisibility);
  } catch (error) {
    const restricted = error instanceof ApiError && JSON.stringify(error.body).includes('visibility_level');
    if (!restricted || requestedVisibility === 'private') throw error;
    return make('private');
  }
}

const rowOf = async (db: Db, id: number): Promise<Namespace> =>
  db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function parentOf(deps: Deps, { destination_namespace: path }: BulkImportEntity): Promise<Namespace | null> {
  if (path === '') return null;
  const namespace = await findNamespace(deps, path);
  if (namespace === undefined) throw notFound('Namespace');
  return namespace;
}

/** Returns the group of an entity, creating it if necessary. @throws ApiError if it cannot be created */
export async function ensureGroup(
  deps: Deps,
  caller: UserCaller,
  entity: BulkImportEntity,
  object: ImportedObject,
): Promise<ImportDestination> {
  const group =
    entity.namespace_id === null
      ? await makeGroup(deps, caller, entity, object)
      : await rowOf(deps.db, entity.namespace_id);
  return { kind: 'group', group, root: await rowOf(deps.db, lineageIds(group.lineage)[0]!) };
}

async function makeGroup(
  deps: Deps,
  caller: UserCaller,
  entity: BulkImportEntity,
  object: ImportedObject,
): Promise<Namespace> {
  const parent = await parentOf(deps, entity);
  if (parent?.kind === 'user') throw new ApiError(400, 'A group cannot be imported into a personal namespace.');
  const input = {
    ...(await importedGroupSettings(deps, object, {
      topLevel: parent === null,
      projects: entity.migrate_projects === 1,
    })),
    name: coerceText(object.name, 255) ?? entity.destination_slug,
    path: entity.destination_slug,
    description: coerceText(object.description, 500) ?? '',
    ...(parent === null ? {} : { parent_id: parent.id }),
  };
  return asOpenAsAllowed(visibilityOf(object, parent?.visibility ?? null), (visibility) =>
    createGroupByInput(deps, caller, { ...input, visibility }, async (db, { id }) => {
      await db.updateTable('bulk_import_entities').set({ namespace_id: id }).where('id', '=', entity.id).execute();
    }),
  );
}

/** Returns the project of an entity, creating it if necessary. @throws ApiError if it cannot be created */
export async function ensureProject(
  deps: Deps,
  caller: UserCaller,
  entity: BulkImportEntity,
  object: ImportedObject,
): Promise<ImportDestination> {
  const project =
    entity.project_id === null
      ? await newProject(deps, caller, entity, object)
      : await deps.db.selectFrom('projects').selectAll().where('id', '=', entity.project_id).executeTakeFirstOrThrow();
  const namespace = await rowOf(deps.db, project.namespace_id);
  return { kind: 'project', project, namespace, root: await rowOf(deps.db, lineageIds(namespace.lineage)[0]!) };
}

async function newProject(
  deps: Deps,
  caller: UserCaller,
  entity: BulkImportEntity,
  object: ImportedObject,
): Promise<Project> {
  const parent = await parentOf(deps, entity);
  if (parent === null) throw notFound('Namespace');
  const schemas: Record<string, TSchema> = propertiesOf(CreateProject);
  const settings = Object.fromEntries(
    TAKEN.flatMap((name) =>
      schemas[name] !== undefined && object[name] != null && Check(schemas[name], object[name])
        ? [[name, object[name]]]
        : [],
    ),
  );
  const input = {
    ...settings,
    name: coerceText(object.name, 255) ?? entity.destination_slug,
    path: entity.destination_slug,
    description: coerceText(object.description, 2_000) ?? '',
    namespace_id: parent.id,
  };
  const limit = parent.kind === 'group' ? parent.visibility : null;
  return asOpenAsAllowed(visibilityOf(object, limit), (visibility) =>
    createProjectByInput(
      deps,
      caller,
      caller.user,
      { ...input, visibility },
      {
        transactionHook: async (db, { id }) => {
          await db.updateTable('bulk_import_entities').set({ project_id: id }).where('id', '=', entity.id).execute();
        },
      },
    ),
  );
}
