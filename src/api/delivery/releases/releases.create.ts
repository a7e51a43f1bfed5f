import type { UserCaller } from '../../../access/caller.ts';
import { type CallerInProject, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict } from '../../../core/core.errors.ts';
import { releaseFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { lockProject } from '../../spaces/index.ts';
import { insertLinks } from '../release-links/release-links.insert.ts';
import { COLLECT_EVIDENCE, evidenceDue } from './evidence-due.ts';
import { findRelease } from './releases.find.ts';
import type { NewRelease } from './releases.inputs.ts';
import { lockMilestonesFor, milestonesFor, setMilestones } from './releases.milestones.ts';
import { checkRelease, requireMayTag } from './releases.rules.ts';
import { lastPipelineOf } from './report-artifacts.ts';
import { storedCommit } from './stored-commit.ts';
import { ensureTag, type Tagged, tagOid } from './tagging.ts';

/** Attempts to create a release while its tag changes. */
const TRIES = 5;

const taken = () => conflict('Release already exists');

/**
 * Creates a release, and its tag if necessary. Validates everything before creating the tag.
 * @throws ApiError 400, 403, 404, 409, 422
 */
export async function createRelease(
  deps: Deps,
  scope: CallerInProject<UserCaller>,
  input: NewRelease,
): Promise<Release> {
  const { project } = scope;
  await requireMayTag(deps, scope, input.tag_name);
  if ((await findRelease(deps.db, project.id, input.tag_name)) !== undefined) throw taken();
  checkRelease(input);
  await milestonesFor(deps.db, scope, input);
  const lastPipelineId = await lastPipelineOf(deps.db, project.id);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const tagged = await ensureTag(deps, scope, input);
    const made = await enter(deps, scope, input, tagged, lastPipelineId);
    if (made !== undefined) return made;
  }
  throw conflict(`Tag ${input.tag_name} was changed at the same time. Please try again.`);
}

/**
 * Inserts the release of a tag. @param last_pipeline_id last pipeline before the tag
 * @returns undefined if the tag has moved or was deleted meanwhile
 */
async function enter(
  deps: Deps,
  { project: { id }, caller }: CallerInProject<UserCaller>,
  input: NewRelease,
  { oid, commit }: Tagged,
  last_pipeline_id: number,
): Promise<Release | undefined> {
  try {
    return await deps.db.transaction().execute(async (db) => {
      // Deleting the tag also locks the project, after the tag is gone: one of the two sees the change of the other.
      await lockProject(db, id);
      const scope = await revalidateProjectAbility(deps, db, caller, id, 'create_release');
      await requireMayTag(transactionDeps(deps, db), scope, input.tag_name);
      if ((await tagOid(repositoryOf(deps, scope.project), input.tag_name)) !== oid) return undefined;
      const milestones = await lockMilestonesFor(db, scope, input);
      const now = timestamp(deps.clock);
      const released_at = input.released_at ?? now;
      const due = evidenceDue(released_at, now);
      const row = await db
        .insertInto('releases')
        .values({
          project_id: id,
          tag: input.tag_name,
          name: input.name || null,
          description: input.description ?? null,
          sha: commit?.oid ?? null,
          commit_object: commit === null ? null : storedCommit(commit),
          author_id: caller.user.id,
          released_at,
          evidence_due_at: due,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await insertLinks(deps, db, row.id, input.assets?.links ?? []);
      await setMilestones(db, row.id, milestones ?? []);
      if (due === now) {
        await deps.jobs.enqueue(db, COLLECT_EVIDENCE, { release_id: row.id, last_pipeline_id }, { projectId: id });
      }
      const payload = { release: releaseFacts(row), release_id: row.id, project_id: id };
      await deps.events.record(db, 'release.created', payload, { projectId: id, actorId: caller.user.id });
      return row;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw taken();
    throw error;
  }
}
