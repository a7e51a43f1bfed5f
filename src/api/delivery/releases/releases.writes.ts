import type { UserCaller } from '../../../access/caller.ts';
import type { CallerInProject } from '../../../access/caller-in-project.ts';
import { timestamp } from '../../../core/clock.ts';
import type { DomainEventType } from '../../../core/core.domain-events.ts';
import { refused } from '../../../core/core.errors.ts';
import { releaseFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { collectRequestedEvidence } from './evidence.ts';
import { onLockedRelease, releaseToWrite } from './locked.ts';
import type { ChangedRelease } from './releases.inputs.ts';
import { lockMilestonesFor, setMilestones } from './releases.milestones.ts';
import { checkRelease, requireMayRelease } from './releases.rules.ts';
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

/** Updates the given attributes of a release. @throws ApiError 400, 403, 404 */
export async function updateRelease(
  deps: Deps,
  scope: CallerInProject<UserCaller>,
  tag: string,
  input: ChangedRelease,
): Promise<Release> {
  await requireMayRelease(deps, scope, tag);
  if ((await tagOid(repositoryOf(deps, scope.project), tag)) === null) throw refused('Tag does not exist', 404);
  const release = await releaseToWrite(deps, scope, tag);
  if (Object.values(input).every((value) => value === undefined)) throw refused('params is empty');
  checkRelease(input);
  return onLockedRelease(deps, scope, 'update_release', release, async (db, row, now) => {
    const milestones = await lockMilestonesFor(db, now, input);
    if (milestones !== undefined) await setMilestones(db, row.id, milestones);
    const changed = await db
      .updateTable('releases')
      .set({
        updated_at: timestamp(deps.clock),
        ...(input.name === undefined ? {} : { name: input.name || null }),
        ...(input.description === undefined ? {} : { description: input.description }),
        ...(input.released_at === undefined ? {} : await movedTo(deps, db, row, input.released_at)),
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(deps, db, 'release.updated', changed, now.caller.user.id);
    return changed;
  });
}

/** Columns for a new release date. If the release is upcoming, its evidence is collected on that date. */
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

/** Deletes a release; its tag is kept. @throws ApiError 401, 403, 404 */
export const destroyRelease = (deps: Deps, scope: CallerInProject<UserCaller>, release: Release): Promise<void> =>
  onLockedRelease(deps, scope, 'destroy_release', release, async (db, row, { caller }) => {
    await db.deleteFrom('releases').where('id', '=', row.id).execute();
    await record(deps, db, 'release.destroyed', row, caller.user.id);
  });

/** Collects another evidence of a release. @throws ApiError 400, 401, 403, 404 */
export const addEvidence = (deps: Deps, scope: CallerInProject<UserCaller>, release: Release): Promise<void> =>
  onLockedRelease(deps, scope, 'create_release', release, (db, row) => collectRequestedEvidence(deps, db, row));
