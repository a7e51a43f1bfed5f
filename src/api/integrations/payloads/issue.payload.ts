import { timestamp } from '../../../core/clock.ts';
import type { IssueFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { issueUrl } from '../../planning/index.ts';
import { type AttributeChanges, changesPayload, creationChanges, stateId } from './changes.payload.ts';
import {
  associationsOf,
  type InitialAssociations,
  type IssuableAssociations,
  lastEdit,
  timesPayload,
} from './issuable.payload.ts';
import { labelPayload } from './labels.payload.ts';
import { isoSeconds, orNull } from './payloads.times.ts';
import { fullProjectPayload, projectOf, repositoryShort } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userPayload, userPayloadOrNull } from './users.payload.ts';

type IssueEvent = RecordedEvent<'issue.created' | 'issue.updated' | 'issue.closed' | 'issue.reopened'>;

/** A recorded issue. */
export type IssueForPayload = IssueFacts & { id: number; project_id: number };

/** Everything that events about issues may contain. */
type Known = InitialAssociations & {
  issue_id: number;
  project_id: number;
  issue?: IssueFacts;
  changes?: AttributeChanges;
};

const ACTIONS = {
  'issue.created': 'open',
  'issue.updated': 'update',
  'issue.closed': 'close',
  'issue.reopened': 'reopen',
} as const;

const TYPES: Readonly<Record<string, string>> = {
  issue: 'Issue',
  incident: 'Incident',
  task: 'Task',
  test_case: 'Test Case',
  requirement: 'Requirement',
  ticket: 'Ticket',
};

/** Returns the issue as recorded with the event, else the current one; undefined if deleted. */
export async function issueOf(
  db: Db,
  id: number,
  projectId: number,
  facts?: IssueFacts,
): Promise<IssueForPayload | undefined> {
  // Events of earlier versions contain less.
  if (facts?.severity !== undefined) return { ...facts, id, project_id: projectId };
  const row = await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
  return row && { ...row, ...facts };
}

/** Attributes of an issue in all payloads about it or its notes. */
export function issueAttributes(
  deps: Deps,
  issue: IssueForPayload,
  { labels, assignees }: Pick<IssuableAssociations, 'labels' | 'assignees'>,
  fullPath: string,
  write: (instant: string) => string,
  changes: AttributeChanges = {},
) {
  const ids = assignees.map((user) => user.id);
  return {
    id: issue.id,
    iid: issue.iid,
    title: issue.title,
    description: issue.description,
    author_id: issue.author_id,
    project_id: issue.project_id,
    milestone_id: issue.milestone_id,
    assignee_ids: ids,
    assignee_id: ids[0] ?? null,
    created_at: write(issue.created_at),
    updated_at: write(issue.updated_at),
    closed_at: orNull(write, issue.closed_at),
    updated_by_id: issue.updated_by_id,
    last_edited_at: null,
    last_edited_by_id: null,
    relative_position: issue.relative_position,
    state_id: stateId(issue.state),
    state: issue.state,
    confidential: issue.confidential === 1,
    discussion_locked: issue.discussion_locked === null ? null : issue.discussion_locked === 1,
    due_date: issue.due_date,
    moved_to_id: issue.moved_to_id,
    duplicated_to_id: issue.duplicated_to_id,
    weight: issue.weight,
    health_status: issue.health_status,
    severity: issue.severity.toLowerCase(),
    type: TYPES[issue.issue_type] ?? 'Issue',
    ...timesPayload(issue, changes),
    url: issueUrl(deps, fullPath, issue.iid),
    labels: labels.map(labelPayload),
  };
}

/** Changes of an issue that is opened, closed or reopened. */
function ownChanges(type: keyof typeof ACTIONS, issue: IssueForPayload): AttributeChanges {
  const { id, iid, project_id, author_id, title, description, created_at, updated_at, closed_at } = issue;
  if (type === 'issue.created') {
    return creationChanges({ id, iid, project_id, author_id, title, description, created_at, updated_at });
  }
  if (type === 'issue.closed') return { state_id: [1, 2], closed_at: [null, closed_at] };
  return { state_id: [2, 1] };
}

/** Hook payload for an issue, confidential or not, in its state at the event. */
export async function issueHookEvent(deps: Deps, event: IssueEvent): Promise<BuiltPayload | undefined> {
  const payload: Known = event.payload;
  const issue = await issueOf(deps.db, payload.issue_id, payload.project_id, payload.issue);
  const changes = payload.changes ?? (issue === undefined ? {} : ownChanges(event.type, issue));
  return issue && (await build(deps, issue, { ...payload, changes }, ACTIONS[event.type], event));
}

async function build(
  deps: Deps,
  issue: IssueForPayload,
  known: InitialAssociations & { changes: AttributeChanges },
  action: string,
  { actor_id, created_at }: Pick<IssueEvent, 'actor_id' | 'created_at'>,
): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, issue.project_id);
  if (project === undefined) return undefined;
  const company = await associationsOf(deps.db, 'Issue', issue.id, known, [actor_id]);
  const { assignees, labels, people } = company;
  const confidential = issue.confidential === 1;
  const kind = issue.issue_type === 'issue' ? 'issue' : 'work_item';
  const shown = assignees.map((user) => userPayload(deps, user));
  const edit = action === 'update' ? lastEdit(known.changes, isoSeconds(created_at), actor_id) : {};
  const attributes = issueAttributes(deps, issue, company, project.row.full_path, isoSeconds, known.changes);
  const incident = issue.issue_type === 'incident' ? { escalation_status: 'triggered', escalation_policy: null } : {};
  return {
    trigger: confidential ? 'confidential_issues' : 'issues',
    projectId: issue.project_id,
    payload: {
      object_kind: kind,
      event_type: confidential ? `confidential_${kind}` : kind,
      user: userPayloadOrNull(deps, people.get(actor_id ?? 0)),
      project: fullProjectPayload(deps, project),
      object_attributes: { ...attributes, ...edit, ...incident, action },
      labels: labels.map(labelPayload),
      changes: changesPayload(known.changes, (id) => userPayloadOrNull(deps, people.get(id)) ?? undefined),
      repository: repositoryShort(deps, project),
      assignees: shown,
      assignee: shown[0] ?? null,
    },
  };
}

/**
 * Returns the payload of the last issue as if just opened, for tests of hooks.
 * @returns undefined if the project has none
 */
export async function sampleIssue(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const issue = await deps.db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const at = { actor_id: userId, created_at: timestamp(deps.clock) };
  return issue && (await build(deps, issue, { changes: {} }, 'open', at));
}
