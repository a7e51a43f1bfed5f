import { choices, flag, integer, keptOnly, longText, maybeInstant, maybeInteger, paid, secret, text } from './field.ts';

const FOUR_GIB = 4_294_967_296;

const pipelines = {
  ci_max_includes: integer(150, 'Maximum number of files that a CI/CD configuration may include.', { max: 10_000 }),
  ci_max_total_yaml_size_bytes: integer(
    314_572_800,
    'Maximum size in bytes of a CI/CD configuration with all included files.',
    {
      max: FOUR_GIB,
    },
  ),
  max_yaml_size_bytes: integer(2_097_152, 'Maximum size in bytes of one CI/CD configuration file.', {
    min: 1,
    max: FOUR_GIB,
  }),
  max_yaml_depth: integer(100, 'Maximum nesting depth of a CI/CD configuration file.', { min: 1, max: 10_000 }),
  ci_partitions_size_limit: keptOnly(
    integer(107_374_182_400, 'Maximum size in bytes of a partition of the CI database tables.', {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
    }),
  ),
  ci_job_live_trace_enabled: keptOnly(flag(false, 'Whether logs of running jobs are stored in object storage.')),
  ci_delete_pipelines_in_seconds_limit_human_readable: keptOnly(
    text('1 year', 'Maximum age that a project may set for the automatic deletion of pipelines.'),
  ),
  git_push_pipeline_limit: integer(4, 'Maximum number of pipelines created by one push.'),
  pipeline_limit_per_project_user_sha: integer(
    0,
    'Maximum number of pipelines per minute by one user for one commit; 0 is unlimited.',
  ),
  downstream_pipeline_trigger_limit_per_project_user_sha: integer(
    0,
    'Maximum number of downstream pipelines per minute by one user for one commit; 0 is unlimited.',
  ),
  default_ci_config_path: text(null, 'Path of the CI/CD configuration in new projects; `.gitlab-ci.yml` by default.'),
  protected_ci_variables: keptOnly(flag(true, 'Whether forms mark new variables as protected by default.')),
  enforce_ci_inbound_job_token_scope_enabled: flag(
    true,
    'Whether job tokens of other projects can only access projects whose allowlist contains them, even if a project has disabled its allowlist.',
  ),
  auto_devops_enabled: keptOnly(flag(true, 'Whether projects without a CI/CD configuration use Auto DevOps.')),
  auto_devops_domain: keptOnly(text(null, 'Domain of Auto DevOps deployments.')),
  suggest_pipeline_enabled: keptOnly(flag(true, 'Whether pages suggest adding a pipeline.')),
  archive_builds_in_human_readable: keptOnly(
    text(null, 'Age after which jobs can no longer be retried, such as `1 month`.'),
  ),
  external_pipeline_validation_service_url: keptOnly(
    text(null, 'URL of an external service that validates pipelines.'),
  ),
  external_pipeline_validation_service_timeout: keptOnly(
    maybeInteger('Timeout in seconds of requests to the pipeline validation service.', { min: 1 }),
  ),
  external_pipeline_validation_service_token: keptOnly(secret('Token for the pipeline validation service.')),
};

const artifacts = {
  max_artifacts_size: integer(100, 'Maximum size in MiB of the artifacts of a job.', { min: 1 }),
  default_artifacts_expire_in: text('30 days', 'Default expiry of job artifacts; 0 for never.'),
  keep_latest_artifact: flag(
    true,
    'Whether the artifacts of the most recent successful pipeline of each ref are kept.',
  ),
  enable_artifact_external_redirect_warning_page: keptOnly(
    flag(true, 'Whether a page warns about user-generated content in artifacts.'),
  ),
  max_pages_size: keptOnly(integer(100, 'Maximum size of a Pages site in MiB; 0 is unlimited.')),
  pages_domain_verification_enabled: keptOnly(flag(true, 'Whether custom Pages domains must be verified.')),
  pages_unique_domain_default_enabled: keptOnly(flag(true, 'Whether each Pages site gets a unique domain by default.')),
};

