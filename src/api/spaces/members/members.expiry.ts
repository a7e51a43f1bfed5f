import { recordShare } from '../../../audit/shares.audit.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { endExpired } from './members.writes.ts';

const END_MEMBERSHIPS = jobKind<Record<string, never>>('members.end-expired', { lane: 'slow', timeoutMs: 3_600_000 });
/** Memberships or shares loaded at a time. */
const BATCH = 100;

/** Registers the daily removal of expired memberships and shares (at 00:00 UTC). */
export function registerEndOfMemberships(deps: Deps): void {
  deps.jobs.every(END_MEMBERSHIPS, { dailyAt: '00:10' }, (_payload, { signal }) => endAll(deps, signal));
}

async function endAll(deps: Deps, signal: AbortSignal): Promise<void> {
  const day = today(deps.clock);
  for (const table of ['members', 'group_links'] as const) {
    for (let last = 0; ; ) {
      const ids = await (table === 'members' ? endedMembers(deps.db, day, last) : endedShares(deps.db, day, last));
      for (const { id } of ids) {
        signal.throwIfAborted();
        await deps.db
          .transaction()
          .execute((db) => (table === 'members' ? endExpired(deps, db, id) : endShare(deps, db, id)));
      }
      if (ids.length < BATCH) break;
      last = ids.at(-1)!.id;
    }
  }
}

/** Memberships of bots are removed with their tokens. */
const endedMembers = (db: Db, day: string, after: number) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('members.id')
    .where('members.expires_at', '<=', day)
    .where('users.kind', 'not in', ['project_bot', 'group_bot'])
    .where('members.id', '>', after)
    .orderBy('members.id')
    .limit(BATCH)
    .execute();

const endedShares = (db: Db, day: string, after: number) =>
  db
    .selectFrom('group_links')
    .select('id')
    .where('expires_at', '<=', day)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute();

async function endShare(deps: Deps, db: Db, id: number): Promise<void> {
  const link = await db
    .deleteFrom('group_links')
    .where('id', '=', id)
    .where('expires_at', '<=', today(deps.clock))
    .returningAll()
    .executeTakeFirst();
  if (link !== undefined) await recordShare(deps, db, 'removed', link);
}
