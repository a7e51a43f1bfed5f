import type { Db } from '../db/db.schema.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';

/** A hook that has failed more often than this in a row pauses; */
const TOLERATED = 3;
/** one that has failed so often is switched off until a test of it succeeds. */
export const SWITCHED_OFF = 40;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 86_400_000;

export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled';

export const isSystem = ({ project_id, group_id }: Pick<WebHook, 'project_id' | 'group_id'>): boolean =>
  project_id === null && group_id === null;

/** Whether a hook is called at present (part 2, section 2). System hooks are never switched off. */
export function alertStatus(hook: WebHook, now: Date): AlertStatus {
  if (isSystem(hook)) return 'executable';
  if (hook.failures >= SWITCHED_OFF) return 'disabled';
  return pauseLeft(hook, now) > 0 ? 'temporarily_disabled' : 'executable';
}

/** Milliseconds until the hook may be called again. */
export const pauseLeft = ({ disabled_until }: Pick<WebHook, 'disabled_until'>, now: Date): number =>
  disabled_until === null ? 0 : Math.max(0, Date.parse(disabled_until) - now.getTime());

/** How long a hook pauses after so many failures in a row: a minute, and twice as long each time up to a day. */
const pauseAfter = (failures: number): number =>
  failures <= TOLERATED ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - TOLERATED - 1), LONGEST_PAUSE_MS);

/** A hook with another address or other secrets begins anew: what was wrong before says nothing of it. */
export const RECOVERED = { failures: 0, disabled_until: null } as const;

/**
 * Keeps account of a call. One that was made with an address or secrets that were changed meanwhile counts for nothing.
 * @param pauses whether a hook that fails pauses: a system hook does where nobody was reached
 * @returns the hook as it is now; undefined when it is gone
 */
export async function recordCall(
  { clock }: Pick<Deps, 'clock'>,
  db: Db,
  hook: WebHook,
  succeeded: boolean,
  pauses = true,
): Promise<WebHook | undefined> {
  if (succeeded && hook.failures === 0 && hook.disabled_until === null) return hook;
  const failures = succeeded ? 0 : Math.min(hook.failures + 1, SWITCHED_OFF);
  const off = failures >= SWITCHED_OFF && !isSystem(hook);
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
