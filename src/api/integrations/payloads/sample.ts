import { refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { sampleDeployment } from './deployment.payload.ts';
import { sampleEmoji } from './emoji.payload.ts';
import { sampleExpiringToken } from './expiring-token.payload.ts';
import { sampleFeatureFlag } from './feature-flag.payload.ts';
import { sampleIssue } from './issue.payload.ts';
import { sampleJob } from './job.payload.ts';
import { sampleMember } from './members.payload.ts';
import { sampleMergeRequest } from './merge-request.payload.ts';
import { sampleMilestone } from './milestone.payload.ts';
import { sampleNote } from './note-events.payload.ts';
import { samplePipeline } from './pipeline.payload.ts';
import { samplePush } from './push.payload.ts';
import { sampleRelease } from './release.payload.ts';
import { sampleProject, sampleSubgroup } from './spaces.payload.ts';
import type { HookEvent, HookOwner, Trigger } from './types.ts';
import { sampleWikiPage } from './wiki-page.payload.ts';

/** Builds the payload of a trigger for a project or group; undefined if there is no object of that kind. */
type Sample = (deps: Deps, id: number, userId: number | null) => Promise<HookEvent | undefined>;

const NO_COMMITS = 'Ensure the project has at least one commit.';
const NO_ISSUES = 'Ensure the project has issues.';
const NO_NOTES = 'Ensure the project has notes.';

/** Builders by trigger, with the error if there is no object to build from. */
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
  resource_access_token: [
    (deps, projectId) => sampleExpiringToken(deps, projectId, 'access_token.expiring'),
    'Ensure the project has access tokens.',
  ],
  resource_deploy_token: [
    (deps, projectId) => sampleExpiringToken(deps, projectId, 'deploy_token.expiring'),
    'Ensure the project has deploy tokens.',
  ],
  emoji: [sampleEmoji, 'Ensure the project has emoji reactions.'],
};

/** The same for triggers of group hooks. */
const GROUP_SAMPLES: Partial<Record<Trigger, readonly [Sample, string]>> = {
  member: [sampleMember, 'Ensure the group has members.'],
  subgroup: [sampleSubgroup, 'Ensure the group has subgroups.'],
  project: [sampleProject, 'Ensure the group has projects.'],
};

/**
 * Builds the payload for the test of a hook, from the last object of that kind, as if it had just changed. Group hooks
 * are tested with the first project of the group.
 * @param userId id of the user who tests
 * @throws ApiError 422 if there is no such object
 */
export async function sampleEvent(
  deps: Deps,
  owner: HookOwner,
  trigger: Trigger,
  userId: number | null,
): Promise<HookEvent> {
  const ofGroup = 'groupId' in owner ? GROUP_SAMPLES[trigger] : undefined;
  const [make, words] = ofGroup ?? SAMPLES[trigger] ?? [];
  const id = ofGroup !== undefined ? (owner as { groupId: number }).groupId : await projectFor(deps, owner);
  const made = id === undefined ? undefined : await make?.(deps, id, userId);
  if (made === undefined) throw refused(words ?? 'There is nothing to test this trigger with.', 422);
  return made;
}

/** Returns the project itself, or the first project of the group. */
async function projectFor({ db }: Deps, owner: HookOwner): Promise<number | undefined> {
  if ('projectId' in owner) return owner.projectId;
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', owner.groupId)
    .where('pending_delete', '=', 0)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return project?.id;
}
