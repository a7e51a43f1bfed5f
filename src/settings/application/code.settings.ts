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

/** Sources of project imports, by the names of the API. */
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
  description: 'Protection of the default branch of new projects, unless their group sets its own.',
  nullable: false,
};

const weights: Setting<Readonly<Record<string, number>>> = {
  kind: 'weights',
  default: {},
  description: 'Weights of storages for new repositories, from 0 to 100.',
  nullable: false,
};

const repositories = {
  default_branch_name: text(
    null,
    'Default branch of new projects, unless their group sets its own; `main` by default.',
  ),
  default_branch_protection_defaults: protection,
  group_owners_can_manage_default_branch_protection: paid(
    'premium',
    flag(true, 'Whether Owners may set the default branch protection of their groups.'),
  ),
  repository_storages_weighted: weights,
  receive_max_input_size: maybeInteger('Maximum size of a push in MiB.', { min: 1 }),
  repository_size_limit: paid(
    'premium',
    integer(0, 'Maximum size of a repository with its LFS objects in MiB; 0 is unlimited.'),
  ),
  snippet_size_limit: integer(52_428_800, 'Maximum size of a snippet file in bytes.', { min: 1, max: 536_870_912 }),
  wiki_page_max_content_bytes: integer(5_242_880, 'Maximum size of a wiki page in bytes.', {
    min: 1_024,
    max: 1_073_741_824,
  }),
  wiki_asciidoc_allow_uri_includes: keptOnly(flag(false, 'Whether AsciiDoc wiki pages may include from URLs.')),
  asciidoc_max_includes: keptOnly(integer(32, 'Maximum number of includes in an AsciiDoc document.', { max: 64 })),
  max_attachment_size: integer(100, 'Maximum size of an uploaded file in MiB.', { min: 1 }),
  enabled_git_access_protocol: choice(
    ['', 'ssh', 'http', 'all'],
    'all',
    'Enabled git protocols; an empty text or `all` for every one.',
  ),
  custom_http_clone_url_root: text(null, 'Base URL of HTTP clone addresses.'),
  diff_max_patch_bytes: keptOnly(
    integer(204_800, 'Maximum size of the diff of a file in bytes.', { min: 1, max: 512_000 }),
  ),
  diff_max_files: keptOnly(integer(1_000, 'Maximum number of files in a diff.', { min: 1, max: 3_000 })),
  diff_max_lines: keptOnly(integer(50_000, 'Maximum number of lines in a diff.', { min: 1, max: 100_000 })),
  housekeeping_enabled: keptOnly(flag(true, 'Whether repositories are repacked.')),
  housekeeping_optimize_repository_period: keptOnly(
    integer(10, 'Number of pushes after which a repository is repacked.', { min: 1 }),
  ),
  hashed_storage_enabled: keptOnly(flag(true, 'Whether repositories are stored under paths derived from their ids.')),
  repository_checks_enabled: keptOnly(flag(true, 'Whether repositories are checked for corruption.')),
  gitaly_timeout_default: keptOnly(integer(55, 'Timeout in seconds of a default git operation.')),
  gitaly_timeout_medium: keptOnly(integer(30, 'Timeout in seconds of a medium git operation.')),
  gitaly_timeout_fast: keptOnly(integer(10, 'Timeout in seconds of a fast git operation.')),
  commit_email_hostname: keptOnly(text(null, 'Host name of private email addresses in commits.')),
  local_markdown_version: keptOnly(integer(0, 'Version of cached HTML; a higher number invalidates the cache.')),
  file_template_project_id: keptOnly(
    paid('premium', maybeInteger('ID of the project that contains file templates.', { min: 1 })),
  ),
  prevent_merge_requests_author_approval: paid(
    'premium',
    flag(false, 'Whether authors may not approve their own merge requests.'),
  ),
  prevent_merge_requests_committers_approval: paid(
    'premium',
    flag(false, 'Whether users may not approve merge requests that they have added commits to.'),
  ),
  disable_overriding_approvers_per_merge_request: paid(
    'premium',
    flag(false, 'Whether approval rules of projects cannot be overridden in merge requests.'),
  ),
  time_tracking_limit_to_hours: keptOnly(flag(false, 'Whether time tracking shows hours only.')),
  static_objects_external_storage_url: keptOnly(text(null, 'URL of an external cache for archives and raw files.')),
  static_objects_external_storage_auth_token: keptOnly(secret('Token for the external storage cache.')),
};

