import type { UserCaller } from '../../../access/caller.ts';
import type { Standing } from '../../../access/standing.ts';
import { timestamp } from '../../../core/clock.ts';
import type { DomainEventType } from '../../../core/domain-events.ts';
import { refused } from '../../../core/errors.ts';
import { releaseFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/schema.ts';
import type { Release } from '../../../db/tables/releases.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { collectMore } from './evidence.ts';
import type { ChangedRelease } from './inputs.ts';
import { onRelease, releaseToWrite } from './locked.ts';
import { lockMilestonesFor, setMilestones } from './milestones.ts';
import { checkRelease, requireMayRelease } from './rules.ts';
import { tagOid } from './tagging.ts';

async function record(
  deps: Deps,
  db: Db,
  type: Extract<DomainEventType, `release.${string}`>,
  row: Release,
  actorId: number,
): Promise<void> {
  const { id: release_id, project_id } = row;
  await deps.events.record(
    db,
    type,
    { release: releaseFacts(row), release_id, project_id },
    { projectId: project_id, actorId },
  );
}

/** Changes what is given of a release. @throws ApiError 400, 403, 404 */
export async function updateRelease(
  deps: Deps,
  standing: Standing<UserCaller>,
  tag: string,
  given: ChangedRelease,
): Promise<Release> {
  await requireMayRelease(deps, standing, tag);
  if ((await tagOid(repositoryOf(deps, standing.project), tag)) === null) throw refused('Tag does not exist', 404);
  const release = await releaseToWrite(deps, standing, tag);
  if (Object.values(given).every((value) => value === undefined)) throw refused('params is empty');
  checkRelease(given);
  return onRelease(deps, standing, 'update_release', release, async (db, row, now) => {
    const milestones = await lockMilestonesFor(db, now, given);
    if (milestones !== undefined) await setMilestones(db, row.id, milestones);
    const changed = await db
      .updateTable('releases')
      .set({
        updated_at: timestamp(deps.clock),
        ...(given.name === undefined ? {} : { name: given.name || null }),
        ...(given.description === undefined ? {} : { description: given.description }),
        ...(given.released_at === undefined ? {} : await movedTo(deps, db, row, given.released_at)),
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(deps, db, 'release.updated', changed, now.caller.user.id);
    return changed;
  });
}

/** A release that is released at another time. Of an upcoming one the evidence is collected then. */
async function movedTo({ clock }: Deps, db: Db, row: Release, released_at: string) {
  const now = timestamp(clock);
  if (released_at <= now) return { released_at, evidence_due_at: row.evidence_due_at === null ? null : now };
  const collected = await db
    .selectFrom('release_evidences')
    .select('id')
    .where('release_id', '=', row.id)
    .limit(1)
    .executeTakeFirst();
  return { released_at, evidence_due_at: collected === undefined ? released_at : null };
}

/** Removes a release; its tag stays. @throws ApiError 401, 403, 404 */
export const destroyRelease = (deps: Deps, standing: Standing<UserCaller>, release: Release): Promise<void> =>
  onRelease(deps, standing, 'destroy_release', release, async (db, row, { caller }) => {
    await db.deleteFrom('releases').where('id', '=', row.id).execute();
    await record(deps, db, 'release.destroyed', row, caller.user.id);
  });

/** Collects one more evidence of a release. @throws ApiError 400, 401, 403, 404 */
export const addEvidence = (deps: Deps, standing: Standing<UserCaller>, release: Release): Promise<void> =>
  onRelease(deps, standing, 'create_release', release, (db, row) => collectMore(deps, db, row));
