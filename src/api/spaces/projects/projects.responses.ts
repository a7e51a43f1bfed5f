import { type Static, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { byFlagColumn, type FeatureColumn, PROJECT_FEATURES } from '../../../db/tables/projects.table.ts';
import { Day, Enum, Instant, Nullable, optional } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { CustomAttribute } from '../custom-attributes/custom-attributes.responses.ts';
import { settingAttributes } from './projects.attributes.ts';

const ProjectNamespace = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Enum(['user', 'group']),
  full_path: Type.String(),
  parent_id: Nullable(Type.Integer()),
  avatar_url: Nullable(Type.String()),
  web_url: Type.String(),
});

const License = Type.Object({
  key: Type.String(),
  name: Type.String(),
  nickname: Nullable(Type.String()),
  html_url: Nullable(Type.String()),
  source_url: Nullable(Type.String()),
});

const simpleFields = {
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
  default_branch: Type.Optional(Nullable(Type.String())),
  tag_list: Type.Array(Type.String()),
  topics: Type.Array(Type.String()),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  web_url: Type.String(),
  readme_url: Nullable(Type.String()),
  license_url: Type.Optional(Nullable(Type.String())),
  license: Type.Optional(Nullable(License)),
  forks_count: Type.Integer(),
  avatar_url: Nullable(Type.String()),
  star_count: Type.Integer(),
  last_activity_at: Instant(),
  visibility: Enum(VISIBILITIES),
  namespace: ProjectNamespace,
  repository_storage: Type.Optional(Type.String()),
  custom_attributes: Type.Optional(Type.Array(CustomAttribute)),
};

/** A project for anonymous callers and with `simple=true` (part 1, section 2). */
export const SimpleProject = Type.Object(simpleFields);
export type SimpleProject = Static<typeof SimpleProject>;

const Level = Enum(['disabled', 'private', 'enabled', 'public']);

const featureLevels = Object.fromEntries(
  PROJECT_FEATURES.map((feature) => [`${feature}_access_level`, Type.Optional(Level)]),
) as Record<FeatureColumn, ReturnType<typeof Type.Optional<typeof Level>>>;

export const ProjectStatistics = Type.Object({
  commit_count: Type.Integer(),
  storage_size: Type.Integer(),
  repository_size: Type.Integer(),
  wiki_size: Type.Integer(),
  lfs_objects_size: Type.Integer(),
  job_artifacts_size: Type.Integer(),
  pipeline_artifacts_size: Type.Integer(),
  packages_size: Type.Integer(),
  snippets_size: Type.Integer(),
  uploads_size: Type.Integer(),
  container_registry_size: Type.Integer(),
});
export type ProjectStatistics = Static<typeof ProjectStatistics>;

const AccessOf = Nullable(Type.Object({ access_level: Type.Integer(), notification_level: Type.Integer() }));

const flag = Type.Optional(Type.Boolean());

const Links = optional({
  self: Type.String(),
  issues: Type.String(),
  merge_requests: Type.String(),
  repo_branches: Type.String(),
  labels: Type.String(),
  events: Type.String(),
  members: Type.String(),
  cluster_agents: Type.String(),
});

const fullFields = {
  ...settingAttributes,
  ...featureLevels,
  ...optional({
    container_registry_image_prefix: Type.String(),
    _links: Links,
    marked_for_deletion_at: Nullable(Day()),
    marked_for_deletion_on: Nullable(Day()),
    owner: UserBasic,
    container_expiration_policy: Type.Object({
      cadence: Type.String(),
      enabled: Type.Boolean(),
      keep_n: Nullable(Type.Integer()),
      older_than: Nullable(Type.String()),
      name_regex: Nullable(Type.String()),
      name_regex_keep: Nullable(Type.String()),
      next_run_at: Nullable(Instant()),
    }),
    repository_object_format: Enum(['sha1', 'sha256']),
    service_desk_address: Nullable(Type.String()),
    creator_id: Nullable(Type.Integer()),
    import_url: Nullable(Type.String()),
    import_type: Nullable(Type.String()),
    import_status: Type.String(),
    import_error: Nullable(Type.String()),
    open_issues_count: Type.Integer(),
    description_html: Type.String(),
    updated_at: Instant(),
    forked_from_project: Nullable(SimpleProject),
    runners_token: Nullable(Type.String()),
    shared_with_groups: Type.Array(
      Type.Object({
        group_id: Type.Integer(),
        group_name: Type.String(),
        group_full_path: Type.String(),
        group_access_level: Type.Integer(),
        expires_at: Nullable(Day()),
      }),
    ),
    statistics: ProjectStatistics,
    permissions: Type.Object({ project_access: AccessOf, group_access: AccessOf }),
    mirror_user_id: Nullable(Type.Integer()),
    compliance_frameworks: Type.Array(Type.String()),
  }).properties,
  packages_enabled: flag,
  empty_repo: flag,
  archived: flag,
  issues_enabled: flag,
  merge_requests_enabled: flag,
  wiki_enabled: flag,
  jobs_enabled: flag,
  snippets_enabled: flag,
  container_registry_enabled: flag,
  requirements_enabled: flag,
  security_and_compliance_enabled: flag,
  can_create_merge_request_in: flag,
  emails_disabled: flag,
  ...byFlagColumn(() => flag),
  mirror: flag,
  secret_push_protection_enabled: flag,
  pre_receive_secret_detection_enabled: flag,
  ci_opt_in_jwt: flag,
  operations_access_level: Type.Optional(Level),
};

/** A project; optional fields depend on the caller and on `simple`, `statistics` and others. */
export const Project = Type.Object({ ...simpleFields, ...fullFields });
export type Project = Static<typeof Project>;

/** Response to requests that are processed in the background. */
export const Accepted = Type.Object({ message: Type.String() });
