import type { DomainEvents } from '../../../core/domain-events.ts';
import type { Issue } from '../../../db/tables/issues.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { issueLinksOf } from '../../../integrations/trackers/issue-links.ts';
import type { RecordedEvent } from '../../../jobs/events.ts';
import { usersById } from '../../identity/index.ts';
import { issueUrl } from '../../planning/index.ts';
import { type Block, line, written } from '../mails/block.ts';
import type { Dispatch, Part } from '../mails/dispatch.ts';
import { modelHeaders, placeHeaders } from '../mails/headers.ts';
import type { Letter } from '../mails/letter.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import { type Place, placeOf } from '../recipients/place.ts';
import { followersOfLabels } from '../recipients/subscriptions.ts';
import {
  type Changed,
  doer,
  labelsAdded,
  milestoneChanged,
  namesOf,
  newlyMentioned,
  newsOf,
  orNothing,
  reassigned,
} from './changes.ts';
import { closed } from './closed.ts';
import { companyOf } from './company.ts';

export const ISSUE_EVENTS = ['issue.created', 'issue.updated', 'issue.closed', 'issue.reopened'] as const;
type IssueEvent = RecordedEvent<(typeof ISSUE_EVENTS)[number]>;

/** What is told of changes. */
const TOLD = ['assignee_ids', 'milestone_id', 'labels', 'title', 'description'];
export const isToldOfIssue = ({ payload }: Pick<IssueEvent, 'payload'>): boolean =>
  !('changes' in payload) || TOLD.some((name) => name in payload.changes);

/** An issue, as it was when it happened as far as the event knows. */
export interface ToldIssue {
  issue: Issue;
  place: Place;
  actor: User | null;
}

/** Whom to tell what of something that happened to an issue; undefined when it is gone. */
export async function newsOfIssue(deps: Deps, event: IssueEvent): Promise<Dispatch | undefined> {
  const told = await load(deps, event);
  if (told === undefined) return undefined;
  const { issue, place, actor } = told;
  const company = await companyOf(deps, place, { type: 'Issue', id: issue.id, author_id: issue.author_id });
  const changed = { company, actor, projectId: place.project.id };
  switch (event.type) {
    case 'issue.created': {
      const labels = ((event.payload as DomainEvents['issue.created']).labels ?? []).map(({ id }) => id);
      const more = [
        ...(await mentionedIn(deps, told, `${issue.title}\n\n${issue.description ?? ''}`)),
        ...(await followersOfLabels(deps.db, labels, place.project.id)),
      ];
      const news = newsOf(company, actor, 'new_issue', more);
      return letterOf(deps, told, true, [{ said: await opened(deps, told, company.assignees), news }]);
    }
    case 'issue.closed':
      return letterOf(
        deps,
        told,
        false,
        await closed(deps, told, company, event.payload as DomainEvents['issue.closed']),
      );
    case 'issue.reopened':
      return letterOf(deps, told, false, [
        { said: [line(`${doer(actor)} opened the issue again.`)], news: newsOf(company, actor, 'reopen_issue') },
      ]);
    case 'issue.updated': {
      const { changes } = event.payload as DomainEvents['issue.updated'];
      return orNothing(letterOf(deps, told, false, await partsOf(deps, told, { ...changed, changes })));
    }
  }
}

async function partsOf(deps: Deps, { issue, place, actor }: ToldIssue, changed: Changed): Promise<Part[]> {
  const mention = async () => [
    line(`${doer(actor)} mentioned you in the issue.`),
    await written(issue.description ?? '', baseOf(deps, place), await issueLinksOf(deps, place.project.id)),
  ];
  const role = { key: 'assignee_ids', what: 'assignees', happening: 'reassign_issue', reason: 'assigned' } as const;
  return [
    ...(await reassigned(deps, changed, role)),
    ...(await milestoneChanged(deps, changed)),
    ...(await labelsAdded(deps, changed)),
    ...(await newlyMentioned(deps, changed, place, issue, mention)),
  ];
}

async function load(deps: Deps, { payload, actor_id }: IssueEvent): Promise<ToldIssue | undefined> {
  const query = deps.db.selectFrom('issues').selectAll().where('id', '=', payload.issue_id);
  const row = await query.executeTakeFirst();
  const place = row && (await placeOf(deps.db, row.project_id));
  if (row === undefined || place === undefined) return undefined;
  const actor = (await usersById(deps.db, [actor_id])).get(actor_id ?? 0) ?? null;
  return { issue: { ...row, ...(payload.issue as Partial<Issue>) }, place, actor };
}

/** Address of the project, which links in its texts stand below. */
export const baseOf = (deps: Deps, { project }: Place): string => `${deps.externalUrl()}/${project.full_path}`;

async function opened(deps: Deps, { issue, place, actor }: ToldIssue, assignees: readonly number[]): Promise<Block[]> {
  const users = await usersById(deps.db, assignees);
  return [
    line(`${doer(actor)} opened an issue: ${issue.title}`),
    ...(assignees.length === 0 ? [] : [line(`Assigned to ${namesOf([...users.values()])}.`)]),
    ...(issue.description
      ? [await written(issue.description, baseOf(deps, place), await issueLinksOf(deps, place.project.id))]
      : []),
  ];
}

/** @param first whether it begins the thread */
export function letterOf(
  deps: Deps,
  { issue, place, actor }: ToldIssue,
  first: boolean,
  parts: readonly Part[],
): Dispatch {
  const root = `issue_${issue.id}`;
  const letter: Letter = {
    subject: `${first ? '' : 'Re: '}${issueSubject(place, issue)}`,
    body: [],
    url: issueUrl(deps, place.project.full_path, issue.iid),
    thread: first ? { own: root } : { before: [root] },
    headers: { ...placeHeaders(deps, place), ...issueHeaders(issue) },
    followed: { type: 'Issue', id: issue.id },
    actor,
  };
  return { topic: { type: 'Issue', id: issue.id }, letter, parts };
}

export const issueSubject = ({ project }: Place, { title, iid }: Pick<Issue, 'title' | 'iid'>): string =>
  `${project.name} | ${title} (#${iid})`;

export const issueHeaders = (issue: Pick<Issue, 'id' | 'iid' | 'state' | 'confidential'>): Record<string, string> => ({
  ...modelHeaders('Issue', issue),
  'X-GitLab-ConfidentialIssue': String(issue.confidential === 1),
});
