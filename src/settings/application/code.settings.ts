import { type BranchProtection, FULLY_PROTECTED, PROTECTIONS } from '../branch-protection.ts';
import {
  choice,
  choices,
  decimal,
  flag,
  integer,
  keptOnly,
  longText,
  maybeInteger,
  paid,
  type Setting,
  secret,
  text,
  texts,
} from './field.ts';

/** Where projects may be imported from, as the platform names it. */
export const IMPORT_SOURCES = [
  'github',
  'bitbucket',
  'bitbucket_server',
  'fogbugz',
  'git',
  'gitlab_project',
  'gitea',
  'manifest',
] as const;

const protection: Setting<BranchProtection> = {
  kind: 'branch_protection',
  default: PROTECTIONS[FULLY_PROTECTED]!,
  description: 'How the default branch of a new project is protected where its group says nothing.',
  nullable: false,
};

const weights: Setting<Readonly<Record<string, number>>> = {
  kind: 'weights',
  default: {},
  description: 'Share of new repositories of each storage, from 0 to 100.',
  nullable: false,
};

const repositories = {
  default_branch_name: text(null, 'Default branch of new projects where their group says nothing; `main` unless set.'),
  default_branch_protection_defaults: protection,
  group_owners_can_manage_default_branch_protection: paid(
    'premium',
    flag(true, 'Whether Owners change that for their groups.'),
  ),
  repository_storages_weighted: weights,
  receive_max_input_size: maybeInteger('MiB of a push.', { min: 1 }),
  repository_size_limit: paid('premium', integer(0, 'MiB of a repository with its LFS objects; 0 is no limit.')),
  snippet_size_limit: integer(52_428_800, 'Bytes of a file of a snippet.', { min: 1, max: 536_870_912 }),
  wiki_page_max_content_bytes: integer(5_242_880, 'Bytes of a page of a wiki.', { min: 1_024, max: 1_073_741_824 }),
  wiki_asciidoc_allow_uri_includes: keptOnly(flag(false, 'Whether AsciiDoc pages of wikis include from elsewhere.')),
  asciidoc_max_includes: keptOnly(integer(32, 'Files that an AsciiDoc page includes.', { max: 64 })),
  max_attachment_size: integer(100, 'MiB of an uploaded file.', { min: 1 }),
  enabled_git_access_protocol: choice(['', 'ssh', 'http', 'all'], 'all', 'Protocols that git may use.'),
  custom_http_clone_url_root: text(null, 'Base of the addresses to clone from over HTTP.'),
  diff_max_patch_bytes: keptOnly(integer(204_800, 'Bytes of the diff of one file.', { min: 1, max: 512_000 })),
  diff_max_files: keptOnly(integer(1_000, 'Files of a diff.', { min: 1, max: 3_000 })),
  diff_max_lines: keptOnly(integer(50_000, 'Lines of a diff.', { min: 1, max: 100_000 })),
  housekeeping_enabled: keptOnly(flag(true, 'Whether repositories are packed.')),
  housekeeping_optimize_repository_period: keptOnly(integer(10, 'Pushes after which they are.', { min: 1 })),
  hashed_storage_enabled: keptOnly(flag(true, 'Whether paths of repositories on disk are independent of names.')),
  repository_checks_enabled: keptOnly(flag(true, 'Whether repositories are looked over for damage.')),
  gitaly_timeout_default: keptOnly(integer(55, 'Seconds of an ordinary operation of git.')),
  gitaly_timeout_medium: keptOnly(integer(30, 'Seconds of a faster one.')),
  gitaly_timeout_fast: keptOnly(integer(10, 'Seconds of a fast one.')),
  commit_email_hostname: keptOnly(text(null, 'Host of private e-mail addresses in commits.')),
  local_markdown_version: keptOnly(integer(0, 'Counted up where kept HTML is to be made anew.')),
  file_template_project_id: keptOnly(
    paid('premium', maybeInteger('Project that templates of files come from.', { min: 1 })),
  ),
  prevent_merge_requests_author_approval: paid('premium', flag(false, 'Whether nobody approves own merge requests.')),
  prevent_merge_requests_committers_approval: paid('premium', flag(false, 'Whether nobody approves own commits.')),
  disable_overriding_approvers_per_merge_request: paid(
    'premium',
    flag(false, 'Whether merge requests follow the approval rules of their projects.'),
  ),
  time_tracking_limit_to_hours: keptOnly(flag(false, 'Whether times are told in hours alone.')),
  static_objects_external_storage_url: keptOnly(text(null, 'Address of a cache for archives and files.')),
  static_objects_external_storage_auth_token: keptOnly(secret('Token of that cache.')),
};

