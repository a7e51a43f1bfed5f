import { ENVIRONMENT_NAME, environmentSlug, guessTier } from '../../ci/ci.environments.ts';
import type { JobSeed } from '../../ci/job-seed.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Environment } from '../../db/tables/environments.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { ciSettings } from './ci-settings.ts';

const MAX_LENGTH = 255;
/** Number of rows written by one statement. */
const BATCH_SIZE = 500;

const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

const isName = (name: string): boolean => name.length <= MAX_LENGTH && ENVIRONMENT_NAME.test(name) && !/[$]/.test(name);

/**
 * Finds or creates the environments of jobs.
 * @returns their ids by name, without invalid names
 */
export async function ensureEnvironments(
  deps: Deps,
  db: Db,
  project: Pick<Project, 'id'>,
  jobs: readonly JobSeed[],
  mergeRequestId: number | null,
): Promise<Map<string, number>> {
  const tiersByName = new Map<string, Environment['tier']>();
  for (const { environment } of jobs) {
    if (environment === null || !isName(environment.name)) continue;
    const { name, deploymentTier, action } = environment;
    const tier = TIERS.find((each) => each === deploymentTier);
    // A job that deploys takes precedence over jobs that only name the environment.
    if (!tiersByName.has(name) || (tier !== undefined && action === 'start'))
      tiersByName.set(name, tier ?? guessTier(name));
  }
  const now = timestamp(deps.clock);
  const rows = [...tiersByName].map(([name, tier]) => ({
    project_id: project.id,
    name,
    tier,
    slug: environmentSlug(name),
    state: 'available' as const,
    auto_stop_setting: 'always' as const,
    merge_request_id: mergeRequestId,
    created_at: now,
    updated_at: now,
  }));
  const idsByName = new Map<string, number>();
  for (let at = 0; at < rows.length; at += BATCH_SIZE) {
    const some = rows.slice(at, at + BATCH_SIZE);
    await db
      .insertInto('environments')
      .values(some)
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
      .execute();
    const names = some.map(({ name }) => name);
    for (const { id, name } of await db
      .selectFrom('environments')
      .select(['id', 'name'])
      .where('project_id', '=', project.id)
      .where('name', 'in', names)
      .execute()) {
      idsByName.set(name, id);
    }
  }
  return idsByName;
}

/** Finds or creates the resource groups of jobs: their ids by key. */
export async function ensureResourceGroups(
  deps: Deps,
  db: Db,
  project: Pick<Project, 'id' | 'settings'>,
  jobs: readonly JobSeed[],
): Promise<Map<string, number>> {
  const keys = [...new Set(jobs.flatMap(({ resourceGroup }) => resourceGroup ?? []))]
    .map((key) => key.slice(0, MAX_LENGTH))
    .filter((key) => key !== '');
  const now = timestamp(deps.clock);
  const process_mode = ciSettings(project).resource_group_default_process_mode;
  const idsByKey = new Map<string, number>();
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const some = keys.slice(at, at + BATCH_SIZE);
    await db
      .insertInto('resource_groups')
      .values(some.map((key) => ({ project_id: project.id, key, process_mode, created_at: now, updated_at: now })))
      .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
      .execute();
    for (const { id, key } of await db
      .selectFrom('resource_groups')
      .select(['id', 'key'])
      .where('project_id', '=', project.id)
      .where('key', 'in', some)
      .execute()) {
      idsByKey.set(key, id);
    }
  }
  return idsByKey;
}
