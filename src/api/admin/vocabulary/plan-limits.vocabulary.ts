import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

const bytes = (what: string): [string, number] => [
  `Bytes that a file of a ${what} may have; 0 for no limit.`,
  524_288_000,
];

/** Words of the limits of plans. */
export const planLimitWords: Vocabulary['entries'] = {
  plan_name: ['Name of the plan; the limits of `default` hold on this server.', 'default'],
  ci_instance_level_variables: ['CI/CD variables of the server.', 25],
  ci_pipeline_size: ['Jobs of one pipeline; 0 for no limit.', 500],
  ci_active_jobs: ['Jobs of all running pipelines of a project; 0 for no limit.', 500],
  ci_project_subscriptions: ['Pipeline subscriptions to and from a project.', 2],
  ci_pipeline_schedules: ['Pipeline schedules of a project; 0 for no limit.', 10],
  ci_needs_size_limit: ['Other jobs that one job may need.', 50],
  ci_registered_group_runners: ['Runners of a group; 0 for no limit.', 1000],
  ci_registered_project_runners: ['Runners of a project; 0 for no limit.', 1000],
  dotenv_size: ['Bytes of a report of variables; 0 for no limit.', 5_120],
  dotenv_variables: ['Variables of such a report; 0 for no limit.', 20],
  conan_max_file_size: bytes('Conan package'),
  generic_packages_max_file_size: bytes('generic package'),
  helm_max_file_size: bytes('Helm chart'),
  maven_max_file_size: bytes('Maven package'),
  npm_max_file_size: bytes('npm package'),
  nuget_max_file_size: bytes('NuGet package'),
  pypi_max_file_size: bytes('Python package'),
  terraform_module_max_file_size: bytes('Terraform module'),
  enforcement_limit: [
    'MiB of storage that a top-level group or user may have: past them nothing is added; 0 for no limit.',
    10_000,
  ],
  notification_limit: ['MiB of storage past which those who push are told; 0 for no limit.', 8_000],
  storage_size_limit: [
    'MiB of storage that a top-level group or user may have; the lower one of it and `enforcement_limit` holds.',
    15_000,
  ],
  pipeline_hierarchy_size: ['Pipelines that start one another, all together.', 1000],
  web_hook_calls: ['Calls of webhooks in a minute for a top-level group; 0 for no limit.', 500],
  web_hook_calls_low: ['The same for groups with few seats.', 500],
  web_hook_calls_mid: ['The same for groups with some more.', 500],
};
