import type { Db } from '../db/db.schema.ts';

/** A chain of events that hooks led to ends when so many hooks were told of it. */
const LONGEST = 100;

/**
 * Which hooks were told of an event and of what followed from it, or will be.
 * @returns `full` when no further hook is to be told
 */
export async function chainOf(db: Db, eventUuid: string): Promise<{ hooks: ReadonlySet<number>; full: boolean }> {
  const hooks = new Set<number>();
  for (const table of ['web_hook_logs', 'web_hook_deliveries'] as const) {
    const rows = await db
      .selectFrom(table)
      .select('hook_id')
      .where('event_uuid', '=', eventUuid)
      .distinct()
      .limit(LONGEST)
      .execute();
    for (const { hook_id } of rows) hooks.add(hook_id);
  }
  return { hooks, full: hooks.size >= LONGEST };
}
