import { refused } from '../../../core/errors.ts';
import type { Deps } from '../../../deps.ts';
import { sampleDeployment } from './deployment.ts';
import { sampleEmoji } from './emoji.ts';
import { sampleFeatureFlag } from './feature-flag.ts';
import { sampleIssue } from './issue.ts';
import { sampleJob } from './job.ts';
import { sampleMergeRequest } from './merge-request.ts';
import { sampleMilestone } from './milestone.ts';
import { sampleNote } from './note-events.ts';
import { samplePipeline } from './pipeline.ts';
import { samplePush } from './push.ts';
import { sampleRelease } from './release.ts';
import type { HookEvent, HookPlace, Trigger } from './types.ts';
import { sampleWikiPage } from './wiki-page.ts';

/** Makes the message of a trigger for a project; undefined where there is nothing of the kind in it. */
type Sample = (deps: Deps, projectId: number, userId: number | null) => Promise<HookEvent | undefined>;

const NO_COMMITS = 'Ensure the project has at least one commit.';
const NO_ISSUES = 'Ensure the project has issues.';
const NO_NOTES = 'Ensure the project has notes.';

/** By trigger: how to make one, and what is said where there is nothing to make it of. */
const SAMPLES: Partial<Record<Trigger, readonly [Sample, string]>> = {
  push: [(deps, projectId, userId) => samplePush(deps, projectId, userId, 'push'), NO_COMMITS],
  tag_push: [(deps, projectId, userId) => samplePush(deps, projectId, userId, 'tag_push'), NO_COMMITS],
  issues: [(deps, projectId, userId) => sampleIssue(deps, projectId, userId, 'issues'), NO_ISSUES],
  confidential_issues: [
    (deps, projectId, userId) => sampleIssue(deps, projectId, userId, 'confidential_issues'),
    NO_ISSUES,
  ],
  note: [(deps, projectId, userId) => sampleNote(deps, projectId, userId, 'note'), NO_NOTES],
  confidential_note: [(deps, projectId, userId) => sampleNote(deps, projectId, userId, 'confidential_note'), NO_NOTES],
  merge_requests: [sampleMergeRequest, 'Ensure the project has merge requests.'],
  job: [sampleJob, 'Ensure the project has CI jobs.'],
  pipeline: [samplePipeline, 'Ensure the project has CI pipelines.'],
  wiki_page: [sampleWikiPage, 'Ensure the wiki is enabled and has pages.'],
  deployment: [sampleDeployment, 'Ensure the project has deployments.'],
  feature_flag: [sampleFeatureFlag, 'Ensure the project has feature flags.'],
  releases: [sampleRelease, 'Ensure the project has releases.'],
  milestone: [sampleMilestone, 'Ensure the project has milestones.'],
  emoji: [sampleEmoji, 'Ensure the project has emoji reactions.'],
};

/**
 * A message for the test of a hook, made of the last thing of that kind, as if it had just happened.
 * @param userId who tests
 * @throws ApiError 422 where there is nothing of the kind
 */
export async function sampleEvent(
  deps: Deps,
  place: HookPlace,
  trigger: Trigger,
  userId: number | null,
): Promise<HookEvent> {
  const [make, words] = SAMPLES[trigger] ?? [];
  const projectId = 'projectId' in place ? place.projectId : await someProjectOf(deps, place.groupId);
  const made = projectId === undefined ? undefined : await make?.(deps, projectId, userId);
  if (made === undefined) throw refused(words ?? 'There is nothing to test this trigger with.', 422);
  return made;
}

/** The first project of a group: the platform tests the hooks of groups with it. */
async function someProjectOf({ db }: Deps, groupId: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('pending_delete', '=', 0)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}
