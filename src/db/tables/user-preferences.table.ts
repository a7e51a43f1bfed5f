import type { Selectable } from 'kysely';
import type { Bit, Defaulted } from '../columns.ts';

/** What a user chose for themselves; a user without a row has the defaults. */
export interface UserPreferencesTable {
  user_id: number;
  view_diffs_file_by_file: Defaulted<Bit>;
  show_whitespace_in_diffs: Defaulted<Bit>;
  pass_user_identities_to_ci_jwt: Defaulted<Bit>;
  /** Whether they are mailed of what they do themselves. */
  notified_of_own_activity: Defaulted<Bit>;
}
export type UserPreferences = Selectable<UserPreferencesTable>;
