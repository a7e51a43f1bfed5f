import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { issueLinksOf } from '../../../integrations/trackers/trackers.issue-links.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { usersById } from '../../identity/index.ts';
import { issueUrl } from '../../planning/index.ts';
import type { Dispatch, Part } from '../mails/dispatch.ts';
import type { MailDraft } from '../mails/mail-draft.ts';
import { type Block, line, markdownBlock } from '../mails/notification-mails.block.ts';
import { modelHeaders, projectHeaders } from '../mails/notification-mails.headers.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import { type ProjectContext, projectContextOf } from '../recipients/project-context.ts';
import { followersOfLabels } from '../recipients/recipients.subscriptions.ts';
import { closingParts } from './closed.ts';
import { loadParticipants } from './message-participants.ts';
import {
  actorName,
  type ChangeContext,
  labelParts,
  listOfNames,
  mentionParts,
  messageOf,
  milestoneParts,
  reassignmentParts,
  unlessEmpty,
} from './messages.changes.ts';

export const ISSUE_EVENTS = ['issue.created', 'issue.updated', 'issue.closed', 'issue.reopened'] as const;
type IssueEvent = RecordedEvent<(typeof ISSUE_EVENTS)[number]>;

/** Attributes whose changes cause mails. */
const NOTIFYING_ATTRIBUTES = ['assignee_ids', 'milestone_id', 'labels', 'title', 'description'];
export const notifiesOfIssue = ({ payload }: Pick<IssueEvent, 'payload'>): boolean =>
  !('changes' in payload) || NOTIFYING_ATTRIBUTES.some((name) => name in payload.changes);

/** The issue of an event, with the state at the time of the event if known. */
export interface IssueForMessage {
  issue: Issue;
  place: ProjectContext;
  actor: User | null;
}

/** Mails about an event of an issue; undefined if it no longer exists. */
export async function issueMessages(deps: Deps, event: IssueEvent): Promise<Dispatch | undefined> {
  const issueContext = await load(deps, event);
  if (issueContext === undefined) return undefined;
  const { issue, place, actor } = issueContext;
  const participants = await loadParticipants(deps, place, { type: 'Issue', id: issue.id, author_id: issue.author_id });
  const changed = { participants, actor, projectId: place.project.id };
  switch (event.type) {
    case 'issue.created': {
      const labels = ((event.payload as DomainEvents['issue.created']).labels ?? []).map(({ id }) => id);
      const more = [
        ...(await mentionedIn(deps, issueContext, `${issue.title}\n\n${issue.description ?? ''}`)),
        ...(await followersOfLabels(deps.db, labels, place.project.id)),
      ];
      const news = messageOf(participants, actor, 'new_issue', more);
      return mailDraftOf(deps, issueContext, true, [
        { sentences: await opened(deps, issueContext, participants.assignees), message: news },
      ]);
    }
    case 'issue.closed':
      return mailDraftOf(
        deps,
        issueContext,
        false,
        await closingParts(deps, issueContext, participants, event.payload as DomainEvents['issue.closed']),
      );
    case 'issue.reopened':
      return mailDraftOf(deps, issueContext, false, [
        {
          sentences: [line(`${actorName(actor)} reopened the issue.`)],
          message: messageOf(participants, actor, 'reopen_issue'),
        },
      ]);
    case 'issue.updated': {
      const { changes } = event.payload as DomainEvents['issue.updated'];
      return unlessEmpty(
        mailDraftOf(deps, issueContext, false, await partsOf(deps, issueContext, { ...changed, changes })),
      );
    }
  }
}

async function partsOf(deps: Deps, { issue, place, actor }: IssueForMessage, changed: ChangeContext): Promise<Part[]> {
  const mention = async () => [
    line(`${actorName(actor)} mentioned you in the issue.`),
    await markdownBlock(issue.description ?? '', baseOf(deps, place), await issueLinksOf(deps, place.project.id)),
  ];
  const role = { key: 'assignee_ids', what: 'assignees', eventKind: 'reassign_issue', reason: 'assigned' } as const;
  return [
    ...(await reassignmentParts(deps, changed, role)),
    ...(await milestoneParts(deps, changed)),
    ...(await labelParts(deps, changed)),
    ...(await mentionParts(deps, changed, place, issue, mention)),
  ];
}

async function load(deps: Deps, { payload, actor_id }: IssueEvent): Promise<IssueForMessage | undefined> {
  const query = deps.db.selectFrom('issues').selectAll().where('id', '=', payload.issue_id);
  const row = await query.executeTakeFirst();
  const place = row && (await projectContextOf(deps.db, row.project_id));
  if (row === undefined || place === undefined) return undefined;
  const actor = (await usersById(deps.db, [actor_id])).get(actor_id ?? 0) ?? null;
  return { issue: { ...row, ...(payload.issue as Partial<Issue>) }, place, actor };
}

/** URL of the project, base of relative links in its texts. */
export const baseOf = (deps: Deps, { project }: ProjectContext): string => `${deps.externalUrl()}/${project.full_path}`;

async function opened(
  deps: Deps,
  { issue, place, actor }: IssueForMessage,
  assignees: readonly number[],
): Promise<Block[]> {
  const users = await usersById(deps.db, assignees);
  return [
    line(`${actorName(actor)} opened an issue: ${issue.title}`),
    ...(assignees.length === 0 ? [] : [line(`Assigned to ${listOfNames([...users.values()])}.`)]),
    ...(issue.description
      ? [await markdownBlock(issue.description, baseOf(deps, place), await issueLinksOf(deps, place.project.id))]
      : []),
  ];
}

/** @param first whether it starts the thread */
export function mailDraftOf(
  deps: Deps,
  { issue, place, actor }: IssueForMessage,
  first: boolean,
  parts: readonly Part[],
): Dispatch {
  const root = `issue_${issue.id}`;
  const draft: MailDraft = {
    subject: `${first ? '' : 'Re: '}${issueSubject(place, issue)}`,
    body: [],
    url: issueUrl(deps, place.project.full_path, issue.iid),
    thread: first ? { own: root } : { before: [root] },
    headers: { ...projectHeaders(deps, place), ...issueHeaders(issue) },
    followed: { type: 'Issue', id: issue.id },
    actor,
  };
  return { topic: { type: 'Issue', id: issue.id }, draft, parts };
}

export const issueSubject = ({ project }: ProjectContext, { title, iid }: Pick<Issue, 'title' | 'iid'>): string =>
  `${project.name} | ${title} (#${iid})`;

export const issueHeaders = (issue: Pick<Issue, 'id' | 'iid' | 'state' | 'confidential'>): Record<string, string> => ({
  ...modelHeaders('Issue', issue),
  'X-GitLab-ConfidentialIssue': String(issue.confidential === 1),
});
