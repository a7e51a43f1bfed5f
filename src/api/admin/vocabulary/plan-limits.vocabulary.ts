import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { fileSizeLimits } from '../../packages/index.ts';

const words = (of: string): [string, number] => [`Maximum file size of a ${of} in bytes; 0 for no limit.`, 524_288_000];

/** Words of the limits of plans. */
export const planLimitWords: Vocabulary['entries'] = {
  plan_name: ['Name of the plan; only the limits of `default` have an effect on this server.', 'default'],
  ci_instance_level_variables: ['Maximum number of CI/CD variables of the server.', 25],
  ci_pipeline_size: ['Maximum number of jobs in a pipeline; 0 for no limit.', 500],
  ci_active_jobs: ['Maximum number of jobs in all running pipelines of a project; 0 for no limit.', 500],
  ci_project_subscriptions: ['Maximum number of pipeline subscriptions to and from a project.', 2],
  ci_pipeline_schedules: ['Maximum number of pipeline schedules of a project; 0 for no limit.', 10],
  ci_needs_size_limit: ['Maximum number of `needs` of a job.', 50],
  ci_registered_group_runners: ['Maximum number of runners of a group; 0 for no limit.', 1000],
  ci_registered_project_runners: ['Maximum number of runners of a project; 0 for no limit.', 1000],
  dotenv_size: ['Maximum size of a dotenv report in bytes; 0 for no limit.', 5_120],
  dotenv_variables: ['Maximum number of variables in a dotenv report; 0 for no limit.', 20],
  ...Object.fromEntries(fileSizeLimits.map(({ name, of }) => [name, words(of)])),
  enforcement_limit: [
    'Storage limit of a top-level group or user in MiB: beyond it, writes are refused; 0 for no limit.',
    10_000,
  ],
  notification_limit: ['Storage in MiB above which users who push get a warning; 0 for no limit.', 8_000],
  storage_size_limit: [
    'Storage limit of a top-level group or user in MiB; the lower of it and `enforcement_limit` applies.',
    15_000,
  ],
  pipeline_hierarchy_size: ['Maximum number of pipelines in a hierarchy of parent and child pipelines.', 1000],
  web_hook_calls: ['Maximum number of webhook calls per minute for a top-level group; 0 for no limit.', 500],
  web_hook_calls_low: ['The same limit for groups with few seats.', 500],
  web_hook_calls_mid: ['The same limit for groups with a medium number of seats.', 500],
};
