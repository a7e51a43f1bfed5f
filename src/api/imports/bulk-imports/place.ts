import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { UserCaller } from '../../../access/caller.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { lineageIds } from '../../../access/membership.ts';
import { VISIBILITIES, type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { ApiError, notFound } from '../../../core/errors.ts';
import type { Db } from '../../../db/schema.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import { PROJECT_FEATURES, type Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { propertiesOf } from '../../../http/schema.ts';
import { type Given, text } from '../../../import-export/imports/take.ts';
import { CreateProject, createGroupByInput, makeProject } from '../../spaces/index.ts';
import { takenSettings } from '../group-settings.ts';

/** What a group or project has become here. */
export type Place =
  | { kind: 'group'; group: Namespace; root: Namespace }
  | { kind: 'project'; project: Project; namespace: Namespace; root: Namespace };

/** Settings of a project that come with it. */
const TAKEN: readonly string[] = [
  ...PROJECT_FEATURES.map((feature) => `${feature}_access_level`),
  'merge_method',
  'squash_option',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  'allow_merge_on_skipped_pipeline',
  'remove_source_branch_after_merge',
  'request_access_enabled',
  'lfs_enabled',
  'autoclose_referenced_issues',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'ci_config_path',
  'emails_enabled',
  'topics',
];

/** The closer of what it was and of what the place lets. */
const visibilityOf = (given: Given, parent: Visibility | null): Visibility => {
  const wanted = VISIBILITIES.find((each) => each === given.visibility) ?? 'private';
  return parent !== null && visibilityLevel(parent) < visibilityLevel(wanted) ? parent : wanted;
};

/** Makes it, and makes it as closed as can be where administrators do not let it be as open as it was. */
async function asOpenAsAllowed<T>(wanted: Visibility, make: (visibility: Visibility) => Promise<T>): Promise<T> {
  try {
    return await make(wanted);
  } catch (error) {
    const restricted = error instanceof ApiError && JSON.stringify(error.body).includes('visibility_level');
    if (!restricted || wanted === 'private') throw error;
    return make('private');
  }
}

const rowOf = async (db: Db, id: number): Promise<Namespace> =>
  db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function parentOf(deps: Deps, { destination_namespace: path }: BulkImportEntity): Promise<Namespace | null> {
  if (path === '') return null;
  const found = await findNamespace(deps, path);
  if (found === undefined) throw notFound('Namespace');
  return found;
}

/** The group of an entity, made where it is not there yet. @throws ApiError where it cannot be made */
export async function ensureGroup(
  deps: Deps,
  caller: UserCaller,
  entity: BulkImportEntity,
  given: Given,
): Promise<Place> {
  const found =
    entity.namespace_id === null
      ? await makeGroup(deps, caller, entity, given)
      : await rowOf(deps.db, entity.namespace_id);
  return { kind: 'group', group: found, root: await rowOf(deps.db, lineageIds(found.lineage)[0]!) };
}

async function makeGroup(deps: Deps, caller: UserCaller, entity: BulkImportEntity, given: Given): Promise<Namespace> {
  const parent = await parentOf(deps, entity);
  if (parent?.kind === 'user') throw new ApiError(400, 'A group cannot be put into the namespace of a user.');
  const input = {
    ...(await takenSettings(deps, given, { topLevel: parent === null, projects: entity.migrate_projects === 1 })),
    name: text(given.name, 255) ?? entity.destination_slug,
    path: entity.destination_slug,
    description: text(given.description, 500) ?? '',
    ...(parent === null ? {} : { parent_id: parent.id }),
  };
  return asOpenAsAllowed(visibilityOf(given, parent?.visibility ?? null), (visibility) =>
    createGroupByInput(deps, caller, { ...input, visibility }, async (db, { id }) => {
      await db.updateTable('bulk_import_entities').set({ namespace_id: id }).where('id', '=', entity.id).execute();
    }),
  );
}

/** The project of an entity, made where it is not there yet. @throws ApiError where it cannot be made */
export async function ensureProject(
  deps: Deps,
  caller: UserCaller,
  entity: BulkImportEntity,
  given: Given,
): Promise<Place> {
  const project =
    entity.project_id === null
      ? await newProject(deps, caller, entity, given)
      : await deps.db.selectFrom('projects').selectAll().where('id', '=', entity.project_id).executeTakeFirstOrThrow();
  const namespace = await rowOf(deps.db, project.namespace_id);
  return { kind: 'project', project, namespace, root: await rowOf(deps.db, lineageIds(namespace.lineage)[0]!) };
}

async function newProject(deps: Deps, caller: UserCaller, entity: BulkImportEntity, given: Given): Promise<Project> {
  const parent = await parentOf(deps, entity);
  if (parent === null) throw notFound('Namespace');
  const schemas: Record<string, TSchema> = propertiesOf(CreateProject);
  const settings = Object.fromEntries(
    TAKEN.flatMap((name) =>
      schemas[name] !== undefined && given[name] != null && Check(schemas[name], given[name])
        ? [[name, given[name]]]
        : [],
    ),
  );
  const input = {
    ...settings,
    name: text(given.name, 255) ?? entity.destination_slug,
    path: entity.destination_slug,
    description: text(given.description, 2_000) ?? '',
    namespace_id: parent.id,
  };
  const limit = parent.kind === 'group' ? parent.visibility : null;
  return asOpenAsAllowed(visibilityOf(given, limit), (visibility) =>
    makeProject(
      deps,
      caller,
      caller.user,
      { ...input, visibility },
      {
        within: async (db, { id }) => {
          await db.updateTable('bulk_import_entities').set({ project_id: id }).where('id', '=', entity.id).execute();
        },
      },
    ),
  );
}
