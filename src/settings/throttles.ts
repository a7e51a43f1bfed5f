import type { Throttle } from '../core/limiters.ts';
import { THROTTLED, type Throttled } from './application/limits.settings.ts';
import type { ApplicationSettings } from './settings-table.ts';

type GroupOf<T> = T extends `${'authenticated' | 'unauthenticated'}_${infer Group}` ? Group : never;

/** Kinds of requests by their sender. */
export type ThrottleGroup = GroupOf<Throttled>;

const isThrottled = (name: string): name is Throttled => Object.hasOwn(THROTTLED, name);

/** The rate limit of a kind of requests; 0 requests for no limit. */
export const throttleOf = (settings: ApplicationSettings, name: Throttled): Throttle => ({
  requests: settings[`throttle_${name}_enabled`] ? settings[`throttle_${name}_requests_per_period`] : 0,
  periodSeconds: settings[`throttle_${name}_period_in_seconds`],
});

/** A rate limit per minute; 0 for no limit. */
export const perMinute = (requests: number): Throttle => ({ requests, periodSeconds: 60 });

/** The first of the groups whose throttle is enabled, with its rate limit, for authenticated or anonymous callers. */
export function effectiveThrottle(
  settings: ApplicationSettings,
  kind: 'authenticated' | 'unauthenticated',
  groups: readonly ThrottleGroup[],
): { name: Throttled; throttle: Throttle } | undefined {
  for (const group of groups) {
    const name = `${kind}_${group}`;
    if (isThrottled(name) && settings[`throttle_${name}_enabled`])
      return { name, throttle: throttleOf(settings, name) };
  }
  return undefined;
}
