import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { recordProject, recordProjectChanges } from '../../../audit/projects.audit.ts';
import { type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import { projectNameErrors, projectPathErrors } from '../../../core/core.paths.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import {
  type FeatureColumn,
  type FeatureLevel,
  PROJECT_FEATURES,
  type Project,
} from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { Nullable, ofPlan, propertiesOf } from '../../../http/http.schema.ts';
import { inRepositoryQueue } from '../../../repositories/change-refs.ts';
import { ofProject } from '../../../repositories/holder.ts';
import { scheduleMoveWithin } from '../../../repositories/moves/storage-moves.schedule.ts';
import { updateHead } from '../../../repositories/server-writes.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { restrictionErrors } from '../../../settings/settings.visibility.ts';
import { avatarColumn } from '../../identity/index.ts';
import { leaveForks } from './fork-relation.ts';
import { checkImportUrl } from './import-url.ts';
import { applyMirrorChange, mirrorChange, namedMirrorUser } from './mirror-attributes.ts';
import { isOfMergeRequests, projectAttributes } from './projects.attributes.ts';
import {
  changesOf,
  configPathErrors,
  coverageErrors,
  featureErrors,
  forkVisibilityErrors,
  type ProjectChanges,
  topicErrors,
  visibilityErrors,
} from './projects.changes.ts';
import { refuseTakenName } from './projects.create.ts';
import { changedSettings, settingsOf } from './projects.settings.ts';
import { setTopics, topicsOf } from './projects.topics.ts';

export const UpdateInput = Type.Object({
  name: Type.Optional(Type.String()),
  ...projectAttributes,
  mirror_user_id: Type.Optional(
    Nullable(
      Type.Integer({
        description:
          'User who pull mirror updates run as. Only administrators can set users other than themselves; other values are ignored.',
        ...ofPlan('premium'),
      }),
    ),
  ),
});
export type UpdateInput = Static<typeof UpdateInput>;
/** At least one of these is required. */
export const UPDATE_NAMES = Object.keys(propertiesOf(UpdateInput));

export interface UpdateScope {
  caller: UserCaller;
  project: Project;
  namespace: Namespace;
  permissions: ProjectPermissions;
}

/**
 * Updates the attributes of a project (public documentation, "Edit a project").
 * @throws ApiError 400 with errors by field, 403 if only owners may change an attribute
 */
export async function updateProject(deps: Deps, scope: UpdateScope, input: UpdateInput): Promise<Project> {
  const { project, namespace, permissions } = scope;
  const ability = abilityFor(input, project);
  if (!permissions.can(ability)) throw forbidden();
  const changes = changesOf(input, project);
  refuseInvalid(project, namespace, input, changes);
  await refuseRestricted(deps, scope, input.visibility);
  newStorage(deps, scope.caller, project, input);
  if (input.import_url) await checkImportUrl(deps, input.import_url);
  Object.assign(changes.columns, await avatarColumn(deps, input.avatar));
  const { default_branch: branch } = input;
  if (branch !== undefined && branch !== '') await changeDefaultBranch(deps, scope.caller, project, branch);
  try {
    return await deps.db.transaction().execute(async (db) => apply(deps, db, scope, input, changes));
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ path: ['has already been taken'] });
    throw error;
  }
}

/** Name, path and visibility take Owner; merge request settings can be changed with a lesser ability. */
function abilityFor(input: UpdateInput, project: Project): ProjectAbility {
  const { name, path, visibility } = input;
  const opens = visibility !== undefined && visibility !== project.visibility;
  if (name !== undefined || path !== undefined || opens) return 'own_project';
  const others = UPDATE_NAMES.filter((key) => input[key as keyof UpdateInput] !== undefined && !isOfMergeRequests(key));
  return others.length === 0 ? 'configure_merge_requests' : 'update_project';
}

