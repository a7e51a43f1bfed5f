import { hash } from 'node:crypto';
import { timestamp } from '../../../core/clock.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { collectReports } from './report-artifacts.ts';

/** Maximum number of evidences per release. */
const MAX_EVIDENCES = 100;

/**
 * Builds the evidence of a release: the release, its project, its milestones and the reports of its pipeline.
 * @returns JSON as it is served
 */
async function summaryOf(deps: Deps, db: Db, release: Release, lastPipelineId?: number): Promise<string> {
  const { full_path, ...project } = await db
    .selectFrom('projects')
    .select(['id', 'name', 'description', 'created_at', 'full_path'])
    .where('id', '=', release.project_id)
    .executeTakeFirstOrThrow();
  const milestones = await db
    .selectFrom('milestone_releases')
    .innerJoin('milestones', 'milestones.id', 'milestone_releases.milestone_id')
    .select(['milestones.id', 'title', 'description', 'state', 'iid', 'created_at', 'due_date'])
    .where('release_id', '=', release.id)
    .orderBy('milestones.id')
    .execute();
  const report_artifacts = await collectReports(deps, db, release, { id: project.id, full_path }, lastPipelineId);
  const { id, tag, name, description, created_at } = release;
  const shown = { id, tag_name: tag, name: name ?? tag, description, created_at, project, milestones };
  return JSON.stringify({ release: report_artifacts.length === 0 ? shown : { ...shown, report_artifacts } });
}

/** Stores the evidence of a release. Call it in a transaction that has locked the release. */
async function collect(deps: Deps, db: Db, release: Release, lastPipelineId?: number): Promise<void> {
  const summary = await summaryOf(deps, db, release, lastPipelineId);
  const sha = hash('sha256', summary, 'hex');
  await db
    .insertInto('release_evidences')
    .values({ release_id: release.id, summary, sha, created_at: timestamp(deps.clock) })
    .execute();
}

/**
 * Collects the due evidence of a release; does nothing if it was already collected, or the release was deleted.
 * @param lastPipelineId last pipeline whose reports are included
 */
export async function collectDueEvidence(deps: Deps, releaseId: number, lastPipelineId?: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const release = await db
      .updateTable('releases')
      .set({ evidence_due_at: null })
      .where('id', '=', releaseId)
      .where('evidence_due_at', '<=', timestamp(deps.clock))
      .returningAll()
      .executeTakeFirst();
    if (release !== undefined) await collect(deps, db, release, lastPipelineId);
  });
}

/** Collects another evidence on request. @param db of a transaction that has locked the release @throws ApiError 400 */
export async function collectRequestedEvidence(deps: Deps, db: Db, release: Release): Promise<void> {
  const { count } = await db
    .selectFrom('release_evidences')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('release_id', '=', release.id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_EVIDENCES) throw refused(`Limit reached: a release has at most ${MAX_EVIDENCES} evidences.`);
  await collect(deps, db, release);
}
