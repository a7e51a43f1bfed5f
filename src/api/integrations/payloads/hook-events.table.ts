import { keySystemEvent, userSystemEvent } from './accounts.payload.ts';
import { archivedTraceHookEvent } from './archived-trace.payload.ts';
import { deploymentHookEvent, isDeployed, sampleDeployment } from './deployment.payload.ts';
import { emojiHookEvent, sampleEmoji } from './emoji.payload.ts';
import { expiringTokenHookEvent, sampleAccessToken, sampleDeployToken } from './expiring-token.payload.ts';
import { featureFlagHookEvent, sampleFeatureFlag } from './feature-flag.payload.ts';
import { issueHookEvent, sampleIssue } from './issue.payload.ts';
import { jobHookEvent, sampleJob } from './job.payload.ts';
import { memberHookEvent, memberSystemEvent, sampleMember } from './members.payload.ts';
import { mergeRequestEvent, sampleMergeRequest } from './merge-request.payload.ts';
import { milestoneHookEvent, sampleMilestone } from './milestone.payload.ts';
import { mayBeConfidential, mayBePublic, noteHookEvent, sampleNote } from './note-events.payload.ts';
import { pipelineHookEvent, samplePipeline } from './pipeline.payload.ts';
import { movesBranch, movesTag, pushHookEvents, pushSystemEvents, samplePush, sampleTagPush } from './push.payload.ts';
import { releaseHookEvent, sampleRelease } from './release.payload.ts';
import {
  groupSystemEvent,
  isProjectChange,
  projectHookEvent,
  projectSystemEvent,
  sampleProject,
  sampleSubgroup,
  subgroupHookEvent,
} from './spaces.payload.ts';
import { type HookEventRow, triggerRule } from './types.ts';
import { sampleWikiPage, wikiPageHookEvent } from './wiki-page.payload.ts';

const ISSUES = ['issue.created', 'issue.updated', 'issue.closed', 'issue.reopened'] as const;
const NOTES = ['note.created', 'note.updated'] as const;
const MERGE_REQUESTS = triggerRule(
  [
    'merge_request.created',
    'merge_request.updated',
    'merge_request.closed',
    'merge_request.reopened',
    'merge_request.merged',
    'merge_request.approved',
    'merge_request.unapproved',
  ],
  mergeRequestEvent,
);
const MEMBERS = [
  'member.added',
  'member.updated',
  'member.removed',
  'access_request.created',
  'access_request.removed',
] as const;

/** Flags that projects and groups have, off at first. */
const OFF = { project: false, group: false } as const;

const NO_COMMITS = 'Ensure the project has at least one commit.';
const NO_ISSUES = 'Ensure the project has issues.';
const NO_NOTES = 'Ensure the project has notes.';

