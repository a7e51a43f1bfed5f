import { RUNNER_TOKEN_PREFIXES } from '../../../access/runner-caller.ts';
import { recordAudit } from '../../../audit/record.audit.ts';
import { recordRunner, runnerEntities, runnerEntry } from '../../../audit/runners.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden } from '../../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../../core/core.secrets.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';

const SHORT = 8;

/** Creates a token for a runner, with its digest. */
export function newRunnerToken(registration: CiRunner['registration']) {
  const random = randomText(20);
  const token = `${RUNNER_TOKEN_PREFIXES[registration]}${random}`;
  return { token, columns: { digest: tokenDigest(token), short_token: random.slice(0, SHORT) } };
}

const SETTINGS = {
  instance_type: 'runner_token_expiration_interval',
  group_type: 'group_runner_token_expiration_interval',
  project_type: 'project_runner_token_expiration_interval',
} as const;

/**
 * Returns when a token created now expires: after the interval set by administrators or by the project of the runner,
 * whichever is shorter. Null for never.
 */
export function tokenEnd(
  { clock, settings }: Pick<Deps, 'clock' | 'settings'>,
  type: CiRunner['runner_type'],
  project: { settings: string } | null,
): string | null {
  const own =
    project === null
      ? null
      : parseJson<{ runner_token_expiration_interval?: number | null }>(project.settings)
          .runner_token_expiration_interval;
  const intervals = [settings.now[SETTINGS[type]], own].filter((seconds) => typeof seconds === 'number');
  return intervals.length === 0 ? null : new Date(clock.now().getTime() + Math.min(...intervals) * 1_000).toISOString();
}

/** Query for the owner project of a project runner: its first project. */
export const ownerProject = (db: Db, runnerId: number) =>
  db
    .selectFrom('ci_runner_projects')
    .innerJoin('projects', 'projects.id', 'ci_runner_projects.project_id')
    .select(['projects.id', 'projects.settings'])
    .where('runner_id', '=', runnerId)
    .orderBy('ci_runner_projects.created_at')
    .orderBy('projects.id')
    .limit(1)
    .executeTakeFirst();

/** Replaces the token of a runner. @throws ApiError 403 if the runner was deleted */
export async function resetRunnerToken(deps: Deps, { id, registration, runner_type }: CiRunner) {
  const { token, columns } = newRunnerToken(registration);
  const token_expires_at = tokenEnd(deps, runner_type, (await ownerProject(deps.db, id)) ?? null);
  await deps.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('ci_runners')
      .set({ ...columns, token_expires_at, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(() => forbidden());
    await recordRunner(deps, db, row, { name: 'ci_runner_token_reset', message: 'Reset the token of a CI runner' });
  });
  return { token, token_expires_at };
}

/** Deletes the row of a runner; takes the handle of a transaction. */
export async function unregisterRunner(deps: Deps, db: Db, runner: CiRunner): Promise<void> {
  const places = await runnerEntities(db, runner);
  const { numDeletedRows } = await db.deleteFrom('ci_runners').where('id', '=', runner.id).executeTakeFirst();
  if (numDeletedRows === 0n) return;
  const event = { name: 'ci_runner_unregistered', message: 'Unregistered CI runner' } as const;
  await recordAudit(
    deps,
    db,
    places.map((place) => runnerEntry(runner, place, event)),
  );
}
