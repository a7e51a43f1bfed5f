import type { Db } from '../db/db.schema.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';

/** Number of consecutive failures before a hook is paused. */
const TOLERATED = 3;
/** Number of consecutive failures after which a hook is disabled until a test succeeds. */
export const MAX_FAILURES = 40;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 86_400_000;

export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled';

export const isSystem = ({ project_id, group_id }: Pick<WebHook, 'project_id' | 'group_id'>): boolean =>
  project_id === null && group_id === null;

/** Alert status of a hook (part 2, section 2). System hooks are never disabled. */
export function alertStatus(hook: WebHook, now: Date): AlertStatus {
  if (isSystem(hook)) return 'executable';
  if (hook.failures >= MAX_FAILURES) return 'disabled';
  return remainingPause(hook, now) > 0 ? 'temporarily_disabled' : 'executable';
}

/** Milliseconds until the hook may be called again. */
export const remainingPause = ({ disabled_until }: Pick<WebHook, 'disabled_until'>, now: Date): number =>
  disabled_until === null ? 0 : Math.max(0, Date.parse(disabled_until) - now.getTime());

/** Pause after a number of consecutive failures: a minute, doubled each time up to a day. */
const pauseAfter = (failures: number): number =>
  failures <= TOLERATED ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - TOLERATED - 1), LONGEST_PAUSE_MS);

/** Columns of a hook without failures, set when its URL or secrets change. */
export const NO_FAILURES = { failures: 0, disabled_until: null } as const;

/**
 * Records the result of a call. Calls with a URL or secrets that have changed since do not count.
 * @param pauses whether a failure pauses the hook; for system hooks only if the receiver was unreachable
 * @returns the current hook; undefined if it was deleted
 */
export async function recordCall(
  { clock }: Pick<Deps, 'clock'>,
  db: Db,
  hook: WebHook,
  succeeded: boolean,
  pauses = true,
): Promise<WebHook | undefined> {
  if (succeeded && hook.failures === 0 && hook.disabled_until === null) return hook;
  const failures = succeeded ? 0 : Math.min(hook.failures + 1, MAX_FAILURES);
  const off = failures >= MAX_FAILURES && !isSystem(hook);
  const pause = succeeded || !pauses || off ? 0 : pauseAfter(failures);
  const disabled_until = pause === 0 ? null : new Date(clock.now().getTime() + pause).toISOString();
  const counted = await db
    .updateTable('web_hooks')
    .set({ failures, disabled_until })
    .where('id', '=', hook.id)
    .where('secrets', '=', hook.secrets)
    .returningAll()
    .executeTakeFirst();
  return counted ?? (await db.selectFrom('web_hooks').selectAll().where('id', '=', hook.id).executeTakeFirst());
}
