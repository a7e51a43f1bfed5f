import { flag, integer, integers, keptOnly, paid, type Setting, text, texts } from './field.ts';

/** Kinds of requests that are counted and limited separately. */
export const THROTTLED = {
  unauthenticated_api: ['unauthenticated API requests', 3_600],
  unauthenticated_web: ['unauthenticated web requests', 3_600],
  unauthenticated_git_http: ['unauthenticated requests of git over HTTP', 3_600],
  unauthenticated_git_lfs: ['unauthenticated Git LFS requests', 1_000],
  unauthenticated_packages_api: ['unauthenticated package registry requests', 800],
  unauthenticated_files_api: ['unauthenticated repository files API requests', 125],
  unauthenticated_deprecated_api: ['unauthenticated requests to deprecated endpoints', 1_800],
  authenticated_api: ['authenticated API requests', 7_200],
  authenticated_web: ['authenticated web requests', 7_200],
  authenticated_git_http: ['authenticated requests of git over HTTP', 3_600],
  authenticated_git_lfs: ['authenticated Git LFS requests', 1_000],
  authenticated_packages_api: ['authenticated package registry requests', 1_000],
  authenticated_files_api: ['authenticated repository files API requests', 500],
  authenticated_deprecated_api: ['authenticated requests to deprecated endpoints', 3_600],
  protected_paths: ['sign-in requests', 10],
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
      [`throttle_${name}_enabled`, flag(false, `Whether ${what} are rate limited.`)],
      [`throttle_${name}_requests_per_period`, integer(requests, `Maximum number of ${what} per period.`, { min: 1 })],
      [
        `throttle_${name}_period_in_seconds`,
        integer(periodOf(name), `Length of the period for ${what} in seconds.`, { min: 1, max: 86_400 }),
      ],
    ];
  }),
) as Throttles;

const rate = (fallback: number, what: string) => integer(fallback, `${what}; 0 is unlimited.`);

const rates = {
  rate_limiting_response_text: text(null, 'Response text of rate limited requests; `Retry later` by default.'),
  throttle_incident_management_notification_enabled: keptOnly(
    flag(false, 'Whether alert notifications are rate limited.'),
  ),
  throttle_incident_management_notification_per_period: keptOnly(
    integer(3_600, 'Maximum number of alert notifications per period.', { min: 1 }),
  ),
  throttle_incident_management_notification_period_in_seconds: keptOnly(
    integer(3_600, 'Length of the period for alert notifications in seconds.', { min: 1 }),
  ),
  issues_create_limit: rate(300, 'Maximum number of issues created per minute by a user'),
  notes_create_limit: rate(300, 'Maximum number of comments created per minute by a user'),
  raw_blob_request_limit: rate(300, 'Maximum number of requests per minute for one raw file'),
  search_rate_limit: rate(30, 'Maximum number of searches per minute by a user'),
  search_rate_limit_unauthenticated: keptOnly(rate(10, 'Maximum number of unauthenticated searches per minute')),
  autocomplete_users: keptOnly(rate(300, 'Maximum number of users API requests per minute by a user')),
  autocomplete_users_unauthenticated: keptOnly(
    rate(100, 'Maximum number of unauthenticated users API requests per minute'),
  ),
  project_jobs_api_rate_limit: rate(600, 'Maximum number of requests per minute by a user for the jobs of a project'),
  projects_api_rate_limit_unauthenticated: rate(
    400,
    'Maximum number of unauthenticated requests per 10 minutes for the list of projects',
  ),
  project_import_limit: rate(6, 'Maximum number of project imports per minute by a user'),
  project_export_limit: rate(6, 'Maximum number of project exports per minute by a user'),
  project_download_export_limit: rate(1, 'Maximum number of project export downloads per minute by a user'),
  group_import_limit: rate(6, 'Maximum number of group imports per minute by a user'),
  group_export_limit: rate(6, 'Maximum number of group exports per minute by a user'),
  group_download_export_limit: rate(1, 'Maximum number of group export downloads per minute by a user'),
  runner_jobs_request_api_limit: rate(2_000, 'Maximum number of job requests per minute by a runner'),
  runner_jobs_patch_trace_api_limit: rate(200, 'Maximum number of trace updates per minute by a job'),
  runner_jobs_endpoints_api_limit: rate(200, 'Maximum number of other requests per minute by a job'),
  users_get_by_id_limit: rate(300, 'Maximum number of requests per 10 minutes by a user for users by ID.'),
  users_get_by_id_limit_allowlist_raw: text(null, 'Usernames exempt from `users_get_by_id_limit`, one a line.', 10_000),
  user_email_lookup_limit: integer(
    0,
    'Maximum number of user lookups by email address per minute by a user; 0 is unlimited.',
  ),
  users_api_limit_followers: rate(100, 'Maximum number of requests per minute for the followers of users'),
  users_api_limit_following: rate(100, 'Maximum number of requests per minute for the users whom users follow'),
  users_api_limit_status: rate(240, 'Maximum number of requests per minute for the statuses of users'),
  users_api_limit_ssh_keys: rate(120, 'Maximum number of requests per minute for the SSH keys of users'),
  users_api_limit_ssh_key: rate(120, 'Maximum number of requests per minute for one SSH key'),
  users_api_limit_gpg_keys: rate(120, 'Maximum number of requests per minute for the GPG keys of users'),
  users_api_limit_gpg_key: rate(120, 'Maximum number of requests per minute for one GPG key'),
  gitlab_shell_operation_limit: rate(600, 'Maximum number of git operations over SSH per minute by a user'),
  virtual_registries_endpoints_api_limit: keptOnly(
    paid('premium', rate(1_000, 'Maximum number of requests to virtual registries per 15 seconds by an IP address')),
  ),
  max_number_of_repository_downloads: keptOnly(
    paid(
      'ultimate',
      integer(
        0,
        'Maximum number of repositories a user can download in the period before they are banned; 0 is unlimited.',
        {
          max: 10_000,
        },
      ),
    ),
  ),
  max_number_of_repository_downloads_within_time_period: keptOnly(
    paid(
      'ultimate',
      integer(0, 'Length of the period for `max_number_of_repository_downloads` in seconds.', { max: 864_000 }),
    ),
  ),
  git_rate_limit_users_allowlist: keptOnly(
    paid('ultimate', texts([], 'Usernames exempt from the download limit.', 100)),
  ),
  git_rate_limit_users_alertlist: keptOnly(
    paid('ultimate', integers('IDs of users who are notified when the download limit is exceeded.', 100)),
  ),
  auto_ban_user_on_excessive_projects_download: keptOnly(
    paid('ultimate', flag(false, 'Whether users who exceed the download limit are banned automatically.')),
  ),
};

export const limitSettings = { ...throttles, ...rates };
