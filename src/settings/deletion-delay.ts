import type { ApplicationSettings } from './settings-table.ts';

/** Number of days that a deleted project or group is kept; 0 if it is removed immediately. */
export const deletionDelay = (settings: ApplicationSettings, kind: 'project' | 'group'): number =>
  settings[`delayed_${kind}_deletion`] ? settings.deletion_adjourned_period : 0;
