import { choices, flag, integer, keptOnly, longText, maybeInstant, maybeInteger, paid, secret, text } from './field.ts';

const FOUR_GIB = 4_294_967_296;

const pipelines = {
  ci_max_includes: integer(150, 'Files that a CI configuration may include.', { max: 10_000 }),
  ci_max_total_yaml_size_bytes: integer(314_572_800, 'Bytes of a CI configuration with all that it includes.', {
    max: FOUR_GIB,
  }),
  max_yaml_size_bytes: integer(2_097_152, 'Bytes of a file of a CI configuration.', { min: 1, max: FOUR_GIB }),
  max_yaml_depth: integer(100, 'How deep a file of a CI configuration may be nested.', { min: 1, max: 10_000 }),
  ci_partitions_size_limit: keptOnly(
    integer(107_374_182_400, 'Bytes of a partition of the tables of pipelines.', {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
    }),
  ),
  ci_job_live_trace_enabled: keptOnly(flag(false, 'Whether logs of running jobs go to an object storage.')),
  ci_delete_pipelines_in_seconds_limit_human_readable: keptOnly(
    text('1 year', 'Longest time after which a project may have pipelines deleted.'),
  ),
  git_push_pipeline_limit: integer(4, 'Pipelines that a push makes.'),
  pipeline_limit_per_project_user_sha: integer(0, 'Pipelines of a user for one commit in a minute; 0 is no limit.'),
  downstream_pipeline_trigger_limit_per_project_user_sha: integer(
    0,
    'Downstream pipelines of a user for one commit in a minute; 0 is no limit.',
  ),
  default_ci_config_path: text(null, 'Path of the CI configuration of new projects; `.gitlab-ci.yml` unless set.'),
  protected_ci_variables: keptOnly(flag(true, 'Whether forms propose to protect new variables.')),
  enforce_ci_inbound_job_token_scope_enabled: flag(
    true,
    'Whether job tokens of other projects reach only projects that list them, also where a project has switched its allowlist off.',
  ),
  auto_devops_enabled: keptOnly(flag(true, 'Whether projects without a configuration follow Auto DevOps.')),
  auto_devops_domain: keptOnly(text(null, 'Domain of their applications.')),
  suggest_pipeline_enabled: keptOnly(flag(true, 'Whether pages propose to add a pipeline.')),
  archive_builds_in_human_readable: keptOnly(
    text(null, 'Age from which on jobs are not run again, such as `1 month`.'),
  ),
  external_pipeline_validation_service_url: keptOnly(
    text(null, 'Address of a service that is asked about each pipeline.'),
  ),
  external_pipeline_validation_service_timeout: keptOnly(maybeInteger('Seconds to wait for it.', { min: 1 })),
  external_pipeline_validation_service_token: keptOnly(secret('Token that it knows the server by.')),
};

const artifacts = {
  max_artifacts_size: integer(100, 'MiB of the artifacts of a job.', { min: 1 }),
  default_artifacts_expire_in: text('30 days', 'How long artifacts are kept whose job says nothing; 0 for ever.'),
  keep_latest_artifact: flag(true, 'Whether the last successful pipeline of a ref keeps its artifacts.'),
  enable_artifact_external_redirect_warning_page: keptOnly(flag(true, 'Whether a page warns of what users have made.')),
  max_pages_size: keptOnly(integer(100, 'MiB of a site; 0 is no limit.')),
  pages_domain_verification_enabled: keptOnly(flag(true, 'Whether domains of sites must be proven.')),
  pages_unique_domain_default_enabled: keptOnly(flag(true, 'Whether each site has a domain of its own.')),
};

