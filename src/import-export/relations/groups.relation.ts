import { PROJECT_CREATION_LEVELS, SUBGROUP_CREATION_LEVELS, visibilityLevel } from '../../core/access-levels.ts';
import { parseJson } from '../../db/columns.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import { badgesOf } from './badges.relation.ts';
import { labels } from './labels.relation.ts';
import { milestones } from './milestones.relation.ts';
import { type Exporting, emptyRelation, type Relation, singleRelation } from './relation.ts';
import { uploads } from './uploads.relation.ts';
import { userContributions } from './user-contributions.ts';

/** Settings that the platform exports separately from the group. */
const NAMESPACE_SETTINGS: readonly string[] = [
  'prevent_forking_outside_group',
  'prevent_sharing_groups_outside_hierarchy',
  'show_diff_preview_in_email',
  'math_rendering_limits_enabled',
  'lock_math_rendering_limits_enabled',
  'enabled_git_access_protocol',
  'service_access_tokens_expiration_enforced',
  'only_allow_merge_if_pipeline_succeeds',
  'allow_merge_on_skipped_pipeline',
  'only_allow_merge_if_all_discussions_are_resolved',
];

type SettingsRecord = Record<string, unknown>;

const groupOf = ({ portable }: Exporting): Namespace => {
  if (portable.kind !== 'group') throw new TypeError('not a group');
  return portable.group;
};

/** Settings of the group that differ from the defaults. */
const settingsOf = (group: Namespace, apart: boolean): SettingsRecord =>
  Object.fromEntries(
    Object.entries(parseJson<SettingsRecord>(group.settings)).filter(
      ([name]) => NAMESPACE_SETTINGS.includes(name) === apart,
    ),
  );

/** Replaces names of levels by the numbers used in archives. */
function numbered({
  project_creation_level: projects,
  subgroup_creation_level: subgroups,
  ...rest
}: SettingsRecord): SettingsRecord {
  return {
    ...rest,
    ...(projects === undefined ? {} : { project_creation_level: PROJECT_CREATION_LEVELS.indexOf(projects as never) }),
    ...(subgroups === undefined
      ? {}
      : { subgroup_creation_level: SUBGROUP_CREATION_LEVELS.indexOf(subgroups as never) }),
  };
}

const self = singleRelation('self', (exporting) => {
  const group = groupOf(exporting);
  return {
    ...numbered(settingsOf(group, false)),
    id: group.id,
    name: group.name,
    path: group.path,
    description: group.description,
    visibility_level: visibilityLevel(group.visibility),
    request_access_enabled: group.request_access_enabled === 1,
    archived: group.archived === 1,
    created_at: group.created_at,
    updated_at: group.updated_at,
  };
});

const namespaceSettings = singleRelation('namespace_settings', (exporting) => ({
  namespace_id: groupOf(exporting).id,
  ...settingsOf(groupOf(exporting), true),
}));

/** Relations of a group, without subgroups and projects (silent parts 2.4.7). User contributions come last. */
export const GROUP_RELATIONS: readonly Relation[] = [
  self,
  namespaceSettings,
  milestones,
  badgesOf('badges'),
  emptyRelation('boards'),
  labels,
  uploads,
  userContributions,
];
