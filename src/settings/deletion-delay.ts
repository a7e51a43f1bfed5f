import type { ApplicationSettings } from './settings-table.ts';

/** For how many days a project or group that is deleted is kept, marked; 0 where it is removed at once. */
export const deletionDelay = (settings: ApplicationSettings, kind: 'project' | 'group'): number =>
  settings[`delayed_${kind}_deletion`] ? settings.deletion_adjourned_period : 0;
