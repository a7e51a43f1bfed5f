import { environmentSlug, guessTier } from '../../../ci/ci.environments.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Environment } from '../../../db/tables/environments.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkEnvironment, type EnvironmentAttributes } from './environments.rules.ts';

/** Creates an environment. @throws ApiError 400 */
export async function createEnvironment(
  { db, clock }: Deps,
  projectId: number,
  { name, ...input }: EnvironmentAttributes & { name: string },
): Promise<Environment> {
  checkEnvironment(input, name);
  const now = timestamp(clock);
  try {
    return await db
      .insertInto('environments')
      .values({
        project_id: projectId,
        name,
        slug: environmentSlug(name),
        external_url: input.external_url || null,
        description: input.description ?? null,
        tier: input.tier ?? guessTier(name),
        state: 'available',
        auto_stop_setting: input.auto_stop_setting ?? 'always',
        kubernetes_namespace: input.kubernetes_namespace ?? null,
        flux_resource_path: input.flux_resource_path ?? null,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ name: ['has already been taken'] });
    throw error;
  }
}
