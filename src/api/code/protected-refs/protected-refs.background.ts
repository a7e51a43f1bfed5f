import type { Deps } from '../../../deps.ts';

/** Removes the access levels of a deleted user from protections. */
export function registerProtectionUserRemoval(deps: Deps): void {
  deps.lifecycle.userRemoved.add(async (db, { id }) => {
    await db.deleteFrom('protected_ref_levels').where('user_id', '=', id).execute();
  });
}
