import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { ApiError, type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import { projectNameErrors, projectPathErrors } from '../../../core/core.paths.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { isValidBranchName } from '../../../git/common/index.ts';
import { Enum, ofPlan } from '../../../http/http.schema.ts';
import { storedImportUrl } from '../../../mirroring/stored-address.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { defaultBranchName, protectDefaultBranch } from '../../../repositories/default-branch.ts';
import { writeInitialCommit } from '../../../repositories/new-repository.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { restrictionErrors, stricterVisibility } from '../../../settings/settings.visibility.ts';
import type { ApplicationSettings } from '../../../settings/settings-table.ts';
import { avatarColumn } from '../../identity/index.ts';
import { groupSettings } from '../groups/groups.settings.ts';
import { checkImportUrl } from './import-url.ts';
import { insertNewMirror, mirrorChange } from './mirror-attributes.ts';
import { findPlacement, personalNamespace, requirePlacement } from './placement.ts';
import { projectAttributes } from './projects.attributes.ts';
import {
  changesOf,
  configPathErrors,
  coverageErrors,
  featureErrors,
  topicErrors,
  visibilityErrors,
} from './projects.changes.ts';
import { createProject } from './projects.create.ts';
import { settingsOf } from './projects.settings.ts';
import { templateOf } from './projects.template.ts';
import { setTopics } from './projects.topics.ts';
import { readmeText } from './readme.ts';
import { enqueueCopy } from './repository-copy.ts';
import { FILL_SCHEDULED } from './repository-fill.ts';
import { enqueueImport } from './repository-import.ts';

export const CreateInput = Type.Object({
  name: Type.Optional(Type.String()),
  namespace_id: Type.Optional(
    Type.Integer({ description: 'Id of the namespace; the personal namespace of the caller when absent.' }),
  ),
  initialize_with_readme: Type.Optional(Type.Boolean({ default: false })),
  repository_object_format: Type.Optional(Enum(['sha1', 'sha256'])),
  template_name: Type.Optional(
    Type.String({
      description: 'Name of a template project; requires `use_custom_template`, as there are no built-in templates.',
    }),
  ),
  use_custom_template: Type.Optional(
    Type.Boolean({ description: 'Use a project of a group as the template.', ...ofPlan('premium') }),
  ),
  template_project_id: Type.Optional(
    Type.Integer({ description: 'Id of the template project; instead of `template_name`.', ...ofPlan('premium') }),
  ),
  group_with_project_templates_id: Type.Optional(
    Type.Integer({
      description: 'Id of the group with the template project; the template group of the instance when absent.',
      ...ofPlan('premium'),
    }),
  ),
  ...projectAttributes,
});
export type CreateInput = Static<typeof CreateInput>;

/** Derives a path from a name as the platform does: `Böse Sache!` becomes `bose-sache`. */
export const pathFromName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');

/** A project whose repository is filled in the background. */
export interface CreationHooks {
  /** Runs in the transaction that inserts it. */
  transactionHook: (db: Db, project: Project) => Promise<void>;
}

/**
 * Creates a project, optionally with a README (public documentation, "Create a project").
 * @param owner owner of the default namespace, recorded as creator
 * @param awaited set if the repository is filled in the background: it is read-only until then
 * @throws ApiError 400 with errors by field, 403, 404
 */
export async function createProjectByInput(
  deps: Deps,
  caller: UserCaller,
  owner: User,
  input: CreateInput,
  awaited?: CreationHooks,
): Promise<Project> {
  const namespace =
    input.namespace_id === undefined
      ? await personalNamespace(deps, owner)
      : await findPlacement(deps, caller, String(input.namespace_id));
  if (namespace.kind === 'user') await checkLimit(deps.db, namespace, owner);
  const name = input.name?.trim() || input.path || '';
  const path = input.path || pathFromName(name);
  const instance = await applicationSettings(deps);
  const limit = namespace.kind === 'group' ? namespace.visibility : 'public';
  const visibility = input.visibility ?? stricterVisibility(instance.default_project_visibility, limit);
  const template = awaited === undefined ? await templateOf(deps, caller, input) : undefined;
  const templateHead = template === undefined ? null : await repositoryOf(deps, template).refs.head();
  const defaultBranch =
    templateHead || input.default_branch || groupSettings(namespace).default_branch || (await defaultBranchName(deps));
  const { columns, settings, topics } = changesOf(input);
  const storage = caller.admin ? input.repository_storage || undefined : undefined;
  const errors: FieldErrors = {
    ...errorsOf('name', projectNameErrors(name)),
    ...errorsOf('path', projectPathErrors(path)),
    ...errorsOf('visibility_level', restrictionErrors(instance, caller, visibility)),
    ...visibilityErrors(visibility, namespace),
    ...featureErrors(columns),
    ...topicErrors(topics),
    ...configPathErrors(settings.ci_config_path),
    ...coverageErrors(settings.build_coverage_regex),
    ...(storage === undefined || deps.storages.list.some(({ name }) => name === storage)
      ? {}
      : { repository_storage: ['is not included in the list'] }),
    ...(isValidBranchName(defaultBranch) ? {} : { default_branch: ['is not a valid branch name'] }),
    ...(input.template_name && template === undefined
      ? { template_name: [`'${input.template_name}' is unknown or invalid`] }
      : {}),
  };
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  const importUrl = input.import_url ? await checkImportUrl(deps, input.import_url) : null;
  const mirror = await mirrorChange(deps, deps.db, { import_url: null, settings: '{}' }, input, caller);
  const picture = await avatarColumn(deps, input.avatar);
  const objectFormat =
    (template && settingsOf(template).repository_object_format) ?? input.repository_object_format ?? 'sha1';
  let first: string | undefined;
  return createProject(deps, {
    namespace,
    name,
    path,
    visibility,
    creatorId: owner.id,
    defaultBranch,
    objectFormat,
    ...(storage === undefined ? {} : { storage }),
    columns: {
      ...columns,
      ...picture,
      settings: JSON.stringify({
        ...projectDefaults(instance),
        ...settings,
        ...mirror?.settings,
        repository_object_format: objectFormat,
      }),
      ...(importUrl === null ? {} : { import_url: storedImportUrl(deps, { import_url: null }, importUrl) }),
      ...(importUrl === null && awaited === undefined && template === undefined ? {} : FILL_SCHEDULED),
    },
    fillRepository: async (dir) => {
      if (!input.initialize_with_readme || importUrl !== null || template !== undefined) return;
      const content = Buffer.from(readmeText(name, input.description ?? null));
      const actions = [{ action: 'create' as const, path: 'README.md', content }];
      const commit = { branch: defaultBranch, actions, author: owner };
      first = await writeInitialCommit(deps, dir, commit, (_repo, oid) => oid);
    },
    transactionHook: async (db, project) => {
      await requirePlacement(deps, db, caller, namespace.id);
      // The namespace is locked by now, and the new project is counted.
      if (namespace.kind === 'user') await checkLimit(db, namespace, owner, 1);
      if (topics !== undefined) await setTopics(db, deps.clock, project.id, topics);
      if (importUrl !== null) await enqueueImport(deps, db, project.id);
      await awaited?.transactionHook(db, project);
      if (template !== undefined) {
        await revalidateProjectAbility(deps, db, caller, template.id, 'fork_project');
        await enqueueCopy(deps, db, { project_id: project.id, source_id: template.id, branch: null });
      }
      await insertNewMirror(deps, db, project);
      if (first === undefined) return;
      await protectDefaultBranch(deps, db, project.id, defaultBranch);
      const updates = [{ ref: `refs/heads/${defaultBranch}`, old: null, new: first }];
      await deps.events.record(
        db,
        'push',
        { project_id: project.id, updates, push_options: [], via: 'api' },
        { projectId: project.id, actorId: owner.id },
      );
    },
  });
}

/** Instance defaults of new projects. */
const projectDefaults = ({ shared_runners_enabled, default_ci_config_path }: ApplicationSettings) => ({
  ...(shared_runners_enabled ? {} : { shared_runners_enabled }),
  ...(default_ci_config_path ? { ci_config_path: default_ci_config_path } : {}),
});

const errorsOf = (field: string, texts: string[]): FieldErrors => (texts.length === 0 ? {} : { [field]: texts });

/**
 * @param made number of projects that are counted already, but not yet checked against the limit
 * @throws ApiError 403 if the owner has reached the project limit
 */
async function checkLimit(db: Db, namespace: Namespace, owner: User, made = 0): Promise<void> {
  const { count } = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('namespace_id', '=', namespace.id)
    .executeTakeFirstOrThrow();
  const limit = owner.external === 1 ? 0 : owner.projects_limit;
  if (Number(count) - made < limit) return;
  throw new ApiError(
    403,
    limit === 0
      ? 'You cannot create projects in your personal namespace. Contact your administrator.'
      : `Your project limit is ${limit} projects! Please contact your administrator to increase it`,
  );
}
