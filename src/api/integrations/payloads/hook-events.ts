import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { keySystemEvents, userSystemEvents } from './accounts.payload.ts';
import { deploymentHookEvents } from './deployment.payload.ts';
import { emojiHookEvents } from './emoji.payload.ts';
import { expiringTokenHookEvents } from './expiring-token.payload.ts';
import { featureFlagHookEvents } from './feature-flag.payload.ts';
import { issueHookEvents } from './issue.payload.ts';
import { jobHookEvents } from './job.payload.ts';
import { memberHookEvents, memberSystemEvents } from './members.payload.ts';
import { mergeRequestHookEvents, mergeRequestSystemEvents } from './merge-request.payload.ts';
import { milestoneHookEvents } from './milestone.payload.ts';
import { noteHookEvents } from './note-events.payload.ts';
import { pipelineHookEvents } from './pipeline.payload.ts';
import { pushHookEvents, pushSystemEvents } from './push.payload.ts';
import { releaseHookEvents } from './release.payload.ts';
import { groupSystemEvents, projectHookEvents, projectSystemEvents, subgroupHookEvents } from './spaces.payload.ts';
import { isHooked, isSystemHooked, systemTriggersOf, triggersOf } from './triggers.ts';
import type { HookEvent, SystemEvent } from './types.ts';
import { wikiPageHookEvents } from './wiki-page.payload.ts';

/**
 * Returns the hook payloads of projects and groups for an event. Empty if there are none, or the object was deleted
 * without recorded facts.
 * @param retried whether pipelines include retried jobs
 * @throws GitError if a repository is temporarily unavailable
 */
export async function hookEventsOf(deps: Deps, event: RecordedEvent, retried = false): Promise<HookEvent[]> {
  if (!isHooked(event) || triggersOf(event).length === 0) return [];
  switch (event.type) {
    case 'push':
      return pushHookEvents(deps, event);
    case 'issue.created':
    case 'issue.updated':
    case 'issue.closed':
    case 'issue.reopened':
      return issueHookEvents(deps, event);
    case 'note.created':
    case 'note.updated':
      return noteHookEvents(deps, event);
    case 'merge_request.created':
    case 'merge_request.updated':
    case 'merge_request.closed':
    case 'merge_request.reopened':
    case 'merge_request.merged':
    case 'merge_request.approved':
    case 'merge_request.unapproved':
      return mergeRequestHookEvents(deps, event);
    case 'emoji.awarded':
    case 'emoji.revoked':
      return emojiHookEvents(deps, event);
    case 'job.updated':
      return jobHookEvents(deps, event);
    case 'pipeline.updated':
      return pipelineHookEvents(deps, event, retried);
    case 'deployment.updated':
      return deploymentHookEvents(deps, event);
    case 'wiki_page.created':
    case 'wiki_page.updated':
    case 'wiki_page.destroyed':
      return wikiPageHookEvents(deps, event);
    case 'release.created':
    case 'release.updated':
    case 'release.destroyed':
      return releaseHookEvents(deps, event);
    case 'milestone.created':
    case 'milestone.closed':
    case 'milestone.reopened':
    case 'milestone.destroyed':
      return milestoneHookEvents(deps, event);
    case 'feature_flag.switched':
      return featureFlagHookEvents(deps, event);
    case 'access_token.expiring':
    case 'deploy_token.expiring':
      return expiringTokenHookEvents(deps, event);
    case 'member.added':
    case 'member.updated':
    case 'member.removed':
    case 'access_request.created':
    case 'access_request.removed':
      return memberHookEvents(deps, event);
    case 'group.created':
    case 'group.destroyed':
      return subgroupHookEvents(deps, event);
    case 'project.created':
    case 'project.destroyed':
      return projectHookEvents(deps, event);
  }
}

/** Returns the system hook payloads for an event. */
export async function systemEventsOf(deps: Deps, event: RecordedEvent): Promise<SystemEvent[]> {
  if (!isSystemHooked(event) || systemTriggersOf(event).length === 0) return [];
  switch (event.type) {
    case 'push':
      return pushSystemEvents(deps, event);
    case 'merge_request.created':
    case 'merge_request.updated':
    case 'merge_request.closed':
    case 'merge_request.reopened':
    case 'merge_request.merged':
    case 'merge_request.approved':
    case 'merge_request.unapproved':
      return mergeRequestSystemEvents(deps, event);
    case 'project.created':
    case 'project.destroyed':
    case 'project.renamed':
    case 'project.transferred':
    case 'project.updated':
      return projectSystemEvents(deps, event);
    case 'group.created':
    case 'group.destroyed':
    case 'group.renamed':
      return groupSystemEvents(deps, event);
    case 'member.added':
    case 'member.updated':
    case 'member.removed':
    case 'access_request.created':
    case 'access_request.removed':
      return memberSystemEvents(deps, event);
    case 'user.created':
    case 'user.destroyed':
    case 'user.renamed':
    case 'user.login_refused':
      return userSystemEvents(deps, event);
    case 'key.created':
    case 'key.destroyed':
      return keySystemEvents(deps, event);
  }
}
