import { timestamp } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import { matchesWildcard } from '../../../core/wildcard.ts';
import { parseJson } from '../../../db/columns.ts';
import type { BroadcastMessage } from '../../../db/tables/broadcast-messages.table.ts';
import type { Deps } from '../../../deps.ts';
import { isActive } from './broadcast-messages.views.ts';

/** Maximum number of messages considered after a push: the newest that are active or in the future. */
const LOOKED_AT = 50;

/** Finds a broadcast message by its id. @throws ApiError 404 */
export async function findMessage({ db }: Deps, id: number): Promise<BroadcastMessage> {
  return db.selectFrom('broadcast_messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

const withoutSlash = (path: string): string => path.replace(/^\//, '');

const isFor = ({ target_path, target_access_levels }: BroadcastMessage, fullPath: string, level: number): boolean => {
  if (target_path !== null && !matchesWildcard(withoutSlash(target_path), fullPath)) return false;
  const levels = parseJson<number[]>(target_access_levels);
  return levels.length === 0 || levels.includes(level);
};

/**
 * The banner to show to a user who pushes to a project: the newest for this path, else the newest for all paths.
 * @param level access level of the user in the project
 * @returns its text, or undefined
 */
export async function bannerFor(deps: Deps, fullPath: string, level: number): Promise<string | undefined> {
  const now = timestamp(deps.clock);
  const messages = await deps.recent.get('banners', () =>
    deps.db
      .selectFrom('broadcast_messages')
      .selectAll()
      .where('ends_at', '>=', now)
      .where('broadcast_type', '=', 'banner')
      .orderBy('id', 'desc')
      .limit(LOOKED_AT)
      .execute(),
  );
  const shown = messages.filter((message) => isActive(message, now) && isFor(message, fullPath, level));
  return (shown.find(({ target_path }) => target_path !== null) ?? shown[0])?.message;
}