function refuseInvalid(project: Project, namespace: Namespace, input: UpdateInput, changes: ProjectChanges): void {
  const levels = Object.fromEntries(
    PROJECT_FEATURES.map((feature): FeatureColumn => `${feature}_access_level`).map((column) => [
      column,
      changes.columns[column] ?? project[column],
    ]),
  ) as Record<FeatureColumn, FeatureLevel>;
  const name = input.name === undefined ? [] : projectNameErrors(input.name.trim());
  const path = input.path === undefined ? [] : projectPathErrors(input.path);
  const errors: FieldErrors = {
    ...(name.length === 0 ? {} : { name }),
    ...(path.length === 0 ? {} : { path }),
    ...(input.visibility === undefined ? {} : visibilityErrors(input.visibility, namespace)),
    ...featureErrors(levels),
    ...topicErrors(changes.topics),
    ...configPathErrors(changes.settings.ci_config_path),
    ...coverageErrors(changes.settings.build_coverage_regex),
  };
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** @throws ApiError 400 for a visibility that only administrators may set */
async function refuseRestricted(deps: Deps, { caller, project }: UpdateScope, visibility?: Visibility): Promise<void> {
  if (visibility === undefined || visibility === project.visibility) return;
  const texts = restrictionErrors(await applicationSettings(deps), caller, visibility);
  if (texts.length > 0) throw invalidModel({ visibility_level: texts });
}

/** Returns the storage to move the repository to; null if unchanged. @throws ApiError 400 for an unknown storage */
function newStorage(
  { storages }: Deps,
  { admin }: UserCaller,
  project: Pick<Project, 'repository_storage'>,
  { repository_storage: storage = '' }: UpdateInput,
): string | null {
  if (!admin || storage === '' || storage === project.repository_storage) return null;
  if (!storages.has(storage)) throw invalidModel({ repository_storage: ['is invalid'] });
  return storage;
}

/** Changes the default branch to an existing branch. @throws ApiError 400 */
async function changeDefaultBranch(deps: Deps, caller: UserCaller, project: Project, branch: string): Promise<void> {
  await inRepositoryQueue(deps, project, async (repo) => {
    await revalidateProjectAbility(deps, deps.db, caller, project.id, 'update_project');
    const from = await repo.refs.head();
    if (from === branch) return;
    if ((await repo.refs.resolve(`refs/heads/${branch}`)) === null) {
      throw invalidModel({
        base: [
          `Could not set the default branch. Do you have a branch named '${branch.slice(0, 255)}' in your repository?`,
        ],
      });
    }
    // HEAD is not in the database: the audit event is recorded before the change.
    const change = { change: 'default branch', from: from ?? '', to: branch };
    await deps.db.transaction().execute((db) =>
      recordProject(deps, db, project.id, {
        name: 'project_default_branch_updated',
        message: `Changed default branch from ${change.from} to ${branch}`,
        more: change,
      }),
    );
    await updateHead(deps, ofProject(project), repo, branch);
  });
}

async function apply(
  deps: Deps,
  db: Db,
  { caller, project, namespace }: UpdateScope,
  input: UpdateInput,
  { columns, settings, topics }: ProjectChanges,
): Promise<Project> {
  const name = input.name?.trim() ?? project.name;
  const path = input.path ?? project.path;
  let fullPath = project.full_path;
  if (name !== project.name || path !== project.path) {
    const [now] = await lockTrees(db, [namespace]);
    fullPath = `${now!.full_path}/${path}`;
    await refuseTakenName(db, { namespaceId: namespace.id, name, fullPath, projectId: project.id });
  }
  // Settings are merged into the current ones; an update without changes locks the row.
  const current = await db
    .updateTable('projects')
    .set({ pending_delete: sql<0>`pending_delete` })
    .where('id', '=', project.id)
    .returningAll()
    .executeTakeFirstOrThrow(recordNotFound);
  const { caller: now } = await revalidateProjectAbility(deps, db, caller, project.id, abilityFor(input, project));
  await refuseMoreOpenThanSource(db, current, columns.visibility);
  const mirrorUser = await namedMirrorUser(deps, db, current, input.mirror_user_id, now);
  const mirror = await mirrorChange(deps, db, current, input, caller, mirrorUser);
  const changed = await db
    .updateTable('projects')
    .set({
      ...columns,
      ...(mirror === null ? {} : { import_url: mirror.import_url }),
      name,
      path,
      ...(fullPath === project.full_path ? {} : { full_path: fullPath }),
      settings: changedSettings(current, { ...settings, ...mirror?.settings }),
      updated_at: timestamp(deps.clock),
    })
    .where('id', '=', project.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await applyMirrorChange(deps, db, current, changed, mirror);
  // With reduced visibility, the project leaves its fork network.
  const hides = visibilityLevel(changed.visibility) < visibilityLevel(current.visibility);
  if (hides) await leaveForks(deps, db, changed, caller.user.id);
  await recordProjectChanges(deps, db, withSettings(current), withSettings(changed));
  if (topics !== undefined) await changeTopics(deps, db, project.id, topics);
  const about = { projectId: project.id, actorId: caller.user.id };
  const renamed = fullPath !== project.full_path;
  if (renamed) {
    await insertRedirect(db, project.id, current.full_path);
    const payload = { project_id: project.id, old_full_path: current.full_path, project: projectFacts(changed) };
    await deps.events.record(db, 'project.renamed', payload, about);
  }
  const payload = { project_id: project.id, project: projectFacts(changed), renamed };
  await deps.events.record(db, 'project.updated', payload, about);
  const storage = newStorage(deps, now, current, input);
  if (storage !== null) await scheduleMoveWithin(deps, db, 'project', project.id, storage);
  if (mirror === null && !hides && storage === null) return changed;
  return db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
}

async function changeTopics(deps: Deps, db: Db, id: number, topics: readonly string[]): Promise<void> {
  const before = await topicsOf(db, id);
  await setTopics(db, deps.clock, id, topics);
  const after = await topicsOf(db, id);
  // A change of order only is not recorded.
  if (before.toSorted().join() === after.toSorted().join()) return;
  const [from, to] = [before.join(', '), after.join(', ')];
  const message = `Changed topics from ${from} to ${to}`;
  await recordProject(deps, db, id, { name: 'project_topics_updated', message, more: { change: 'topics', from, to } });
}

const withSettings = (row: Project) => ({ ...row, ...settingsOf(row) });

/** A fork must not become more visible than its source. @throws ApiError 400 */
async function refuseMoreOpenThanSource(
  db: Db,
  current: Pick<Project, 'visibility' | 'forked_from_id'>,
  visibility: Visibility = current.visibility,
): Promise<void> {
  if (visibility === current.visibility || current.forked_from_id === null) return;
  const source = await db
    .selectFrom('projects')
    .select('visibility')
    .where('id', '=', current.forked_from_id)
    .executeTakeFirst();
  const errors = source === undefined ? {} : forkVisibilityErrors(visibility, source);
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** Inserts a redirect from the old path of a project. */
export async function insertRedirect(db: Db, projectId: number, oldFullPath: string): Promise<void> {
  await db
    .insertInto('redirect_routes')
    .values({ path: oldFullPath, source_type: 'project', source_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
