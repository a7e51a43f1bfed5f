import { guessTier } from '../../ci/ci.environments.ts';
import type { EnvironmentConfig } from '../../ci/pipeline-config.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import { publicVariables } from './values.ts';

/**
 * Variables about the environment of a job.
 * @returns `early`: known with the job, of low precedence; `late`: of the existing environment, of the highest
 *   precedence; `tier`: the environment's tier, whatever variables say
 */
export async function environmentVariables(
  db: Db,
  job: CiJob,
  config: EnvironmentConfig | null,
): Promise<{ early: Variable[]; late: Variable[]; tier: string | null }> {
  if (job.environment === null) return { early: [], late: [], tier: null };
  const row = await db
    .selectFrom('environments')
    .select(['id', 'slug', 'tier', 'external_url'])
    .where('project_id', '=', job.project_id)
    .where('name', '=', job.environment)
    .executeTakeFirst();
  const tier = row?.tier ?? config?.deploymentTier ?? guessTier(job.environment);
  return {
    tier,
    early: publicVariables({
      CI_ENVIRONMENT_NAME: job.environment,
      CI_ENVIRONMENT_ACTION: config?.action ?? 'start',
      CI_ENVIRONMENT_TIER: tier,
    }),
    late: [
      ...publicVariables({ CI_ENVIRONMENT_ID: row?.id, CI_ENVIRONMENT_SLUG: row?.slug }),
      // The configured URL may refer to the slug and to all other variables.
      ...(config?.url
        ? [{ key: 'CI_ENVIRONMENT_URL', value: config.url, public: true }]
        : publicVariables({ CI_ENVIRONMENT_URL: row?.external_url })),
    ],
  };
}
