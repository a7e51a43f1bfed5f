import type { DomainEvents } from '../../../core/domain-events.ts';
import { parseJson } from '../../../db/columns.ts';
import type { MergeParams, MergeRequest } from '../../../db/tables/merge-requests.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { issueLinksOf } from '../../../integrations/trackers/issue-links.ts';
import type { RecordedEvent } from '../../../jobs/events.ts';
import { usersById } from '../../identity/index.ts';
import { approversOf, mergeRequestUrl } from '../../planning/index.ts';
import { type Block, line, written } from '../mails/block.ts';
import type { Dispatch, Part } from '../mails/dispatch.ts';
import { modelHeaders, placeHeaders } from '../mails/headers.ts';
import { type Candidate, candidates, type Happening } from '../recipients/candidate.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import { type Place, placeOf } from '../recipients/place.ts';
import { followersOfLabels } from '../recipients/subscriptions.ts';
import {
  type Changed,
  type Changes,
  doer,
  labelsAdded,
  milestoneChanged,
  namesOf,
  newlyMentioned,
  newsOf,
  orNothing,
  reassigned,
} from './changes.ts';
import { type Company, companyOf } from './company.ts';
import { baseOf } from './issues.ts';
import { pushedCommits } from './pushed-commits.ts';
import { mergeRequestSubject } from './subjects.ts';

export const MERGE_REQUEST_EVENTS = [
  'merge_request.created',
  'merge_request.updated',
  'merge_request.closed',
  'merge_request.reopened',
  'merge_request.merged',
  'merge_request.approved',
  'merge_request.unapproved',
  'merge_request.auto_merge_set',
  'merge_request.unmergeable',
] as const;
type MergeRequestEvent = RecordedEvent<(typeof MERGE_REQUEST_EVENTS)[number]>;

/** What is told of changes. */
const TOLD = [
  'assignee_ids',
  'reviewer_ids',
  'milestone_id',
  'labels',
  'title',
  'description',
  'draft',
  'blocking_discussions_resolved',
];
export const isToldOfMergeRequest = ({ payload }: Pick<MergeRequestEvent, 'payload'>): boolean =>
  !('changes' in payload) || payload.new_sha != null || TOLD.some((name) => name in payload.changes);

interface Told {
  row: MergeRequest;
  place: Place;
  actor: User | null;
  company: Company;
  reviewers: number[];
}

/** Whom to tell what of something that happened to a merge request; undefined when it is gone. */
export async function newsOfMergeRequest(deps: Deps, event: MergeRequestEvent): Promise<Dispatch | undefined> {
  const told = await load(deps, event);
  return (
    told && orNothing(letterOf(deps, told, event.type === 'merge_request.created', await partsOf(deps, told, event)))
  );
}

async function partsOf(deps: Deps, told: Told, event: MergeRequestEvent): Promise<Part[]> {
  const who = doer(told.actor);
  switch (event.type) {
    case 'merge_request.created':
      return opened(deps, told, event.payload as DomainEvents['merge_request.created']);
    case 'merge_request.updated':
      return updated(deps, told, event.payload as DomainEvents['merge_request.updated']);
    case 'merge_request.closed':
      return toAll(told, 'close_merge_request', `${who} closed the merge request.`);
    case 'merge_request.reopened':
      return toAll(told, 'reopen_merge_request', `${who} opened the merge request again.`);
    case 'merge_request.merged':
      return merged(told);
    case 'merge_request.approved': {
      const { complete } = event.payload as DomainEvents['merge_request.approved'];
      return toAll(
        told,
        null,
        `${who} approved the merge request.${complete ? ' It has all approvals it needs.' : ''}`,
      );
    }
    case 'merge_request.unapproved':
      return toAll(told, null, unapproval(told, event.payload as DomainEvents['merge_request.unapproved']));
    case 'merge_request.auto_merge_set':
      return toAll(told, 'merge_when_pipeline_succeeds', `${who} set it to be merged when all checks have passed.`);
    case 'merge_request.unmergeable':
      return unmergeable(told);
  }
}

const toAll = ({ company, actor }: Told, happening: Happening, text: string): Part[] => [
  { said: [line(text)], news: newsOf(company, actor, happening) },
];

/** Who has set it to be merged by itself does not see it happen: they are told like everybody else. */
function merged(told: Told): Part[] {
  const { row, actor, company } = told;
  if (parseJson<MergeParams>(row.merge_params).automatic !== true || actor === null) {
    return toAll(told, 'merge_merge_request', `${doer(actor)} merged the merge request.`);
  }
  const news = newsOf(company, actor, 'merge_merge_request', candidates([actor.id], 'participating'));
  const text = `The merge request was merged, as ${actor.name} had set it to be when all checks have passed.`;
  return [{ said: [line(text)], news: { ...news, tellsActor: true } }];
}

function unapproval({ actor }: Told, { system_action }: DomainEvents['merge_request.unapproved']): string {
  return system_action === undefined
    ? `${doer(actor)} took the approval of the merge request back.`
    : 'New commits took an approval of the merge request away.';
}

/** Only its author, and who wants it merged automatically. */
function unmergeable({ row, company }: Told): Part[] {
  const people = [row.author_id, ...(row.auto_merge === 1 && row.merge_user_id !== null ? [row.merge_user_id] : [])];
  const text = `The merge request cannot be merged into ${row.target_branch} any more: there are conflicts.`;
  const news = { happening: null, candidates: candidates(people, 'participating'), actorId: null };
  return [{ said: [line(text)], news: { ...news, unsubscribed: company.unsubscribed } }];
}

const asked = ({ reviewers }: Told): Candidate[] => candidates(reviewers, 'mention', 'review_requested');

