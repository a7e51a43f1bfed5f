import type { DomainEventType } from '../../../core/core.domain-events.ts';
import { HEADS, TAGS } from '../../../git/ref-folders.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import type { SystemTrigger, Trigger } from './types.ts';

/** States of deployments that are told: it started, waits for somebody, or came to an end. */
const DEPLOYED: readonly string[] = ['running', 'success', 'failed', 'canceled', 'blocked'];

/** Which triggers an event of each kind may have for hooks of projects and groups. */
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
  // A pipeline that was just made has not changed its state.
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

/** The same for system hooks. */
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
  // Of what follows its namespace nothing is known: that the namespace has another name is told.
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

/** Kinds of events that hooks of projects and groups are told of. */
export const HOOKED_TYPES = Object.keys(HOOKED) as readonly HookedType[];
/** Kinds of events that system hooks are told of. */
export const SYSTEM_HOOKED_TYPES = Object.keys(SYSTEM_HOOKED) as readonly SystemHookedType[];

type Event<T extends DomainEventType> = { [K in T]: RecordedEvent<K> & { type: K } }[T];

/** Whether hooks of projects and groups are told of a kind of event. */
export const isHooked = (event: RecordedEvent): event is Event<HookedType> => Object.hasOwn(HOOKED, event.type);
/** The same of system hooks. */
export const isSystemHooked = (event: RecordedEvent): event is Event<SystemHookedType> =>
  Object.hasOwn(SYSTEM_HOOKED, event.type);

/**
 * The triggers under which hooks of projects and groups may be told of an event. Quick and pure, for it is asked in the
 * transaction of the event; `hookEventsOf` says which it was, and may find that there is nothing to be told.
 */
export function triggersOf(event: RecordedEvent): readonly Trigger[] {
  const find = isHooked(event) ? (HOOKED[event.type] as (event: RecordedEvent) => readonly Trigger[]) : undefined;
  return find?.(event) ?? [];
}

/** The same of system hooks. */
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

/** Notes of the system and of personal snippets are told to nobody; what was only resolved was told when it was written. */
function noteTriggers({ payload }: RecordedEvent<'note.created' | 'note.updated'>): readonly Trigger[] {
  const { note, project_id, confidential } = payload;
  if (project_id === null || note?.system === 1 || ('resolved' in payload && payload.resolved)) return [];
  if (note?.internal === 1 || confidential === true) return ['confidential_note'];
  // The issue may have become confidential by the time it is told.
  return payload.noteable_type === 'Issue' ? ['note', 'confidential_note'] : ['note'];
}

/** Only groups have hooks that are told of members. */
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

/** A trigger of what belongs to a project: what belongs to nobody's is told to nobody. */
function inProject(trigger: Trigger): (event: RecordedEvent) => readonly Trigger[] {
  return ({ project_id }) => (project_id === null ? [] : [trigger]);
}
