import type { Deps } from '../../../deps.ts';

/** Has the rights that protections give to a user go with them. */
export function registerProtectionUserRemoval(deps: Deps): void {
  deps.lifecycle.userRemoved.add(async (db, { id }) => {
    await db.deleteFrom('protected_ref_levels').where('user_id', '=', id).execute();
  });
}
