import { AccessLevel } from '../core/access-levels.ts';
import { type Clock, timestamp } from '../core/clock.ts';
import type { Db } from '../db/schema.ts';

/** Protects a project's default branch as new projects have it: Maintainers push and merge, nobody forces. */
export async function protectDefaultBranch(db: Db, clock: Clock, projectId: number, branch: string): Promise<void> {
  const now = timestamp(clock);
  const row = await db
    .insertInto('protected_refs')
    .values({ project_id: projectId, kind: 'branch', name: branch, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return;
  await db
    .insertInto('protected_ref_levels')
    .values(
      (['push', 'merge'] as const).map((action) => ({
        protected_ref_id: row.id,
        action,
        access_level: AccessLevel.maintainer,
      })),
    )
    .execute();
}