const moving = {
  import_sources: choices(IMPORT_SOURCES, IMPORT_SOURCES, 'Allowed sources of project imports.'),
  max_import_size: integer(0, 'Maximum size of an imported project in MiB; 0 is unlimited.'),
  max_import_remote_file_size: integer(
    10_240,
    'Maximum size of a project archive imported from a URL in MiB; 0 is unlimited.',
  ),
  max_export_size: integer(0, 'Maximum size of a project export in MiB; 0 is unlimited.'),
  max_decompressed_archive_size: integer(
    25_600,
    'Maximum size of an imported archive after decompression in MiB; 0 is unlimited.',
  ),
  decompress_archive_file_timeout: keptOnly(
    integer(210, 'Timeout in seconds for decompressing an imported archive; 0 is unlimited.'),
  ),
  project_export_enabled: flag(true, 'Whether projects can be exported.'),
  bulk_import_enabled: flag(false, 'Whether groups and projects can be imported by direct transfer.'),
  bulk_import_max_download_file_size: integer(5_120, 'Maximum size in MiB of a file downloaded by direct transfer.', {
    min: 1,
  }),
  bulk_import_concurrent_pipeline_batch_limit: keptOnly(
    integer(25, 'Maximum number of concurrent direct transfer batches.', { min: 1 }),
  ),
  allow_bypass_placeholder_confirmation: flag(
    false,
    'Whether administrators may reassign imported contributions without confirmation of the user.',
  ),
  concurrent_relation_batch_export_limit: keptOnly(
    integer(8, 'Maximum number of concurrent batches of relation exports.', { min: 1 }),
  ),
  relation_export_batch_size: keptOnly(integer(50, 'Number of records in a batch of a relation export.', { min: 1 })),
  concurrent_github_import_jobs_limit: keptOnly(
    integer(1_000, 'Maximum number of concurrent import jobs for GitHub.', { min: 1 }),
  ),
  concurrent_bitbucket_import_jobs_limit: keptOnly(
    integer(100, 'Maximum number of concurrent import jobs for Bitbucket Cloud.', { min: 1 }),
  ),
  concurrent_bitbucket_server_import_jobs_limit: keptOnly(
    integer(100, 'Maximum number of concurrent import jobs for Bitbucket Server.', {
      min: 1,
    }),
  ),
  max_github_response_size_limit: keptOnly(integer(8, 'Maximum size of a GitHub API response in MiB; 0 is unlimited.')),
  max_github_response_json_value_count: keptOnly(
    integer(250_000, 'Maximum number of values in a GitHub API response; 0 is unlimited.'),
  ),
  silent_admin_exports_enabled: flag(false, 'Whether exports by administrators are not audited.'),
  mirror_available: flag(true, 'Whether users who are not administrators may set up mirrors.'),
  mirror_max_delay: keptOnly(
    paid('premium', integer(300, 'Minimum number of minutes between updates of a mirror.', { min: 30 })),
  ),
  mirror_max_capacity: keptOnly(
    paid('premium', integer(100, 'Maximum number of mirrors that are updated at once.', { min: 1 })),
  ),
  mirror_capacity_threshold: keptOnly(
    paid('premium', integer(50, 'Number of free mirror slots before further mirrors are scheduled.', { min: 1 })),
  ),
};

/** Outgoing requests and notifications. */
const outside = {
  allow_local_requests_from_web_hooks_and_services: flag(
    false,
    'Whether webhooks and integrations may send requests to the local network.',
  ),
  allow_local_requests_from_system_hooks: flag(false, 'Whether system hooks may send requests to the local network.'),
  outbound_local_requests_whitelist: texts(
    [],
    'Hosts and addresses in the local network that may be reached although local requests are not allowed.',
  ),
  outbound_local_requests_allowlist_raw: longText('`outbound_local_requests_whitelist`, one entry a line.'),
  dns_rebinding_protection_enabled: keptOnly(
    flag(true, 'Whether connections use the resolved IP address that was checked (DNS rebinding protection).'),
  ),
  max_http_response_size_limit: keptOnly(
    integer(104, 'Maximum size of a response from another server in MiB; 0 is unlimited.'),
  ),
  max_http_decompressed_size: keptOnly(
    integer(100, 'Maximum size of a decompressed response from another server in MiB; 0 is unlimited.'),
  ),
  silent_mode_enabled: flag(false, 'Whether silent mode is enabled: nothing is sent to other servers or by email.'),
  maintenance_mode: paid(
    'premium',
    flag(false, 'Whether maintenance mode is enabled: only administrators can change anything.'),
  ),
  maintenance_mode_message: paid('premium', longText('Message shown during maintenance mode.')),
  push_event_activities_limit: integer(
    3,
    'Number of refs in a push above which the activity feed shows a single event.',
  ),
  push_event_hooks_limit: integer(3, 'Number of refs in a push above which no webhooks are called.'),
  polling_interval_multiplier: keptOnly(
    decimal(1, 'Multiplier for the polling interval of web pages; 0 disables polling.'),
  ),
};

export const codeSettings = { ...repositories, ...moving, ...outside };