async function opened(deps: Deps, told: Told, { labels = [] }: DomainEvents['merge_request.created']): Promise<Part[]> {
  const { row, place, actor, company, reviewers } = told;
  const users = await usersById(deps.db, [...company.assignees, ...reviewers]);
  const named = (what: string, ids: readonly number[]): Block[] =>
    ids.length === 0 ? [] : [line(`${what} ${namesOf(ids.flatMap((id) => users.get(id) ?? []))}.`)];
  const more = [
    ...asked(told),
    ...(await mentionedIn(deps, told, `${row.title}\n\n${row.description ?? ''}`)),
    ...(await followersOfLabels(
      deps.db,
      labels.map(({ id }) => id),
      place.project.id,
    )),
  ];
  const said = [
    line(`${doer(actor)} opened a merge request: ${row.title}`),
    line(`It wants ${row.source_branch} to be merged into ${row.target_branch}.`),
    ...named('Assigned to', company.assignees),
    ...named('To be reviewed by', reviewers),
    ...(row.description
      ? [await written(row.description, baseOf(deps, place), await issueLinksOf(deps, place.project.id))]
      : []),
  ];
  return [...(await toApprovers(deps, told)), { said, news: newsOf(company, actor, 'new_merge_request', more) }];
}

/** Those whom its approval rules name, where they asked for it. */
async function toApprovers(deps: Deps, { row, actor, company: { unsubscribed } }: Told): Promise<Part[]> {
  const approvers = candidates(await approversOf(deps, row), 'watch');
  if (approvers.length === 0) return [];
  const said = [
    line(`${doer(actor)} opened a merge request that you can approve: ${row.title}`),
    line(`It wants ${row.source_branch} to be merged into ${row.target_branch}.`),
  ];
  return [{ said, news: { happening: 'approver', candidates: approvers, actorId: actor?.id ?? null, unsubscribed } }];
}

async function updated(deps: Deps, told: Told, payload: DomainEvents['merge_request.updated']): Promise<Part[]> {
  const { row, place, actor, company } = told;
  const changes: Changes = payload.changes;
  const changed: Changed = { changes, company, actor, projectId: place.project.id };
  const mention = async () => [
    line(`${doer(actor)} mentioned you in the merge request.`),
    await written(row.description ?? '', baseOf(deps, place), await issueLinksOf(deps, place.project.id)),
  ];
  const assignees = { key: 'assignee_ids', what: 'assignees', happening: 'reassign_merge_request' } as const;
  const reviewers = { key: 'reviewer_ids', what: 'reviewers', happening: 'change_reviewer_merge_request' } as const;
  const drafts = changes.draft === undefined ? [] : toAll(told, null, draftText(told, changes.draft[1]));
  const resolved =
    changes.blocking_discussions_resolved?.[1] === true
      ? toAll(told, null, `${doer(actor)} resolved all threads.`)
      : [];
  return [
    ...(payload.new_sha == null ? [] : await pushed(deps, told, payload.old_sha ?? null, payload.new_sha)),
    ...(await reassigned(deps, changed, { ...assignees, reason: 'assigned' })),
    ...(await reassigned(deps, changed, { ...reviewers, reason: 'review_requested' })),
    ...drafts,
    ...resolved,
    ...(await milestoneChanged(deps, changed)),
    ...(await labelsAdded(deps, changed)),
    ...(await newlyMentioned(deps, changed, place, row, mention)),
  ];
}

const draftText = ({ actor }: Told, draft: unknown): string =>
  draft === true || draft === 1
    ? `${doer(actor)} marked the merge request as a draft.`
    : `${doer(actor)} marked the merge request as ready.`;

async function pushed(deps: Deps, told: Told, before: string | null, head: string): Promise<Part[]> {
  const { row, place, actor, company } = told;
  const said = [
    line(`${doer(actor)} pushed to ${row.source_branch}.`),
    ...(await pushedCommits(deps, place.project, before, head)),
  ];
  return [{ said, news: newsOf(company, actor, 'push_to_merge_request') }];
}

async function load(deps: Deps, { payload, actor_id }: MergeRequestEvent): Promise<Told | undefined> {
  const { merge_request_id: id, project_id: projectId } = payload;
  const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  const place = row && (await placeOf(deps.db, projectId));
  if (row === undefined || place === undefined) return undefined;
  const actor = (await usersById(deps.db, [actor_id])).get(actor_id ?? 0) ?? null;
  const asked = await deps.db
    .selectFrom('merge_request_reviewers')
    .select('user_id')
    .where('merge_request_id', '=', id)
    .orderBy('user_id')
    .execute();
  const facts = 'merge_request' in payload ? (payload.merge_request as Partial<MergeRequest> | undefined) : undefined;
  return {
    row: { ...row, ...facts },
    place,
    actor,
    company: await companyOf(deps, place, { type: 'MergeRequest', id, author_id: row.author_id }),
    reviewers: asked.map(({ user_id }) => user_id),
  };
}

function letterOf(deps: Deps, { row, place, actor }: Told, first: boolean, parts: readonly Part[]): Dispatch {
  const root = `merge_request_${row.id}`;
  return {
    topic: { type: 'MergeRequest', id: row.id },
    parts,
    letter: {
      subject: `${first ? '' : 'Re: '}${mergeRequestSubject(place, row)}`,
      body: [],
      url: mergeRequestUrl(deps, place.project.full_path, row.iid),
      thread: first ? { own: root } : { before: [root] },
      headers: { ...placeHeaders(deps, place), ...modelHeaders('MergeRequest', row) },
      followed: { type: 'MergeRequest', id: row.id },
      actor,
    },
  };
}
