import { type Static, type TProperties, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import { Day, Enum, Instant, Nullable, optional } from '../../../http/schema.ts';
import { CustomAttribute } from '../custom-attributes/schema.ts';
import { type GroupSettings, groupSettings, settingFields } from './settings.ts';

const basicFields = { id: Type.Integer(), web_url: Type.String(), name: Type.String() };

/** A group as it is shown to people who only choose one. */
export const PublicGroup = Type.Object({
  ...basicFields,
  avatar_url: Nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
});
export type PublicGroup = Static<typeof PublicGroup>;

/** Bytes by kind, of the projects directly in the group. */
export const GroupStatistics = Type.Object(
  Object.fromEntries(
    [
      'storage_size',
      'repository_size',
      'wiki_size',
      'lfs_objects_size',
      'job_artifacts_size',
      'pipeline_artifacts_size',
      'packages_size',
      'snippets_size',
      'uploads_size',
    ].map((name) => [name, Type.Integer()]),
  ),
);
export type GroupStatistics = Record<string, number>;

const { ldap_cn: _cn, ldap_access: _access, ...shownSettings } = settingFields;

/** Fields of the group object (silent parts of the specification, 1.9). */
export const groupFields = {
  ...basicFields,
  path: Type.String(),
  description: Type.String(),
  visibility: Enum(VISIBILITIES),
  ...shownSettings,
  emails_disabled: Type.Boolean(),
  archived: Type.Boolean(),
  avatar_url: Nullable(Type.String()),
  request_access_enabled: Type.Boolean(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: Instant(),
  parent_id: Nullable(Type.Integer()),
  organization_id: Type.Integer(),
  marked_for_deletion_on: Nullable(Day()),
  file_template_project_id: Nullable(Type.Integer({ description: 'Project with templates of files.' })),
  ldap_cn: settingFields.ldap_cn,
  ldap_access: settingFields.ldap_access,
  root_storage_statistics: Type.Null(),
  ...(optional({
    repository_storage: Type.String({ description: 'For administrators.' }),
    statistics: GroupStatistics,
    custom_attributes: Type.Array(CustomAttribute),
  }).properties as TProperties),
};
export const Group = Type.Object(groupFields);

/** What goes with a row of the table into the object. */
export interface GroupExtras {
  fullName: string;
  repositoryStorage?: string;
  statistics?: GroupStatistics;
  customAttributes?: CustomAttribute[];
}

/** Address of the group's picture; null without one. */
export function groupAvatarUrl(
  deps: Pick<Deps, 'externalUrl'>,
  group: Pick<Namespace, 'id' | 'avatar'>,
): string | null {
  if (group.avatar === null) return null;
  const file = group.avatar.slice(group.avatar.indexOf('/') + 1);
  return `${deps.externalUrl()}/uploads/-/system/group/avatar/${group.id}/${encodeURIComponent(file)}`;
}

/** Address of the group's page. */
export const groupWebUrl = (deps: Pick<Deps, 'externalUrl'>, group: Pick<Namespace, 'full_path'>): string =>
  `${deps.externalUrl()}/groups/${group.full_path}`;

/** The group as `PublicGroup`. */
export const publicGroup = (deps: Deps, group: Namespace, fullName: string): PublicGroup => ({
  id: group.id,
  web_url: groupWebUrl(deps, group),
  name: group.name,
  avatar_url: groupAvatarUrl(deps, group),
  full_name: fullName,
  full_path: group.full_path,
});

function shown(settings: GroupSettings): Pick<GroupSettings, keyof typeof settingFields> {
  return Object.fromEntries(
    (Object.keys(settingFields) as (keyof typeof settingFields)[]).map((name) => [name, settings[name]]),
  ) as Pick<GroupSettings, keyof typeof settingFields>;
}

/** The group as the API shows it in lists. */
export function groupEntity(deps: Deps, group: Namespace, extras: GroupExtras) {
  const settings = groupSettings(group);
  return {
    id: group.id,
    web_url: groupWebUrl(deps, group),
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    ...shown(settings),
    emails_disabled: !settings.emails_enabled,
    archived: group.archived === 1,
    avatar_url: groupAvatarUrl(deps, group),
    request_access_enabled: group.request_access_enabled === 1,
    full_name: extras.fullName,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    organization_id: 1,
    marked_for_deletion_on: group.marked_for_deletion_on,
    file_template_project_id: group.file_template_project_id,
    root_storage_statistics: null,
    ...(extras.repositoryStorage === undefined ? {} : { repository_storage: extras.repositoryStorage }),
    ...(extras.statistics === undefined ? {} : { statistics: extras.statistics }),
    ...(extras.customAttributes === undefined ? {} : { custom_attributes: extras.customAttributes }),
  };
}
