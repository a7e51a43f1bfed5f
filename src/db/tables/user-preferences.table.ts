import type { Selectable } from 'kysely';
import type { Bit, Defaulted } from '../columns.ts';

/** Preferences of users; a user without a row has the defaults. */
export interface UserPreferencesTable {
  user_id: number;
  view_diffs_file_by_file: Defaulted<Bit>;
  show_whitespace_in_diffs: Defaulted<Bit>;
  pass_user_identities_to_ci_jwt: Defaulted<Bit>;
  /** Whether they receive mails about their own actions. */
  notified_of_own_activity: Defaulted<Bit>;
}
export type UserPreferences = Selectable<UserPreferencesTable>;