const runners = {
  shared_runners_enabled: flag(true, 'Whether instance runners are enabled for new projects.'),
  shared_runners_text: keptOnly(longText('Text shown beside instance runners.')),
  shared_runners_minutes: keptOnly(
    paid('premium', integer(0, 'Compute minutes per month of a group on instance runners; 0 is unlimited.')),
  ),
  allow_runner_registration_token: flag(true, 'Whether runners may register with registration tokens.'),
  valid_runner_registrars: choices(
    ['group', 'project'],
    ['group', 'project'],
    'Types of owners that may register runners.',
  ),
  runner_token_expiration_interval: maybeInteger('Lifetime in seconds of authentication tokens of instance runners.', {
    min: 7_200,
  }),
  group_runner_token_expiration_interval: maybeInteger(
    'Lifetime in seconds of authentication tokens of group runners.',
    {
      min: 7_200,
    },
  ),
  project_runner_token_expiration_interval: maybeInteger(
    'Lifetime in seconds of authentication tokens of project runners.',
    {
      min: 7_200,
    },
  ),
  update_runner_versions_enabled: keptOnly(
    flag(true, 'Whether new versions of runners are looked up on the public server.'),
  ),
};

const delivery = {
  max_terraform_state_size_bytes: integer(
    0,
    'Maximum size of a Terraform state in bytes; 0 uses the maximum of this server.',
  ),
  receptive_cluster_agents_enabled: keptOnly(flag(false, 'Whether the agent server for Kubernetes is enabled.')),
  terminal_max_session_time: keptOnly(
    integer(0, 'Maximum duration of a web terminal session in seconds; 0 is unlimited.'),
  ),
  maven_package_requests_forwarding: keptOnly(
    paid('premium', flag(true, 'Whether requests for unknown Maven packages are forwarded.')),
  ),
  npm_package_requests_forwarding: keptOnly(
    paid('premium', flag(true, 'Whether requests for unknown npm packages are forwarded.')),
  ),
  pypi_package_requests_forwarding: keptOnly(
    paid('premium', flag(true, 'Whether requests for unknown PyPI packages are forwarded.')),
  ),
  package_registry_allow_anyone_to_pull_option: keptOnly(
    flag(true, 'Whether projects may make their package registry public.'),
  ),
  package_registry_cleanup_policies_worker_capacity: keptOnly(
    integer(2, 'Number of workers for package cleanup policies.'),
  ),
  nuget_skip_metadata_url_validation: keptOnly(flag(false, 'Whether URLs in NuGet packages are not validated.')),
  helm_max_packages_count: integer(1_000, 'Maximum number of charts listed in a Helm channel.', { min: 1 }),
  package_metadata_purl_types: keptOnly({
    ...paid('ultimate', integer(0, '')),
    kind: 'integers' as const,
    default: [] as readonly number[],
    description: 'Registries whose package metadata is synchronized, by number.',
    maximum: 20,
  }),
  container_registry_token_expire_delay: keptOnly(
    integer(5, 'Lifetime in minutes of container registry tokens.', {
      min: 1,
    }),
  ),
  container_expiration_policies_enable_historic_entries: keptOnly(
    flag(false, 'Whether container expiration policies are available to all projects.'),
  ),
  container_registry_import_created_before: keptOnly(
    maybeInstant('Latest creation time of repositories that are imported to the new container registry.'),
  ),
  container_registry_import_max_retries: keptOnly(
    integer(3, 'Maximum number of retries of a container repository import.'),
  ),
  container_registry_import_max_step_duration: keptOnly(integer(300, 'Maximum duration in seconds of an import step.')),
  container_registry_import_max_tags_count: keptOnly(
    integer(100, 'Maximum number of tags of an imported container repository.'),
  ),
  container_registry_import_start_max_retries: keptOnly(
    integer(50, 'Maximum number of retries to start a container repository import.'),
  ),
  container_registry_import_target_plan: keptOnly(
    text('free', 'Plan whose container repositories are imported first.'),
  ),
  container_registry_cleanup_tags_service_max_list_size: keptOnly(
    integer(200, 'Number of tags that one container cleanup deletes.'),
  ),
  container_registry_delete_tags_service_timeout: keptOnly(
    integer(250, 'Maximum duration in seconds of deleting a batch of container tags.'),
  ),
  container_registry_expiration_policies_caching: keptOnly(
    flag(true, 'Whether container cleanup caches tag timestamps.'),
  ),
  container_registry_expiration_policies_worker_capacity: keptOnly(
    integer(4, 'Number of workers for container cleanup policies.'),
  ),
};

export const ciSettings = { ...pipelines, ...artifacts, ...runners, ...delivery };
