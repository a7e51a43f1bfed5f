import type { DomainEventType } from '../../../core/core.domain-events.ts';
import { HEADS, TAGS } from '../../../git/refs/index.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import type { SystemTrigger, Trigger } from './types.ts';

/** States of deployments with payloads: started, blocked, and finished ones. */
const DEPLOYED: readonly string[] = ['running', 'success', 'failed', 'canceled', 'blocked'];

/** Possible triggers of hooks of projects and groups by kind of event. */
const HOOKED = {
  push: pushTriggers,
  'issue.created': issueTriggers,
  'issue.updated': issueTriggers,
  'issue.closed': issueTriggers,
  'issue.reopened': issueTriggers,
  'note.created': noteTriggers,
  'note.updated': noteTriggers,
  'merge_request.created': () => ['merge_requests'],
  'merge_request.updated': () => ['merge_requests'],
  'merge_request.closed': () => ['merge_requests'],
  'merge_request.reopened': () => ['merge_requests'],
  'merge_request.merged': () => ['merge_requests'],
  'merge_request.approved': () => ['merge_requests'],
  'merge_request.unapproved': () => ['merge_requests'],
  'emoji.awarded': inProject('emoji'),
  'emoji.revoked': inProject('emoji'),
  'job.updated': () => ['job'],
  // A new pipeline has not changed its status.
  'pipeline.updated': ({ payload }) => (payload.status === 'created' ? [] : ['pipeline']),
  'deployment.updated': ({ payload }) => (DEPLOYED.includes(payload.status) ? ['deployment'] : []),
  'wiki_page.created': () => ['wiki_page'],
  'wiki_page.updated': () => ['wiki_page'],
  'wiki_page.destroyed': () => ['wiki_page'],
  'release.created': () => ['releases'],
  'release.updated': () => ['releases'],
  'release.destroyed': () => ['releases'],
  'milestone.created': () => ['milestone'],
  'milestone.closed': () => ['milestone'],
  'milestone.reopened': () => ['milestone'],
  'milestone.destroyed': () => ['milestone'],
  'feature_flag.switched': () => ['feature_flag'],
  'access_token.expiring': () => ['resource_access_token'],
  'deploy_token.expiring': () => ['resource_deploy_token'],
  'member.added': memberTriggers,
  'member.updated': memberTriggers,
  'member.removed': memberTriggers,
  'access_request.created': memberTriggers,
  'access_request.removed': memberTriggers,
  'group.created': subgroupTriggers,
  'group.destroyed': subgroupTriggers,
  'project.created': () => ['project'],
  'project.destroyed': () => ['project'],
} as const satisfies { [T in DomainEventType]?: (event: RecordedEvent<T>) => readonly Trigger[] };

/** Possible triggers of system hooks by kind of event. */
const SYSTEM_HOOKED = {
  push: (event) => [...pushTriggers(event), 'repository_update'],
  'merge_request.created': () => ['merge_requests'],
  'merge_request.updated': () => ['merge_requests'],
  'merge_request.closed': () => ['merge_requests'],
  'merge_request.reopened': () => ['merge_requests'],
  'merge_request.merged': () => ['merge_requests'],
  'merge_request.approved': () => ['merge_requests'],
  'merge_request.unapproved': () => ['merge_requests'],
  'project.created': always,
  'project.destroyed': always,
  // A project renamed with its namespace has no facts: the event of the namespace covers it.
  'project.renamed': ({ payload }) => (payload.project === undefined ? [] : ['always']),
  'project.transferred': always,
  'project.updated': ({ payload }) => (payload.renamed === true ? [] : ['always']),
  'group.created': always,
  'group.destroyed': always,
  'group.renamed': always,
  'member.added': always,
  'member.updated': always,
  'member.removed': always,
  'access_request.created': always,
  'access_request.removed': always,
  'user.created': always,
  'user.destroyed': always,
  'user.renamed': always,
  'user.login_refused': always,
  'key.created': always,
  'key.destroyed': always,
} as const satisfies { [T in DomainEventType]?: (event: RecordedEvent<T>) => readonly SystemTrigger[] };