const runners = {
  shared_runners_enabled: flag(true, 'Whether new projects take runners of the server.'),
  shared_runners_text: keptOnly(longText('What is told of runners of the server.')),
  shared_runners_minutes: keptOnly(
    paid('premium', integer(0, 'Minutes a month that a group has on runners of the server; 0 is no limit.')),
  ),
  allow_runner_registration_token: flag(true, 'Whether runners may register with registration tokens.'),
  valid_runner_registrars: choices(['group', 'project'], ['group', 'project'], 'Where runners may be registered.'),
  runner_token_expiration_interval: maybeInteger('Seconds that tokens of runners of the server last.', { min: 7_200 }),
  group_runner_token_expiration_interval: maybeInteger('Seconds that tokens of runners of groups last.', {
    min: 7_200,
  }),
  project_runner_token_expiration_interval: maybeInteger('Seconds that tokens of runners of projects last.', {
    min: 7_200,
  }),
  update_runner_versions_enabled: keptOnly(flag(true, 'Whether versions of runners are looked up elsewhere.')),
};

const delivery = {
  max_terraform_state_size_bytes: integer(0, 'Bytes of a Terraform state; 0 is the most that the server keeps.'),
  receptive_cluster_agents_enabled: keptOnly(flag(false, 'Whether the server connects to agents of clusters.')),
  terminal_max_session_time: keptOnly(integer(0, 'Seconds of a session in a terminal; 0 is no limit.')),
  maven_package_requests_forwarding: keptOnly(
    paid('premium', flag(true, 'Whether unknown Maven packages are looked for elsewhere.')),
  ),
  npm_package_requests_forwarding: keptOnly(
    paid('premium', flag(true, 'Whether unknown npm packages are looked for elsewhere.')),
  ),
  pypi_package_requests_forwarding: keptOnly(
    paid('premium', flag(true, 'Whether unknown PyPI packages are looked for elsewhere.')),
  ),
  package_registry_allow_anyone_to_pull_option: keptOnly(
    flag(true, 'Whether projects may open their packages to everybody.'),
  ),
  package_registry_cleanup_policies_worker_capacity: keptOnly(integer(2, 'Workers that remove packages.')),
  nuget_skip_metadata_url_validation: keptOnly(
    flag(false, 'Whether addresses in NuGet packages are taken as they are.'),
  ),
  helm_max_packages_count: integer(1_000, 'Charts that a channel lists.', { min: 1 }),
  package_metadata_purl_types: keptOnly({
    ...paid('ultimate', integer(0, '')),
    kind: 'integers' as const,
    default: [] as readonly number[],
    description: 'Registries whose metadata is kept, by number.',
    maximum: 20,
  }),
  container_registry_token_expire_delay: keptOnly(
    integer(5, 'Minutes that a token of the container registry lasts.', {
      min: 1,
    }),
  ),
  container_expiration_policies_enable_historic_entries: keptOnly(
    flag(false, 'Whether all projects may remove old images.'),
  ),
  container_registry_import_created_before: keptOnly(
    maybeInstant('Images older than that move to the newer registry.'),
  ),
  container_registry_import_max_retries: keptOnly(integer(3, 'How often moving an image is tried again.')),
  container_registry_import_max_step_duration: keptOnly(integer(300, 'Seconds that a step of it may take.')),
  container_registry_import_max_tags_count: keptOnly(integer(100, 'Most tags of an image that moves.')),
  container_registry_import_start_max_retries: keptOnly(integer(50, 'How often beginning to move one is tried again.')),
  container_registry_import_target_plan: keptOnly(text('free', 'Plan whose images move first.')),
  container_registry_cleanup_tags_service_max_list_size: keptOnly(integer(200, 'Tags that one run removes.')),
  container_registry_delete_tags_service_timeout: keptOnly(
    integer(250, 'Seconds that removing a batch of them may take.'),
  ),
  container_registry_expiration_policies_caching: keptOnly(
    flag(true, 'Whether such a run remembers what it has seen.'),
  ),
  container_registry_expiration_policies_worker_capacity: keptOnly(integer(4, 'Workers that remove images.')),
};

export const ciSettings = { ...pipelines, ...artifacts, ...runners, ...delivery };
