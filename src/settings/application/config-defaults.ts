import type { Config } from '../../config/config.ts';
import type { Throttle } from '../../core/limiters.ts';
import type { Throttled } from './limits.settings.ts';

const FACES = {
  unauthenticated_api: ['api', 'unauthenticated'],
  unauthenticated_web: ['web', 'unauthenticated'],
  unauthenticated_git_http: ['git', 'unauthenticated'],
  authenticated_api: ['api', 'authenticated'],
  authenticated_web: ['web', 'authenticated'],
  authenticated_git_http: ['git', 'authenticated'],
} as const satisfies Partial<
  Record<Throttled, readonly [keyof Config['throttles'], 'authenticated' | 'unauthenticated']>
>;

function throttleSettings(name: string, { requests, periodSeconds }: Throttle): Record<string, unknown> {
  if (requests === 0) return {};
  return {
    [`throttle_${name}_enabled`]: true,
    [`throttle_${name}_requests_per_period`]: requests,
    [`throttle_${name}_period_in_seconds`]: periodSeconds,
  };
}

/** Default values that come from the environment, by setting. Values set through the API override them. */
export function fromConfig({ throttles, ...config }: Config): Record<string, unknown> {
  const counted = Object.entries(FACES).map(([name, [face, kind]]) => throttleSettings(name, throttles[face][kind]));
  return {
    ...Object.assign({}, ...counted),
    deletion_adjourned_period: config.deletionDelayDays,
    snippet_size_limit: config.limits.snippet,
    allow_local_requests_from_web_hooks_and_services: config.allowLocalNetwork,
    allow_local_requests_from_system_hooks: config.allowLocalNetwork,
    repository_storages_weighted: Object.fromEntries(config.storages.map(({ name, weight }) => [name, weight])),
  };
}