type HookedType = keyof typeof HOOKED;
type SystemHookedType = keyof typeof SYSTEM_HOOKED;

/** Kinds of events for hooks of projects and groups. */
export const HOOKED_TYPES = Object.keys(HOOKED) as readonly HookedType[];
/** Kinds of events for system hooks. */
export const SYSTEM_HOOKED_TYPES = Object.keys(SYSTEM_HOOKED) as readonly SystemHookedType[];

type Event<T extends DomainEventType> = { [K in T]: RecordedEvent<K> & { type: K } }[T];

/** Whether an event is for hooks of projects and groups. */
export const isHooked = (event: RecordedEvent): event is Event<HookedType> => Object.hasOwn(HOOKED, event.type);
/** Whether an event is for system hooks. */
export const isSystemHooked = (event: RecordedEvent): event is Event<SystemHookedType> =>
  Object.hasOwn(SYSTEM_HOOKED, event.type);

/**
 * Returns the triggers that an event may have for hooks of projects and groups. Fast and pure, since it is called in
 * the transaction of the event; `hookEventsOf` determines the actual ones.
 */
export function triggersOf(event: RecordedEvent): readonly Trigger[] {
  const find = isHooked(event) ? (HOOKED[event.type] as (event: RecordedEvent) => readonly Trigger[]) : undefined;
  return find?.(event) ?? [];
}

/** Returns the triggers that an event may have for system hooks. */
export function systemTriggersOf(event: RecordedEvent): readonly SystemTrigger[] {
  if (!isSystemHooked(event)) return [];
  return (SYSTEM_HOOKED[event.type] as (event: RecordedEvent) => readonly SystemTrigger[])(event);
}

function pushTriggers({ payload }: RecordedEvent<'push'>): ('push' | 'tag_push')[] {
  const moved = (folder: string) => payload.updates.some(({ ref }) => ref.startsWith(folder));
  return [...(moved(HEADS) ? (['push'] as const) : []), ...(moved(TAGS) ? (['tag_push'] as const) : [])];
}

type IssueEvent = RecordedEvent<'issue.created' | 'issue.updated' | 'issue.closed' | 'issue.reopened'>;

function issueTriggers({ payload: { issue } }: IssueEvent): readonly Trigger[] {
  if (issue === undefined) return ['issues', 'confidential_issues'];
  return issue.confidential === 1 ? ['confidential_issues'] : ['issues'];
}

/** System notes and notes of personal snippets have no payloads; neither has the mere resolution of a thread. */
function noteTriggers({ payload }: RecordedEvent<'note.created' | 'note.updated'>): readonly Trigger[] {
  const { note, project_id, confidential } = payload;
  if (project_id === null || note?.system === 1 || ('resolved' in payload && payload.resolved)) return [];
  if (note?.internal === 1 || confidential === true) return ['confidential_note'];
  // The issue may become confidential before delivery.
  return payload.noteable_type === 'Issue' ? ['note', 'confidential_note'] : ['note'];
}

/** Only group hooks have member events. */
function memberTriggers({ group_id }: RecordedEvent): readonly Trigger[] {
  return group_id === null ? [] : ['member'];
}

function subgroupTriggers({
  payload: { group },
}: RecordedEvent<'group.created' | 'group.destroyed'>): readonly Trigger[] {
  return group?.parent_id === null ? [] : ['subgroup'];
}

function always(): readonly SystemTrigger[] {
  return ['always'];
}

/** A trigger for objects of projects; none for objects outside of projects. */
function inProject(trigger: Trigger): (event: RecordedEvent) => readonly Trigger[] {
  return ({ project_id }) => (project_id === null ? [] : [trigger]);
}
