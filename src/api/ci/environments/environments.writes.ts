import { timestamp } from '../../../core/clock.ts';
import { notFound } from '../../../core/core.errors.ts';
import { startsWith } from '../../../db/like.ts';
import type { Environment } from '../../../db/tables/environments.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkEnvironment, type EnvironmentAttributes } from './environments.rules.ts';

/** Updates the given attributes. @throws ApiError 400, 404 */
export async function updateEnvironment(
  { db, clock }: Deps,
  { id }: Environment,
  input: EnvironmentAttributes,
): Promise<Environment> {
  checkEnvironment(input);
  const external = input.external_url === undefined ? {} : { external_url: input.external_url || null };
  return db
    .updateTable('environments')
    .set({ ...input, ...external, updated_at: timestamp(clock) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Environment'));
}

/**
 * Marks environments without activity since an instant as due: the next sweep stops them like those whose auto-stop
 * time is reached.
 */
export async function stopStaleEnvironments({ db, clock }: Deps, projectId: number, before: string): Promise<void> {
  await db
    .updateTable('environments')
    .set({ auto_stop_at: timestamp(clock) })
    .where('project_id', '=', projectId)
    .where('state', '=', 'available')
    .where('updated_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deployments')
            .select('deployments.id')
            .whereRef('deployments.environment_id', '=', 'environments.id')
            .where('deployments.updated_at', '>=', before),
        ),
      ),
    )
    .execute();
}

/**
 * Returns the oldest stopped environments in the folder `review/`.
 * @param remove whether to delete them and their deployments
 */
export function oldReviewApps(
  { db }: Deps,
  projectId: number,
  { before, limit, remove }: { before: string; limit: number; remove: boolean },
): Promise<Environment[]> {
  return db.transaction().execute(async (db) => {
    const rows = await db
      .selectFrom('environments')
      .selectAll()
      .where('project_id', '=', projectId)
      .where((eb) => startsWith(eb, eb.ref('name'), 'review/'))
      .where('state', '=', 'stopped')
      .where('created_at', '<', before)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    if (remove && rows.length > 0) {
      const ids = rows.map(({ id }) => id);
      await db.deleteFrom('environments').where('id', 'in', ids).where('state', '=', 'stopped').execute();
    }
    return rows;
  });
}
