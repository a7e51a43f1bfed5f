import type { Throttle } from '../config/config.ts';
import type { Throttled } from './application/limits.ts';
import type { ApplicationSettings } from './settings-table.ts';

/** How many requests of a kind are answered in a period; 0 for any number. */
export const throttleOf = (settings: ApplicationSettings, name: Throttled): Throttle => ({
  requests: settings[`throttle_${name}_enabled`] ? settings[`throttle_${name}_requests_per_period`] : 0,
  periodSeconds: settings[`throttle_${name}_period_in_seconds`],
});

/** So many in a minute, for what is counted by actions; 0 for any number. */
export const perMinute = (requests: number): Throttle => ({ requests, periodSeconds: 60 });
