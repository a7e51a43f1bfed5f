import type { Db } from '../db/db.schema.ts';

/** Maximum number of webhook calls in a chain of events that webhooks caused. */
const LONGEST = 100;

/**
 * The hooks in the chain of events that led to an event.
 * @returns `full`: whether no further hook may be called
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
