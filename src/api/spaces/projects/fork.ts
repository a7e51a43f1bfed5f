import { type Static, Type } from 'typebox';
import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { revalidateCaller } from '../../../access/revalidate.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { recordProject } from '../../../audit/projects.audit.ts';
import { VISIBILITIES, type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { type FieldErrors, forbidden, invalidModel, notFound } from '../../../core/core.errors.ts';
import { projectNameErrors, projectPathErrors } from '../../../core/core.paths.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { type FeatureColumn, PROJECT_FEATURES, type Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { maxAllowedVisibility, restrictionErrors } from '../../../settings/settings.visibility.ts';
import { groupSettings } from '../groups/groups.settings.ts';
import { findPlacement, personalNamespace, requirePlacement } from './placement.ts';
import { forkVisibilityErrors } from './projects.changes.ts';
import { createProject } from './projects.create.ts';
import { settingsOf } from './projects.settings.ts';
import { enqueueCopy } from './repository-copy.ts';
import { FILL_SCHEDULED } from './repository-fill.ts';

export const ForkInput = Type.Object({
  name: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  namespace: Type.Optional(Type.String({ description: 'Id or path of the namespace; deprecated.' })),
  namespace_id: Type.Optional(Type.Integer()),
  namespace_path: Type.Optional(Type.String()),
  visibility: Type.Optional(Enum(VISIBILITIES)),
  description: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
  branches: Type.Optional(Type.String({ description: 'Only branch to copy; all branches when absent.' })),
  mr_default_target_self: Type.Optional(Type.Boolean()),
});
export type ForkInput = Static<typeof ForkInput>;

/** Settings that a fork inherits from its source. */
const INHERITED = [
  'repository_object_format',
  'ci_config_path',
  'shared_runners_enabled',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'external_authorization_classification_label',
] as const;

/**
 * Forks a project (public documentation, "Fork a project"). The project is created immediately, its repository is
 * copied in the background, see `import_status`. A fork is not more visible than its source and its namespace.
 * @throws ApiError 404 for a namespace in which the caller may not create projects, 409 if name or path is taken or the
 * visibility is too high, 400 for an unknown branch
 */
export async function forkProject(deps: Deps, caller: UserCaller, source: Project, input: ForkInput): Promise<Project> {
  const target = input.namespace_id?.toString() ?? input.namespace_path ?? input.namespace;
  const namespace =
    target === undefined
      ? await personalNamespace(deps, caller.user)
      : await findPlacement(deps, caller, target, 'Target Namespace');
  if (!(await mayLeave(deps, source, namespace))) throw notFound('Target Namespace');
  const name = input.name?.trim() || source.name;
  const path = input.path || source.path;
  const limit = maxForkVisibility(source, namespace);
  const instance = await applicationSettings(deps);
  const visibility = input.visibility ?? maxAllowedVisibility(instance, caller, limit);
  refuseInvalid(name, path, visibility, limit);
  const restricted = restrictionErrors(instance, caller, visibility);
  if (restricted.length > 0) throw invalidModel({ visibility_level: restricted }, 409);
  const { refs } = repositoryOf(deps, source);
  const branch = input.branches || undefined;
  if (branch !== undefined && (await refs.resolve(`refs/heads/${branch}`)) === null) throw notFound('Branch');
  const settings = settingsOf(source);
  const inherited = Object.fromEntries(INHERITED.map((key) => [key, settings[key]]));
  return createProject(deps, {
    namespace,
    name,
    path,
    visibility,
    creatorId: caller.user.id,
    defaultBranch: branch ?? (await refs.head()) ?? (await defaultBranchName(deps)),
    objectFormat: settings.repository_object_format,
    takenStatus: 409,
    columns: {
      ...featureLevelsOf(source),
      description: input.description === undefined ? source.description : input.description,
      forked_from_id: source.id,
      fork_root_id: source.fork_root_id ?? source.id,
      ...FILL_SCHEDULED,
      settings: JSON.stringify({ ...inherited, mr_default_target_self: input.mr_default_target_self ?? false }),
    },
    transactionHook: async (db, fork) => {
      await requirePlacement(deps, db, caller, namespace.id);
      await requireForkable(transactionDeps(deps, db), caller, source, visibility);
      await enqueueCopy(deps, db, { project_id: fork.id, source_id: source.id, branch: branch ?? null });
      const message = `Forked project to ${fork.full_path}`;
      await recordProject(deps, db, source.id, { name: 'project_fork_operation', message });
      await deps.events.record(
        db,
        'project.forked',
        { project_id: source.id, fork_id: fork.id },
        { projectId: source.id, actorId: caller.user.id },
      );
    },
  });
}

/** Checks again whether the caller may fork the project with that visibility. @throws ApiError 401, 403, 404, 409 */
async function requireForkable(deps: Deps, caller: UserCaller, { id }: Project, visibility: Visibility): Promise<void> {
  const now = await callerInProject(deps, await revalidateCaller(deps, caller), id);
  if (now === undefined || !now.permissions.can('read_project')) throw notFound('Project');
  if (!now.permissions.can('fork_project')) throw forbidden();
  const errors = forkVisibilityErrors(visibility, now.project);
  if (Object.keys(errors).length > 0) throw invalidModel(errors, 409);
}

/** Whether the source's top-level group allows forks in the namespace. */
async function mayLeave(deps: Deps, source: Project, target: Namespace): Promise<boolean> {
  const { lineage } = await deps.db
    .selectFrom('namespaces')
    .select('lineage')
    .where('id', '=', source.namespace_id)
    .executeTakeFirstOrThrow();
  const [root = 0] = lineageIds(lineage);
  if (lineageIds(target.lineage)[0] === root) return true;
  const group = await deps.db.selectFrom('namespaces').selectAll().where('id', '=', root).executeTakeFirstOrThrow();
  return group.kind === 'user' || groupSettings(group).prevent_forking_outside_group !== true;
}

function maxForkVisibility(source: Project, namespace: Namespace): Visibility {
  const limit = namespace.kind === 'group' ? namespace.visibility : 'public';
  return visibilityLevel(source.visibility) < visibilityLevel(limit) ? source.visibility : limit;
}

function refuseInvalid(name: string, path: string, visibility: Visibility, limit: Visibility): void {
  const errors: FieldErrors = {};
  const [nameTexts, pathTexts] = [projectNameErrors(name), projectPathErrors(path)];
  if (nameTexts.length > 0) errors.name = nameTexts;
  if (pathTexts.length > 0) errors.path = pathTexts;
  Object.assign(errors, forkVisibilityErrors(visibility, { visibility: limit }));
  if (Object.keys(errors).length > 0) throw invalidModel(errors, 409);
}

function featureLevelsOf(source: Project) {
  const columns = PROJECT_FEATURES.map((feature): FeatureColumn => `${feature}_access_level`);
  return Object.fromEntries(columns.map((column) => [column, source[column]]));
}