/** All rows by trigger; the order is that of answers. */
const rows = {
  push: {
    header: 'Push Hook',
    description: 'Whether the webhook is triggered by pushes to branches.',
    flag: { project: true, group: true, system: false },
    hooks: triggerRule(['push'], pushHookEvents, movesBranch),
    system: triggerRule(['push'], pushSystemEvents, movesBranch),
    sample: [samplePush, NO_COMMITS],
  },
  tag_push: {
    header: 'Tag Push Hook',
    description: 'Whether the webhook is triggered by tags being created or deleted.',
    flag: { ...OFF, system: false },
    hooks: triggerRule(['push'], pushHookEvents, movesTag),
    system: triggerRule(['push'], pushSystemEvents, movesTag),
    sample: [sampleTagPush, NO_COMMITS],
  },
  issues: {
    header: 'Issue Hook',
    description: 'Whether the webhook is triggered by issues.',
    flag: OFF,
    hooks: triggerRule(ISSUES, issueHookEvent, ({ payload }) => payload.issue?.confidential !== 1),
    sample: [sampleIssue, NO_ISSUES],
  },
  confidential_issues: {
    header: 'Confidential Issue Hook',
    description: 'Whether the webhook is triggered by confidential issues.',
    flag: OFF,
    hooks: triggerRule(ISSUES, issueHookEvent, ({ payload }) => payload.issue?.confidential !== 0),
    sample: [sampleIssue, NO_ISSUES],
  },
  note: {
    header: 'Note Hook',
    description: 'Whether the webhook is triggered by comments.',
    flag: OFF,
    hooks: triggerRule(NOTES, noteHookEvent, mayBePublic),
    sample: [sampleNote, NO_NOTES],
  },
  confidential_note: {
    header: 'Confidential Note Hook',
    description: 'Whether the webhook is triggered by internal comments and comments on confidential issues.',
    flag: OFF,
    hooks: triggerRule(NOTES, noteHookEvent, mayBeConfidential),
    sample: [sampleNote, NO_NOTES],
  },
  merge_requests: {
    header: 'Merge Request Hook',
    description: 'Whether the webhook is triggered by merge requests.',
    flag: { ...OFF, system: false },
    hooks: MERGE_REQUESTS,
    system: MERGE_REQUESTS,
    sample: [sampleMergeRequest, 'Ensure the project has merge requests.'],
  },
  job: {
    header: 'Job Hook',
    description: 'Whether the webhook is triggered by jobs.',
    flag: OFF,
    hooks: triggerRule(['job.updated'], jobHookEvent),
    sample: [sampleJob, 'Ensure the project has CI jobs.'],
  },
  pipeline: {
    header: 'Pipeline Hook',
    description: 'Whether the webhook is triggered by pipelines.',
    flag: OFF,
    // A new pipeline has not changed its status.
    hooks: triggerRule(['pipeline.updated'], pipelineHookEvent, ({ payload }) => payload.status !== 'created'),
    secret: true,
    sample: [samplePipeline, 'Ensure the project has CI pipelines.'],
  },
  wiki_page: {
    header: 'Wiki Page Hook',
    description: 'Whether the webhook is triggered by wiki pages.',
    flag: OFF,
    hooks: triggerRule(['wiki_page.created', 'wiki_page.updated', 'wiki_page.destroyed'], wikiPageHookEvent),
    sample: [sampleWikiPage, 'Ensure the wiki is enabled and has pages.'],
  },
  deployment: {
    header: 'Deployment Hook',
    description: 'Whether the webhook is triggered by deployments.',
    flag: OFF,
    hooks: triggerRule(['deployment.updated'], deploymentHookEvent, isDeployed),
    sample: [sampleDeployment, 'Ensure the project has deployments.'],
  },
  feature_flag: {
    header: 'Feature Flag Hook',
    description: 'Whether the webhook is triggered by feature flags being switched on or off.',
    flag: OFF,
    hooks: triggerRule(['feature_flag.switched'], featureFlagHookEvent),
    sample: [sampleFeatureFlag, 'Ensure the project has feature flags.'],
  },
  releases: {
    header: 'Release Hook',
    description: 'Whether the webhook is triggered by releases.',
    flag: OFF,
    hooks: triggerRule(['release.created', 'release.updated', 'release.destroyed'], releaseHookEvent),
    sample: [sampleRelease, 'Ensure the project has releases.'],
  },
  milestone: {
    header: 'Milestone Hook',
    description: 'Whether the webhook is triggered by milestones.',
    flag: OFF,
    hooks: triggerRule(
      ['milestone.created', 'milestone.closed', 'milestone.reopened', 'milestone.destroyed'],
      milestoneHookEvent,
    ),
    sample: [sampleMilestone, 'Ensure the project has milestones.'],
  },
  emoji: {
    header: 'Emoji Hook',
    description: 'Whether the webhook is triggered by emoji reactions.',
    flag: OFF,
    hooks: triggerRule(['emoji.awarded', 'emoji.revoked'], emojiHookEvent, ({ project_id }) => project_id !== null),
    sample: [sampleEmoji, 'Ensure the project has emoji reactions.'],
  },
  resource_access_token: {
    header: 'Resource Access Token Hook',
    description: 'Whether the webhook is triggered by access tokens that are about to expire.',
    flag: OFF,
    hooks: triggerRule(['access_token.expiring'], expiringTokenHookEvent),
    sample: [sampleAccessToken, 'Ensure the project has access tokens.'],
  },
  resource_deploy_token: {
    header: 'Resource Deploy Token Hook',
    description: 'Whether the webhook is triggered by deploy tokens that are about to expire.',
    flag: OFF,
    hooks: triggerRule(['deploy_token.expiring'], expiringTokenHookEvent),
    sample: [sampleDeployToken, 'Ensure the project has deploy tokens.'],
  },
  vulnerability: {
    description: 'Stored, but has no effect: the server has no vulnerabilities.',
    flag: { project: false },
  },
  member: {
    header: 'Member Hook',
    description: 'Whether the webhook is triggered by members of the group and its subgroups.',
    flag: { group: false },
    hooks: triggerRule(MEMBERS, memberHookEvent, ({ group_id }) => group_id !== null),
    system: triggerRule(MEMBERS, memberSystemEvent),
    sample: [sampleMember, 'Ensure the group has members.'],
  },
  subgroup: {
    header: 'Subgroup Hook',
    description: 'Whether the webhook is triggered by subgroups being created or removed.',
    flag: { group: false },
    hooks: triggerRule(
      ['group.created', 'group.destroyed'],
      subgroupHookEvent,
      ({ payload }) => payload.group?.parent_id !== null,
    ),
    system: triggerRule(['group.created', 'group.destroyed', 'group.renamed'], groupSystemEvent),
    sample: [sampleSubgroup, 'Ensure the group has subgroups.'],
  },
  project: {
    header: 'Project Hook',
    description: 'Whether the webhook is triggered by projects being created or removed in the group.',
    flag: { group: false },
    hooks: triggerRule(['project.created', 'project.destroyed'], projectHookEvent),
    system: triggerRule(
      ['project.created', 'project.destroyed', 'project.renamed', 'project.transferred', 'project.updated'],
      projectSystemEvent,
      isProjectChange,
    ),
    sample: [sampleProject, 'Ensure the group has projects.'],
  },
  repository_update: {
    description: 'Whether the webhook is triggered once per push, with all changed refs.',
    flag: { system: true },
    shown: ['project', 'group'],
    system: triggerRule(['push'], pushSystemEvents),
  },
  user: {
    flag: {},
    system: triggerRule(['user.created', 'user.destroyed', 'user.renamed', 'user.login_refused'], userSystemEvent),
  },
  key: {
    flag: {},
    system: triggerRule(['key.created', 'key.destroyed'], keySystemEvent),
  },
  // Only integrations are told.
  archive_trace: {
    header: 'Archive Trace Hook',
    flag: {},
    hooks: triggerRule(['job.trace_archived'], archivedTraceHookEvent),
  },
} as const satisfies Record<string, HookEventRow>;

/** Trigger of hooks, as in the name of its flag: the flag `push_events` enables the trigger `push`. */
export type Trigger = keyof typeof rows;

/** Everything that hooks and integrations are told of, by trigger. */
export const HOOK_EVENTS: Readonly<Record<Trigger, HookEventRow>> = rows;
export const TRIGGERS = Object.keys(rows) as readonly Trigger[];
