import { lineageIds } from '../../../access/access.membership.ts';
import type { CallerInProject } from '../../../access/caller-in-project.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ChangedRelease } from './releases.inputs.ts';

/**
 * Returns the ids of the named milestones of the project or its ancestor groups.
 * @returns undefined if none are given
 * @throws ApiError 400 for unknown milestones
 */
export async function milestonesFor(
  db: Db,
  { project, namespace }: Pick<CallerInProject, 'project' | 'namespace'>,
  { milestones, milestone_ids }: Pick<ChangedRelease, 'milestones' | 'milestone_ids'>,
): Promise<number[] | undefined> {
  const titles = milestones?.filter((title) => title !== '');
  if (titles === undefined && milestone_ids === undefined) return undefined;
  const requested: readonly (string | number)[] = titles ?? milestone_ids ?? [];
  if (requested.length === 0) return [];
  const key = titles === undefined ? 'id' : 'title';
  const rows = await db
    .selectFrom('milestones')
    .select(['id', 'title'])
    .where(key, 'in', requested)
    .where((eb) => eb.or([eb('project_id', '=', project.id), eb('group_id', 'in', lineageIds(namespace.lineage))]))
    .execute();
  const known = new Set<string | number>(rows.map((row) => row[key]));
  const missing = [...new Set(requested)].filter((each) => !known.has(each));
  if (missing.length > 0) {
    throw refused(`Milestone${key === 'id' ? ' id' : ''}(s) not found: ${missing.join(', ').slice(0, 1_000)}`);
  }
  return rows.map(({ id }) => id);
}

/**
 * As `milestonesFor`, within a transaction: the milestones are locked until it ends.
 * @returns undefined if none are given
 * @throws ApiError 400 for unknown milestones
 */
export async function lockMilestonesFor(
  db: Db,
  space: Pick<CallerInProject, 'project' | 'namespace'>,
  input: Pick<ChangedRelease, 'milestones' | 'milestone_ids'>,
): Promise<number[] | undefined> {
  const ids = await milestonesFor(db, space, input);
  if (ids === undefined || ids.length === 0) return ids;
  // An update without changes locks the rows on both engines, and waits for concurrent deletions.
  await db
    .updateTable('milestones')
    .set((eb) => ({ iid: eb.ref('iid') }))
    .where('id', 'in', ids)
    .execute();
  return milestonesFor(db, space, input);
}

/** Replaces the milestones of a release. */
export async function setMilestones(db: Db, releaseId: number, milestoneIds: readonly number[]): Promise<void> {
  await db.deleteFrom('milestone_releases').where('release_id', '=', releaseId).execute();
  if (milestoneIds.length === 0) return;
  await db
    .insertInto('milestone_releases')
    .values(milestoneIds.map((milestone_id) => ({ release_id: releaseId, milestone_id })))
    .execute();
}
