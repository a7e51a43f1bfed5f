import { today } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';

const TELL_EXPIRING = jobKind<Record<string, never>>('tell-expiring-tokens', { lane: 'slow', timeoutMs: 600_000 });
/** Days before expiry on which notifications are sent. */
const AHEAD = [7, 1] as const;
/** Key of the last processed day. */
const LAST_DAY_KEY = 'expiring_tokens_told';
const DAY_MS = 86_400_000;

const later = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Registers the daily events for tokens of projects and groups that expire in seven days or in one. */
export function registerExpiringTokens(deps: Deps): void {
  deps.jobs.every(TELL_EXPIRING, { dailyAt: '01:00' }, () => tellExpiring(deps));
}

/** Makes up for missed days, for tokens that are still valid. */
async function tellExpiring(deps: Deps): Promise<void> {
  const day = today(deps.clock);
  await deps.db.transaction().execute(async (db) => {
    const processedDay = await lastDay(db, day);
    if (processedDay >= day) return;
    await db
      .insertInto('instance_values')
      .values({ key: LAST_DAY_KEY, value: JSON.stringify(day), updated_at: deps.clock.now().toISOString() })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: JSON.stringify(day) }))
      .execute();
    for (const days of AHEAD) {
      const from = [day, later(processedDay, days)].toSorted().at(-1)!;
      await tellAccessTokens(deps, db, { from, to: later(day, days), days });
      await tellDeployTokens(deps, db, { from, to: later(day, days), days });
    }
  });
}

async function lastDay(db: Db, day: string): Promise<string> {
  const row = await db.selectFrom('instance_values').select('value').where('key', '=', LAST_DAY_KEY).executeTakeFirst();
  return row === undefined ? later(day, -1) : parseJson<string>(row.value);
}

/** Tokens that expire after the day `from`, up to `to`. */
interface Period {
  from: string;
  to: string;
  days: number;
}

async function tellAccessTokens(deps: Deps, db: Db, { from, to, days }: Period): Promise<void> {
  const rows = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('resource_type', 'is not', null)
    .where('revoked', '=', 0)
    .where('expires_at', '>', from)
    .where('expires_at', '<=', to)
    .orderBy('expires_at')
    .orderBy('id')
    .execute();
  for (const { id, user_id, name, expires_at, created_at, last_used_at, resource_type, resource_id } of rows) {
    const source = { source_type: resource_type!, source_id: resource_id! };
    const token = { user_id, name, expires_at: expires_at!, created_at, last_used_at };
    await deps.events.record(db, 'access_token.expiring', { ...source, token, token_id: id, days }, about(source));
  }
}

async function tellDeployTokens(deps: Deps, db: Db, { from, to, days }: Period): Promise<void> {
  const rows = await db
    .selectFrom('deploy_tokens')
    .selectAll()
    .where('revoked', '=', 0)
    .where('expires_at', '>=', later(from, 1))
    .where('expires_at', '<', later(to, 1))
    .orderBy('expires_at')
    .orderBy('id')
    .execute();
  for (const { id, creator_id: user_id, name, expires_at, created_at, source_type, source_id } of rows) {
    const source = { source_type, source_id };
    const token = { user_id, name, expires_at: expires_at!, created_at, last_used_at: null };
    await deps.events.record(db, 'deploy_token.expiring', { ...source, token, token_id: id, days }, about(source));
  }
}

const about = ({ source_type, source_id }: { source_type: 'project' | 'group'; source_id: number }) =>
  source_type === 'project' ? { projectId: source_id } : { groupId: source_id };
