import { environmentSlug, guessTier } from '../../../ci/environments.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel } from '../../../core/errors.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { Environment } from '../../../db/tables/environments.ts';
import type { Deps } from '../../../deps.ts';
import { checkEnvironment, type EnvironmentAttributes } from './rules.ts';

/** Makes an environment. @throws ApiError 400 */
export async function createEnvironment(
  { db, clock }: Deps,
  projectId: number,
  { name, ...given }: EnvironmentAttributes & { name: string },
): Promise<Environment> {
  checkEnvironment(given, name);
  const now = timestamp(clock);
  try {
    return await db
      .insertInto('environments')
      .values({
        project_id: projectId,
        name,
        slug: environmentSlug(name),
        external_url: given.external_url || null,
        description: given.description ?? null,
        tier: given.tier ?? guessTier(name),
        state: 'available',
        auto_stop_setting: given.auto_stop_setting ?? 'always',
        kubernetes_namespace: given.kubernetes_namespace ?? null,
        flux_resource_path: given.flux_resource_path ?? null,
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
