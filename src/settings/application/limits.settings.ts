import { flag, integer, integers, keptOnly, paid, type Setting, text, texts } from './field.ts';

/** Groups of requests that are counted by themselves. */
export const THROTTLED = {
  unauthenticated_api: ['requests to the API without a token', 3_600],
  unauthenticated_web: ['requests to web addresses without a token', 3_600],
  unauthenticated_git_http: ['requests of git without a token', 3_600],
  unauthenticated_git_lfs: ['requests of Git LFS without a token', 1_000],
  unauthenticated_packages_api: ['requests to package registries without a token', 800],
  unauthenticated_files_api: ['requests to the files of repositories without a token', 125],
  unauthenticated_deprecated_api: ['requests to deprecated endpoints without a token', 1_800],
  authenticated_api: ['requests of a user to the API', 7_200],
  authenticated_web: ['requests of a user to web addresses', 7_200],
  authenticated_git_http: ['requests of git for a user', 3_600],
  authenticated_git_lfs: ['requests of Git LFS for a user', 1_000],
  authenticated_packages_api: ['requests of a user to package registries', 1_000],
  authenticated_files_api: ['requests of a user to the files of repositories', 500],
  authenticated_deprecated_api: ['requests of a user to deprecated endpoints', 3_600],
  protected_paths: ['requests to addresses at which one signs in', 10],
} as const;
export type Throttled = keyof typeof THROTTLED;

const SHORT: ReadonlySet<string> = new Set(['packages_api', 'files_api', 'git_lfs']);

const periodOf = (name: Throttled): number => {
  if (name === 'protected_paths') return 60;
  return SHORT.has(name.replace(/^(un)?authenticated_/, '')) ? (name.endsWith('git_lfs') ? 60 : 15) : 3_600;
};

type Throttles = {
  [K in Throttled as `throttle_${K}_enabled`]: Setting<boolean>;
} & {
  [K in Throttled as `throttle_${K}_${'requests_per_period' | 'period_in_seconds'}`]: Setting<number>;
};

const throttles = Object.fromEntries(
  (Object.keys(THROTTLED) as Throttled[]).flatMap((name): [string, Setting<boolean> | Setting<number>][] => {
    const [what, requests] = THROTTLED[name];
    return [
      [`throttle_${name}_enabled`, flag(false, `Whether ${what} are limited in number.`)],
      [
        `throttle_${name}_requests_per_period`,
        integer(requests, `How many ${what} are answered in a period.`, { min: 1 }),
      ],
      [
        `throttle_${name}_period_in_seconds`,
        integer(periodOf(name), `Seconds of that period.`, { min: 1, max: 86_400 }),
      ],
    ];
  }),
) as Throttles;

const rate = (fallback: number, what: string) => integer(fallback, `${what}; 0 is no limit.`);

const rates = {
  rate_limiting_response_text: text(null, 'What those read who send too many requests; `Retry later` unless set.'),
  throttle_incident_management_notification_enabled: keptOnly(
    flag(false, 'Whether notifications of alerts are limited in number.'),
  ),
  throttle_incident_management_notification_per_period: keptOnly(
    integer(3_600, 'How many are sent in a period.', { min: 1 }),
  ),
  throttle_incident_management_notification_period_in_seconds: keptOnly(
    integer(3_600, 'Seconds of that period.', { min: 1 }),
  ),
  issues_create_limit: rate(300, 'Issues that a user makes in a minute'),
  notes_create_limit: rate(300, 'Comments that a user makes in a minute'),
  raw_blob_request_limit: rate(300, 'Requests in a minute for one raw file'),
  search_rate_limit: keptOnly(rate(30, 'Searches of a user in a minute')),
  search_rate_limit_unauthenticated: keptOnly(rate(10, 'Searches without a token in a minute')),
  autocomplete_users: keptOnly(rate(300, 'Look-ups of users by a user in a minute')),
  autocomplete_users_unauthenticated: keptOnly(rate(100, 'Look-ups of users without a token in a minute')),
  project_jobs_api_rate_limit: rate(600, 'Requests of a user in a minute for the jobs of a project'),
  projects_api_rate_limit_unauthenticated: rate(
    400,
    'Requests in ten minutes for the list of projects without a token',
  ),
  project_import_limit: rate(6, 'Imports of projects by a user in a minute'),
  project_export_limit: rate(6, 'Exports of projects by a user in a minute'),
  project_download_export_limit: rate(1, 'Downloads of an exported project by a user in a minute'),
  group_import_limit: rate(6, 'Imports of groups by a user in a minute'),
  group_export_limit: rate(6, 'Exports of groups by a user in a minute'),
  group_download_export_limit: rate(1, 'Downloads of an exported group by a user in a minute'),
  runner_jobs_request_api_limit: rate(2_000, 'Requests of a runner for jobs in a minute'),
  runner_jobs_patch_trace_api_limit: rate(200, 'Pieces of a log that a job sends in a minute'),
  runner_jobs_endpoints_api_limit: rate(200, 'Other requests of a job in a minute'),
  users_get_by_id_limit: rate(300, 'Users that a user looks up in ten minutes'),
  users_get_by_id_limit_allowlist_raw: text(null, 'Users to whom that does not apply, one a line.', 10_000),
  user_email_lookup_limit: integer(0, 'Look-ups of users by e-mail address by a user in a minute; 0 is no limit.'),
  users_api_limit_followers: rate(100, 'Requests in a minute for followers of users'),
  users_api_limit_following: rate(100, 'Requests in a minute for whom users follow'),
  users_api_limit_status: rate(240, 'Requests in a minute for states of users'),
  users_api_limit_ssh_keys: rate(120, 'Requests in a minute for SSH keys of users'),
  users_api_limit_ssh_key: rate(120, 'Requests in a minute for one SSH key'),
  users_api_limit_gpg_keys: rate(120, 'Requests in a minute for GPG keys of users'),
  users_api_limit_gpg_key: rate(120, 'Requests in a minute for one GPG key'),
  gitlab_shell_operation_limit: rate(600, 'Operations of git over SSH by a user in a minute'),
  virtual_registries_endpoints_api_limit: keptOnly(
    paid('premium', rate(1_000, 'Requests of an address to virtual registries in 15 seconds')),
  ),
  max_number_of_repository_downloads: keptOnly(
    paid(
      'ultimate',
      integer(0, 'Repositories that a user may clone in a while before they are banned; 0 is no limit.', {
        max: 10_000,
      }),
    ),
  ),
  max_number_of_repository_downloads_within_time_period: keptOnly(
    paid('ultimate', integer(0, 'Seconds of that while.', { max: 864_000 })),
  ),
  git_rate_limit_users_allowlist: keptOnly(
    paid('ultimate', texts([], 'Names of users to whom that does not apply.', 100)),
  ),
  git_rate_limit_users_alertlist: keptOnly(paid('ultimate', integers('Ids of users who are told.', 100))),
  auto_ban_user_on_excessive_projects_download: keptOnly(
    paid('ultimate', flag(false, 'Whether such users are banned by themselves.')),
  ),
};

export const limitSettings = { ...throttles, ...rates };
