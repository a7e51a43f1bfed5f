import type { Updateable } from 'kysely';
import type { Static, TObject } from 'typebox';
import { compilePattern } from '../../../ci/expressions/expressions.pattern.ts';
import { type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import type { FieldErrors } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import {
  type FeatureColumn,
  type FeatureLevel,
  PROJECT_FEATURES,
  PROJECT_FLAGS,
  type Project,
  type ProjectsTable,
} from '../../../db/tables/projects.table.ts';
import { OPERATIONS, type projectAttributes, settingAttributes } from './projects.attributes.ts';
import { DEFAULT_SETTINGS, type ProjectSettings, settingsOf } from './projects.settings.ts';

export type AttributeInput = Static<TObject<typeof projectAttributes>>;

/** Changes of a project's row. */
export interface ProjectChanges {
  columns: Updateable<ProjectsTable>;
  settings: Partial<ProjectSettings>;
  /** Names of all topics; undefined leaves them unchanged. */
  topics: readonly string[] | undefined;
}

/** Deprecated switches, with the feature that each stands for. */
const SWITCHES = {
  issues_enabled: 'issues',
  merge_requests_enabled: 'merge_requests',
  wiki_enabled: 'wiki',
  jobs_enabled: 'builds',
  snippets_enabled: 'snippets',
  container_registry_enabled: 'container_registry',
  packages_enabled: 'package_registry',
  requirements_enabled: 'requirements',
  security_and_compliance_enabled: 'security_and_compliance',
} as const;

const SETTING_NAMES = Object.keys(settingAttributes) as (keyof typeof settingAttributes)[];

/** Sorts the attributes of a request into columns, settings and topics, resolving deprecated names. */
export function changesOf(input: AttributeInput, project?: Pick<Project, 'settings'>): ProjectChanges {
  const columns: Updateable<ProjectsTable> = { ...featureLevelsOf(input) };
  if (input.description !== undefined) columns.description = input.description;
  if (input.visibility !== undefined) columns.visibility = input.visibility;
  for (const column of PROJECT_FLAGS) {
    const on = input[column];
    if (on !== undefined) columns[column] = bit(on);
  }
  const attributes = SETTING_NAMES.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]);
  const settings: Partial<ProjectSettings> = Object.fromEntries(attributes);
  if (input.emails_disabled !== undefined) settings.emails_enabled = !input.emails_disabled;
  if (input.public_builds !== undefined) settings.public_jobs = input.public_builds;
  if (input.mirror !== undefined) settings.mirror = input.mirror;
  const expiration = input.container_expiration_policy_attributes;
  if (expiration !== undefined) {
    const { name_regex_delete, ...policy } = expiration;
    settings.container_expiration_policy = {
      ...(project === undefined ? DEFAULT_SETTINGS : settingsOf(project)).container_expiration_policy,
      ...policy,
      ...(name_regex_delete === undefined ? {} : { name_regex: name_regex_delete }),
    };
  }
  return { columns, settings, topics: input.topics ?? input.tag_list };
}

function featureLevelsOf(input: AttributeInput): Partial<Record<FeatureColumn, FeatureLevel>> {
  const levels: Partial<Record<FeatureColumn, FeatureLevel>> = {};
  for (const [name, feature] of Object.entries(SWITCHES) as [
    keyof typeof SWITCHES,
    (typeof PROJECT_FEATURES)[number],
  ][]) {
    const on = input[name];
    if (on !== undefined) levels[`${feature}_access_level`] = on ? 'enabled' : 'disabled';
  }
  if (input.operations_access_level !== undefined) {
    for (const feature of OPERATIONS) levels[`${feature}_access_level`] = input.operations_access_level;
  }
  for (const feature of PROJECT_FEATURES) {
    const level = input[`${feature}_access_level`];
    if (level !== undefined) levels[`${feature}_access_level`] = level;
  }
  return levels;
}

const RANK: Record<FeatureLevel, number> = { disabled: 0, private: 10, enabled: 20, public: 30 };

/** Validates the access levels of features: merge requests and builds need the repository. */
export function featureErrors(levels: Partial<Record<FeatureColumn, FeatureLevel>>): FieldErrors {
  const repository = RANK[levels.repository_access_level ?? 'enabled'];
  const errors: FieldErrors = {};
  for (const column of ['merge_requests_access_level', 'builds_access_level'] as const) {
    if (RANK[levels[column] ?? 'enabled'] > repository) {
      errors[`project_feature.${column}`] = ['cannot have higher visibility level than repository access level'];
    }
  }
  return errors;
}

/** Validates a visibility in a namespace: a project must not be more visible than its ancestor groups. */
export function visibilityErrors(
  visibility: Visibility,
  namespace: Pick<Namespace, 'kind' | 'visibility'>,
): FieldErrors {
  if (namespace.kind !== 'group' || visibilityLevel(visibility) <= visibilityLevel(namespace.visibility)) return {};
  return { visibility_level: [`${visibility} is not allowed in a ${namespace.visibility} group.`] };
}

/** Validates the visibility of a fork: it must not be more visible than its source. */
export function forkVisibilityErrors(visibility: Visibility, source: Pick<Project, 'visibility'>): FieldErrors {
  if (visibilityLevel(visibility) <= visibilityLevel(source.visibility)) return {};
  return { visibility_level: [`${visibility} is not allowed since the fork source project has lower visibility.`] };
}

const MAX_PATH = 255;

/** Validates the location of the CI configuration: a path in a repository, or a URL. */
export function configPathErrors(path: string | null | undefined): FieldErrors {
  if (!path) return {};
  const texts = [
    ...(/^\/|\.\./.test(path) ? ['cannot include leading slash or directory traversal.'] : []),
    ...(path.length > MAX_PATH ? [`is too long (maximum is ${MAX_PATH} characters)`] : []),
  ];
  return texts.length === 0 ? {} : { ci_config_path: texts };
}

/** Validates the regular expression for coverage. */
export const coverageErrors = (pattern: string | null | undefined): FieldErrors =>
  !pattern || compilePattern(pattern, '') !== null
    ? {}
    : { build_coverage_regex: ['must be an RE2 regular expression without enclosing slashes'] };

/** Returns `operations_access_level`: the most restrictive level of the features that it stands for. */
export const operationsLevel = (levels: Record<FeatureColumn, FeatureLevel>): FeatureLevel =>
  OPERATIONS.map((feature) => levels[`${feature}_access_level`]).reduce((a, b) => (RANK[b] < RANK[a] ? b : a));

/** Validates names of topics. */
export function topicErrors(topics: readonly string[] | undefined): FieldErrors {
  if (topics?.some((name) => name.length > 255)) return { topic_list: ['is too long (maximum is 255 characters)'] };
  if ((topics?.length ?? 0) > 100) return { topic_list: ['has too many topics (maximum is 100)'] };
  return {};
}
