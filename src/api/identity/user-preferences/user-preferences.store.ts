import type { Db } from '../../../db/db.schema.ts';
import type { UserPreferences } from '../../../db/tables/user-preferences.table.ts';

export type PreferenceColumns = Omit<UserPreferences, 'user_id'>;

/** Sets the given preferences of a user and returns all of them. */
export const setPreferences = (db: Db, userId: number, input: Partial<PreferenceColumns>): Promise<UserPreferences> =>
  db
    .insertInto('user_preferences')
    .values({ user_id: userId, ...input })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(input))
    .returningAll()
    .executeTakeFirstOrThrow();
