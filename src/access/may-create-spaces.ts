import { AccessLevel } from '../core/access-levels.ts';
import type { Deps } from '../deps.ts';
import { applicationSettings } from '../settings/application-settings.ts';

/**
 * Whether a user may create groups and personal projects. A setting can deny this to users whose highest role is Guest.
 */
export async function mayCreateTopLevelSpaces(deps: Deps, userId: number): Promise<boolean> {
  if ((await applicationSettings(deps)).allow_project_creation_for_guest_and_below) return true;
  const higher = await deps.db
    .selectFrom('members')
    .select('id')
    .where('user_id', '=', userId)
    .where('access_level', '>', AccessLevel.guest)
    .limit(1)
    .executeTakeFirst();
  return higher !== undefined;
}
