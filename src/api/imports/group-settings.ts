import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { PROJECT_CREATION_LEVELS, SUBGROUP_CREATION_LEVELS } from '../../core/access-levels.ts';
import type { Deps } from '../../deps.ts';
import { isValidBranchName } from '../../git/common/index.ts';
import { propertiesOf } from '../../http/http.schema.ts';
import { onPlan, paidParameters } from '../../http/paid-parameters.ts';
import type { ImportedObject } from '../../import-export/imports/coerce-import.ts';
import { CreateGroup } from '../spaces/index.ts';

/**
 * Imported settings of a group. Settings for directories, compute minutes, named users, or keys and services of the
 * source server are left out.
 */
const TAKEN = [
  'request_access_enabled',
  'project_creation_level',
  'subgroup_creation_level',
  'require_two_factor_authentication',
  'two_factor_grace_period',
  'share_with_group_lock',
  'membership_lock',
  'prevent_sharing_groups_outside_hierarchy',
  'prevent_forking_outside_group',
  'emails_enabled',
  'emails_disabled',
  'mentions_disabled',
  'show_diff_preview_in_email',
  'lfs_enabled',
  'auto_devops_enabled',
  'shared_runners_setting',
  'max_artifacts_size',
  'default_branch',
  'default_branch_protection',
  'default_branch_protection_defaults',
  'wiki_access_level',
  'enabled_git_access_protocol',
  'service_access_tokens_expiration_enforced',
  'math_rendering_limits_enabled',
  'lock_math_rendering_limits_enabled',
  'only_allow_merge_if_pipeline_succeeds',
  'allow_merge_on_skipped_pipeline',
  'only_allow_merge_if_all_discussions_are_resolved',
] as const satisfies readonly (keyof Static<typeof CreateGroup>)[];
const ImportedSchema = Type.Pick(CreateGroup, TAKEN);
export type ImportedGroupSettings = Static<typeof ImportedSchema>;

/** Upper bound of numeric settings. */
const MAX_NUMBER = 2_147_483_647;
/** Levels with which no one could import projects into the group. */
const CLOSED: readonly unknown[] = ['noone', 'administrator'];

const wordOf = (words: readonly string[], value: unknown): unknown =>
  typeof value === 'number' ? words[value] : value;

/** Converts numbers and columns of archives to the names of the API. */
function inWords(object: ImportedObject): ImportedObject {
  const { shared_runners_enabled: shared, allow_descendants_override_disabled_shared_runners: overridable } = object;
  const off = overridable === true ? 'disabled_and_overridable' : 'disabled_and_unoverridable';
  return {
    ...(typeof shared === 'boolean' ? { shared_runners_setting: shared ? 'enabled' : off } : {}),
    ...object,
    project_creation_level: wordOf(PROJECT_CREATION_LEVELS, object.project_creation_level),
    subgroup_creation_level: wordOf(SUBGROUP_CREATION_LEVELS, object.subgroup_creation_level),
  };
}

/**
 * Returns the imported settings of a group that the current plan includes; invalid values are left out.
 * @param object object of an archive or of the API of the source server
 * @param into whether it becomes a top-level group, and whether projects are imported into it
 */
export async function importedGroupSettings(
  deps: Deps,
  object: ImportedObject,
  into: { topLevel: boolean; projects: boolean },
): Promise<ImportedGroupSettings> {
  const schemas: Record<string, TSchema> = propertiesOf(CreateGroup);
  const attributes = inWords(object);
  const fits = (name: string, value: unknown): boolean => {
    if (value === undefined || !Check(schemas[name]!, value)) return false;
    if (typeof value === 'number') return value <= MAX_NUMBER;
    if (name === 'prevent_sharing_groups_outside_hierarchy') return into.topLevel;
    return name !== 'default_branch' || value === null || value === '' || isValidBranchName(String(value));
  };
  const taken: Record<string, unknown> = Object.fromEntries(
    TAKEN.flatMap((name) => (fits(name, attributes[name]) ? [[name, attributes[name]]] : [])),
  );
  if (into.projects && CLOSED.includes(taken.project_creation_level)) taken.project_creation_level = 'owner';
  return (await onPlan(deps, paidParameters(ImportedSchema), { source: taken, values: taken })).values;
}
