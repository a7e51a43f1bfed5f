import type { DomainEvents } from '../../../core/core.domain-events.ts';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { MergeParams, MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { issueLinksOf } from '../../../integrations/trackers/trackers.issue-links.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { usersById } from '../../identity/index.ts';
import { approversOf, mergeRequestUrl } from '../../planning/index.ts';
import type { Dispatch, Part } from '../mails/dispatch.ts';
import { type Block, line, markdownBlock } from '../mails/notification-mails.block.ts';
import { modelHeaders, projectHeaders } from '../mails/notification-mails.headers.ts';
import { type Candidate, candidates, type EventKind } from '../recipients/candidate.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import { type ProjectContext, projectContextOf } from '../recipients/project-context.ts';
import { followersOfLabels } from '../recipients/recipients.subscriptions.ts';
import { loadParticipants, type Participants } from './message-participants.ts';
import {
  type AttributeChanges,
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
import { baseOf } from './messages.issues.ts';
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

/** Attributes whose changes cause mails. */
const NOTIFYING_ATTRIBUTES = [
  'assignee_ids',
  'reviewer_ids',
  'milestone_id',
  'labels',
  'title',
  'description',
  'draft',
  'blocking_discussions_resolved',
];
export const notifiesOfMergeRequest = ({ payload }: Pick<MergeRequestEvent, 'payload'>): boolean =>
  !('changes' in payload) || payload.new_sha != null || NOTIFYING_ATTRIBUTES.some((name) => name in payload.changes);

interface MergeRequestForMessage {
  row: MergeRequest;
  place: ProjectContext;
  actor: User | null;
  participants: Participants;
  reviewers: number[];
}

/** Mails about an event of a merge request; undefined if it no longer exists. */
export async function mergeRequestMessages(deps: Deps, event: MergeRequestEvent): Promise<Dispatch | undefined> {
  const mergeRequest = await load(deps, event);
  return (
    mergeRequest &&
    unlessEmpty(
      letterOf(deps, mergeRequest, event.type === 'merge_request.created', await partsOf(deps, mergeRequest, event)),
    )
  );
}

async function partsOf(deps: Deps, mergeRequest: MergeRequestForMessage, event: MergeRequestEvent): Promise<Part[]> {
  const who = actorName(mergeRequest.actor);
  switch (event.type) {
    case 'merge_request.created':
      return opened(deps, mergeRequest, event.payload as DomainEvents['merge_request.created']);
    case 'merge_request.updated':
      return updated(deps, mergeRequest, event.payload as DomainEvents['merge_request.updated']);
    case 'merge_request.closed':
      return toAll(mergeRequest, 'close_merge_request', `${who} closed the merge request.`);
    case 'merge_request.reopened':
      return toAll(mergeRequest, 'reopen_merge_request', `${who} reopened the merge request.`);
    case 'merge_request.merged':
      return merged(mergeRequest);
    case 'merge_request.approved': {
      const { complete } = event.payload as DomainEvents['merge_request.approved'];
      return toAll(
        mergeRequest,
        null,
        `${who} approved the merge request.${complete ? ' It has all required approvals.' : ''}`,
      );
    }
    case 'merge_request.unapproved':
      return toAll(
        mergeRequest,
        null,
        unapproval(mergeRequest, event.payload as DomainEvents['merge_request.unapproved']),
      );
    case 'merge_request.auto_merge_set':
      return toAll(
        mergeRequest,
        'merge_when_pipeline_succeeds',
        `${who} enabled auto-merge: it is merged when all checks pass.`,
      );
    case 'merge_request.unmergeable':
      return unmergeable(mergeRequest);
  }
}

const toAll = ({ participants, actor }: MergeRequestForMessage, eventKind: EventKind, text: string): Part[] => [
  { sentences: [line(text)], message: messageOf(participants, actor, eventKind) },
];

/** Notifies the user who set auto-merge as well, since they do not see the merge. */
function merged(mergeRequest: MergeRequestForMessage): Part[] {
  const { row, actor, participants } = mergeRequest;
  if (parseJson<MergeParams>(row.merge_params).automatic !== true || actor === null) {
    return toAll(mergeRequest, 'merge_merge_request', `${actorName(actor)} merged the merge request.`);
  }
  const news = messageOf(participants, actor, 'merge_merge_request', candidates([actor.id], 'participating'));
  const text = `The merge request was merged automatically, as set by ${actor.name}: all checks have passed.`;
  return [{ sentences: [line(text)], message: { ...news, tellsActor: true } }];
}

function unapproval(
  { actor }: MergeRequestForMessage,
  { system_action }: DomainEvents['merge_request.unapproved'],
): string {
  return system_action === undefined
    ? `${actorName(actor)} unapproved the merge request.`
    : 'New commits removed an approval of the merge request.';
}

/** Only for the author and the user who enabled auto-merge. */
function unmergeable({ row, participants }: MergeRequestForMessage): Part[] {
  const people = [row.author_id, ...(row.auto_merge === 1 && row.merge_user_id !== null ? [row.merge_user_id] : [])];
  const text = `The merge request can no longer be merged into ${row.target_branch} due to conflicts.`;
  const news = { eventKind: null, candidates: candidates(people, 'participating'), actorId: null };
  return [{ sentences: [line(text)], message: { ...news, unsubscribed: participants.unsubscribed } }];
}

const asked = ({ reviewers }: MergeRequestForMessage): Candidate[] =>
  candidates(reviewers, 'mention', 'review_requested');

async function opened(
  deps: Deps,
  mergeRequest: MergeRequestForMessage,
  { labels = [] }: DomainEvents['merge_request.created'],
): Promise<Part[]> {
  const { row, place, actor, participants, reviewers } = mergeRequest;
  const users = await usersById(deps.db, [...participants.assignees, ...reviewers]);
  const named = (what: string, ids: readonly number[]): Block[] =>
    ids.length === 0 ? [] : [line(`${what} ${listOfNames(ids.flatMap((id) => users.get(id) ?? []))}.`)];
  const more = [
    ...asked(mergeRequest),
    ...(await mentionedIn(deps, mergeRequest, `${row.title}\n\n${row.description ?? ''}`)),
    ...(await followersOfLabels(deps.db, pluck(labels, 'id'), place.project.id)),
  ];
  const sentences = [
    line(`${actorName(actor)} opened a merge request: ${row.title}`),
    line(`Merges ${row.source_branch} into ${row.target_branch}.`),
    ...named('Assigned to', participants.assignees),
    ...named('Review requested from', reviewers),
    ...(row.description
      ? [await markdownBlock(row.description, baseOf(deps, place), await issueLinksOf(deps, place.project.id))]
      : []),
  ];
  return [
    ...(await toApprovers(deps, mergeRequest)),
    { sentences, message: messageOf(participants, actor, 'new_merge_request', more) },
  ];
}

/** For approvers who enabled this notification. */
async function toApprovers(
  deps: Deps,
  { row, actor, participants: { unsubscribed } }: MergeRequestForMessage,
): Promise<Part[]> {
  const approvers = candidates(await approversOf(deps, row), 'watch');
  if (approvers.length === 0) return [];
  const sentences = [
    line(`${actorName(actor)} opened a merge request that you can approve: ${row.title}`),
    line(`Merges ${row.source_branch} into ${row.target_branch}.`),
  ];
  return [
    {
      sentences,
      message: { eventKind: 'approver', candidates: approvers, actorId: actor?.id ?? null, unsubscribed },
    },
  ];
}

async function updated(
  deps: Deps,
  mergeRequest: MergeRequestForMessage,
  payload: DomainEvents['merge_request.updated'],
): Promise<Part[]> {
  const { row, place, actor, participants } = mergeRequest;
  const changes: AttributeChanges = payload.changes;
  const changed: ChangeContext = { changes, participants, actor, projectId: place.project.id };
  const mention = async () => [
    line(`${actorName(actor)} mentioned you in the merge request.`),
    await markdownBlock(row.description ?? '', baseOf(deps, place), await issueLinksOf(deps, place.project.id)),
  ];
  const assignees = { key: 'assignee_ids', what: 'assignees', eventKind: 'reassign_merge_request' } as const;
  const reviewers = { key: 'reviewer_ids', what: 'reviewers', eventKind: 'change_reviewer_merge_request' } as const;
  const drafts =
    changes.draft === undefined ? [] : toAll(mergeRequest, null, draftText(mergeRequest, changes.draft[1]));
  const resolved =
    changes.blocking_discussions_resolved?.[1] === true
      ? toAll(mergeRequest, null, `${actorName(actor)} resolved all threads.`)
      : [];
  return [
    ...(payload.new_sha == null ? [] : await pushed(deps, mergeRequest, payload.old_sha ?? null, payload.new_sha)),
    ...(await reassignmentParts(deps, changed, { ...assignees, reason: 'assigned' })),
    ...(await reassignmentParts(deps, changed, { ...reviewers, reason: 'review_requested' })),
    ...drafts,
    ...resolved,
    ...(await milestoneParts(deps, changed)),
    ...(await labelParts(deps, changed)),
    ...(await mentionParts(deps, changed, place, row, mention)),
  ];
}

const draftText = ({ actor }: MergeRequestForMessage, draft: unknown): string =>
  draft === true || draft === 1
    ? `${actorName(actor)} marked the merge request as a draft.`
    : `${actorName(actor)} marked the merge request as ready.`;

async function pushed(
  deps: Deps,
  mergeRequest: MergeRequestForMessage,
  before: string | null,
  head: string,
): Promise<Part[]> {
  const { row, place, actor, participants } = mergeRequest;
  const sentences = [
    line(`${actorName(actor)} pushed to ${row.source_branch}.`),
    ...(await pushedCommits(deps, place.project, before, head)),
  ];
  return [{ sentences, message: messageOf(participants, actor, 'push_to_merge_request') }];
}

async function load(deps: Deps, { payload, actor_id }: MergeRequestEvent): Promise<MergeRequestForMessage | undefined> {
  const { merge_request_id: id, project_id: projectId } = payload;
  const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  const place = row && (await projectContextOf(deps.db, projectId));
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
    participants: await loadParticipants(deps, place, { type: 'MergeRequest', id, author_id: row.author_id }),
    reviewers: asked.map(({ user_id }) => user_id),
  };
}

function letterOf(
  deps: Deps,
  { row, place, actor }: MergeRequestForMessage,
  first: boolean,
  parts: readonly Part[],
): Dispatch {
  const root = `merge_request_${row.id}`;
  return {
    topic: { type: 'MergeRequest', id: row.id },
    parts,
    draft: {
      subject: `${first ? '' : 'Re: '}${mergeRequestSubject(place, row)}`,
      body: [],
      url: mergeRequestUrl(deps, place.project.full_path, row.iid),
      thread: first ? { own: root } : { before: [root] },
      headers: { ...projectHeaders(deps, place), ...modelHeaders('MergeRequest', row) },
      followed: { type: 'MergeRequest', id: row.id },
      actor,
    },
  };
}