const moving = {
  import_sources: choices(IMPORT_SOURCES, IMPORT_SOURCES, 'Where projects may be imported from.'),
  max_import_size: integer(0, 'MiB of a project that is imported; 0 is no limit.'),
  max_import_remote_file_size: integer(10_240, 'MiB of an archive elsewhere that is imported; 0 is no limit.'),
  max_export_size: integer(0, 'MiB of an exported project; 0 is no limit.'),
  max_decompressed_archive_size: integer(25_600, 'MiB of an unpacked archive that is imported; 0 is no limit.'),
  decompress_archive_file_timeout: keptOnly(integer(210, 'Seconds for unpacking it; 0 is no limit.')),
  project_export_enabled: flag(true, 'Whether projects may be exported.'),
  bulk_import_enabled: flag(false, 'Whether groups and projects come from other servers directly.'),
  bulk_import_max_download_file_size: integer(5_120, 'MiB of a file that comes so.', { min: 1 }),
  bulk_import_concurrent_pipeline_batch_limit: keptOnly(integer(25, 'Batches of such exports at once.', { min: 1 })),
  allow_bypass_placeholder_confirmation: flag(false, 'Whether administrators give contributions to users unasked.'),
  concurrent_relation_batch_export_limit: keptOnly(integer(8, 'Batches of exports at once.', { min: 1 })),
  relation_export_batch_size: keptOnly(integer(50, 'Things in a batch of an export.', { min: 1 })),
  concurrent_github_import_jobs_limit: keptOnly(integer(1_000, 'Jobs of imports from GitHub at once.', { min: 1 })),
  concurrent_bitbucket_import_jobs_limit: keptOnly(integer(100, 'Jobs of imports from Bitbucket at once.', { min: 1 })),
  concurrent_bitbucket_server_import_jobs_limit: keptOnly(
    integer(100, 'Jobs of imports from Bitbucket Server at once.', {
      min: 1,
    }),
  ),
  max_github_response_size_limit: keptOnly(integer(8, 'MiB of an answer of GitHub; 0 is no limit.')),
  max_github_response_json_value_count: keptOnly(integer(250_000, 'Values in an answer of GitHub; 0 is no limit.')),
  silent_admin_exports_enabled: flag(false, 'Whether exports of administrators are told to nobody.'),
  mirror_available: flag(true, 'Whether others than administrators set up mirrors.'),
  mirror_max_delay: keptOnly(paid('premium', integer(300, 'Minutes between two updates of a mirror.', { min: 30 }))),
  mirror_max_capacity: keptOnly(paid('premium', integer(100, 'Mirrors that are updated at once.', { min: 1 }))),
  mirror_capacity_threshold: keptOnly(paid('premium', integer(50, 'Places that must be free for more.', { min: 1 }))),
};

/** What the server may reach, and what it tells others. */
const outside = {
  allow_local_requests_from_web_hooks_and_services: flag(
    false,
    'Whether requests of the server may reach the local network.',
  ),
  allow_local_requests_from_system_hooks: flag(false, 'Whether requests of system hooks may reach the local network.'),
  outbound_local_requests_whitelist: texts([], 'Hosts of the local network that may be reached all the same.'),
  outbound_local_requests_allowlist_raw: longText('The same as lines.'),
  dns_rebinding_protection_enabled: keptOnly(flag(true, 'Whether connections go to the address that was looked at.')),
  max_http_response_size_limit: keptOnly(integer(104, 'MiB of an answer from elsewhere; 0 is no limit.')),
  max_http_decompressed_size: keptOnly(integer(100, 'MiB of such an answer, unpacked; 0 is no limit.')),
  silent_mode_enabled: flag(false, 'Whether the server sends nothing to anybody.'),
  maintenance_mode: paid('premium', flag(false, 'Whether only administrators change anything.')),
  maintenance_mode_message: paid('premium', longText('What others are told meanwhile.')),
  push_event_activities_limit: integer(3, 'Refs in a push beyond which the feed has one entry for all.'),
  push_event_hooks_limit: integer(3, 'Refs in a push beyond which no webhook is called.'),
  polling_interval_multiplier: keptOnly(decimal(1, 'How much slower web pages ask again; 0 stops them.')),
};

export const codeSettings = { ...repositories, ...moving, ...outside };
