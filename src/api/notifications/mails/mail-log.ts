import { sql } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import type { ProjectContext } from '../recipients/project-context.ts';

const DAY_MS = 86_400_000;
/** Longer than the retries of any job that sends mails, and than the notice period of expiring tokens. */
const RETENTION_DAYS = 40;
/** Maximum number of mails to a user about a project in 24 hours, as on the platform. */
export const DAILY_LIMIT = 1_000;
const BATCH = 1_000;
const PRUNE = jobKind<Record<string, never>>('notifications.prune', { lane: 'slow' });

/**
 * Records the mails of an occasion, in the transaction that enqueues them.
 * @returns ids of the users who have not received one yet
 */
export async function recordMails(
  deps: Deps,
  db: Db,
  occasion: string,
  userIds: readonly number[],
  space: { projectId?: number; groupId?: number } = {},
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  const values = {
    occasion,
    project_id: space.projectId ?? null,
    group_id: space.groupId ?? null,
    created_at: timestamp(deps.clock),
  };
  const rows = await db
    .insertInto('notification_mails')
    .values(userIds.map((user_id) => ({ ...values, user_id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Number of mails to users about a project in the last 24 hours. */
export async function recentMailCounts(
  deps: Deps,
  db: Db,
  { project }: Pick<ProjectContext, 'project'>,
  userIds: readonly number[],
): Promise<Map<number, number>> {
  if (userIds.length === 0) return new Map();
  const since = new Date(deps.clock.now().getTime() - DAY_MS).toISOString();
  const rows = await db
    .selectFrom('notification_mails')
    .select((eb) => ['user_id', eb.fn.countAll<number>().as('count')])
    .where('user_id', 'in', userIds)
    .where('created_at', '>', since)
    .where('project_id', '=', project.id)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id, count }) => [user_id, Number(count)]));
}

/** Registers the pruning of the mail log. */
export function registerMailLog(deps: Deps): void {
  deps.jobs.every(PRUNE, { dailyAt: '02:40' }, async (_payload, { signal }) => {
    const before = new Date(deps.clock.now().getTime() - RETENTION_DAYS * DAY_MS).toISOString();
    for (;;) {
      const { numDeletedRows } = await deps.db
        .deleteFrom('notification_mails')
        .where(sql<string>`(occasion, user_id)`, 'in', (eb) =>
          eb
            .selectFrom('notification_mails')
            .select(['occasion', 'user_id'])
            .where('created_at', '<', before)
            .orderBy('created_at')
            .limit(BATCH)
            .$castTo<string>(),
        )
        .executeTakeFirst();
      if (numDeletedRows < BATCH || signal.aborted) return;
    }
  });
}
