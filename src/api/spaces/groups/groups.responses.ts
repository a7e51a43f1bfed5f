import { type Static, type TProperties, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { Day, Enum, Instant, Nullable, optional } from '../../../http/http.schema.ts';
import { CustomAttribute } from '../custom-attributes/custom-attributes.responses.ts';
import { Project } from '../projects/projects.responses.ts';
import { additionalSettingFields, DUO_AVAILABILITIES, detailSettingFields, settingFields } from './groups.settings.ts';

const basicFields = { id: Type.Integer(), web_url: Type.String(), name: Type.String() };

/** A group in lists for selection. */
export const PublicGroup = Type.Object({
  ...basicFields,
  avatar_url: Nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
});
export type PublicGroup = Static<typeof PublicGroup>;

/** Sizes in bytes of the projects directly in the group. */
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

/** Fields of a group (silent parts of the specification, 1.9). */
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
  file_template_project_id: Nullable(Type.Integer({ description: 'Id of the project with file templates.' })),
  ldap_cn: settingFields.ldap_cn,
  ldap_access: settingFields.ldap_access,
  root_storage_statistics: Type.Null(),
  ...(optional({
    repository_storage: Type.String({ description: 'Only for administrators.' }),
    statistics: GroupStatistics,
    custom_attributes: Type.Array(CustomAttribute),
  }).properties as TProperties),
};

export const Group = Type.Object(groupFields);

/** A share, nested in the shared object. */
export const SharedWithGroup = Type.Object({
  group_id: Type.Integer(),
  group_name: Type.String(),
  group_full_path: Type.String(),
  group_access_level: Type.Integer(),
  expires_at: Nullable(Day()),
  member_role_id: Nullable(Type.Integer()),
});
export type SharedWithGroup = Static<typeof SharedWithGroup>;

/** A directory group to synchronize members with. */
export const LdapGroupLink = Type.Object({
  cn: Type.String(),
  group_access: Type.Integer(),
  provider: Type.String(),
});

/** A SAML group to synchronize members with. */
export const SamlGroupLink = Type.Object({ name: Type.String(), access_level: Type.Integer() });

/** A single group (silent parts of the specification, 1.9). */
export const GroupDetail = Type.Object({
  ...groupFields,
  shared_with_groups: Type.Array(SharedWithGroup),
  ip_restriction_ranges: Type.Null(),
  ldap_group_links: Type.Array(LdapGroupLink),
  saml_group_links: Type.Array(SamlGroupLink),
  duo_availability: Enum(DUO_AVAILABILITIES),
  ...detailSettingFields,
  allow_personal_snippets: additionalSettingFields.allow_personal_snippets,
  ...(optional({
    allowed_email_domains_list: additionalSettingFields.allowed_email_domains_list,
    runners_token: Nullable(Type.String({ description: 'Only for owners; null if registration tokens are disabled.' })),
    projects: Type.Array(Project, { deprecated: true, description: 'The first 100 projects of the group.' }),
    shared_projects: Type.Array(Project, {
      deprecated: true,
      description: 'The first 100 projects shared with the group.',
    }),
  }).properties as TProperties),
});
