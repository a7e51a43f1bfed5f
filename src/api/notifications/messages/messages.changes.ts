import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from '../../identity/index.ts';
import type { Dispatch, Part } from '../mails/dispatch.ts';
import { type Block, line } from '../mails/notification-mails.block.ts';
import { type Candidate, candidates, type EventKind } from '../recipients/candidate.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import type { ProjectContext } from '../recipients/project-context.ts';
import { followersOfLabels } from '../recipients/recipients.subscriptions.ts';
import type { Participants } from './message-participants.ts';

/** Old and new values by attribute, as in events. */
export type AttributeChanges = Readonly<Record<string, readonly [unknown, unknown]>>;

/** Context of the mails about a change. */
export interface ChangeContext {
  changes: AttributeChanges;
  participants: Participants;
  actor: User | null;
  projectId: number;
}

const idsIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `Ada and Bo`; `nobody` for none. */
export function listOfNames(users: readonly Pick<User, 'name'>[]): string {
  const names = users.map(({ name }) => name);
  const last = names.pop();
  if (last === undefined) return 'nobody';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

export const actorName = (actor: User | null): string => actor?.name ?? 'The server';

/** Parts about changed assignees or reviewers: for added and removed users, and for all others. */
export async function reassignmentParts(
  deps: Deps,
  { changes, participants, actor }: ChangeContext,
  { key, what, eventKind, reason }: Role,
): Promise<Part[]> {
  const change = changes[key];
  if (change === undefined) return [];
  const [before, now] = change.map(idsIn) as [number[], number[]];
  const users = await usersById(deps.db, [...before, ...now]);
  const known = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? []);
  const from = before.length === 0 ? '' : ` from ${listOfNames(known(before))}`;
  const sentences = [line(`${actorName(actor)} changed ${what}${from} to ${listOfNames(known(now))}.`)];
  const added = now.filter((id) => !before.includes(id));
  return [
    {
      sentences,
      message: messageOf(participants, actor, eventKind, [
        ...candidates(
          before.filter((id) => !now.includes(id)),
          'mention',
        ),
        ...candidates(added, 'mention', reason),
      ]),
    },
  ];
}

/** A list of users of issues and merge requests. */
export interface Role {
  key: 'assignee_ids' | 'reviewer_ids';
  what: string;
  eventKind: EventKind;
  reason: 'assigned' | 'review_requested';
}

export const messageOf = (
  { all, unsubscribed }: Participants,
  actor: User | null,
  eventKind: EventKind,
  more: readonly Candidate[] = [],
): Part['message'] => ({
  eventKind,
  candidates: [...all, ...more],
  actorId: actor?.id ?? null,
  unsubscribed,
});

/** Parts about a set, changed or removed milestone. */
export async function milestoneParts(deps: Deps, { changes, participants, actor }: ChangeContext): Promise<Part[]> {
  const change = changes.milestone_id;
  if (change === undefined) return [];
  const id = typeof change[1] === 'number' ? change[1] : null;
  const title = id === null ? null : await titleOf(deps.db, id);
  const what = title === null ? 'removed the milestone' : `changed the milestone to ${title}`;
  return [{ sentences: [line(`${actorName(actor)} ${what}.`)], message: messageOf(participants, actor, null) }];
}

async function titleOf(db: Db, id: number): Promise<string | null> {
  const row = await db.selectFrom('milestones').select('title').where('id', '=', id).executeTakeFirst();
  return row?.title ?? null;
}

interface Label {
  id: number;
  name: string;
}
const labelsIn = (value: unknown): Label[] => (Array.isArray(value) ? (value as Label[]) : []);

/** Parts about added labels, only for their subscribers. */
export async function labelParts(
  deps: Deps,
  { changes, participants, actor, projectId }: ChangeContext,
): Promise<Part[]> {
  const [before, now] = (changes.labels ?? [[], []]).map(labelsIn) as [Label[], Label[]];
  const added = now.filter(({ id }) => !before.some((label) => label.id === id));
  const followers = await followersOfLabels(deps.db, pluck(added, 'id'), projectId);
  if (followers.length === 0) return [];
  const names = added.map(({ name }) => name).join(', ');
  const { unsubscribed } = participants;
  const news = { eventKind: null, candidates: followers, actorId: actor?.id ?? null, unsubscribed };
  return [
    {
      sentences: [line(`${actorName(actor)} added ${added.length === 1 ? 'the label' : 'the labels'} ${names}.`)],
      message: news,
    },
  ];
}

/** Parts about new mentions in title or description, only for the mentioned users. */
export async function mentionParts(
  deps: Deps,
  { changes, participants, actor }: ChangeContext,
  place: ProjectContext,
  now: { title: string; description: string | null },
  say: () => Promise<readonly Block[]>,
): Promise<Part[]> {
  if (changes.description === undefined && changes.title === undefined) return [];
  const was = (name: 'title' | 'description') => textIn(changes[name] === undefined ? now[name] : changes[name][0]);
  const before = `${was('title')}\n\n${was('description')}`;
  const mentioned = await mentionedIn(deps, { place, actor }, `${now.title}\n\n${now.description ?? ''}`, before);
  if (mentioned.length === 0) return [];
  const { unsubscribed } = participants;
  return [
    {
      sentences: await say(),
      message: { eventKind: null, candidates: mentioned, actorId: actor?.id ?? null, unsubscribed },
    },
  ];
}

/** Undefined if a dispatch has no parts. */
export const unlessEmpty = (dispatch: Dispatch): Dispatch | undefined =>
  dispatch.parts.length === 0 ? undefined : dispatch;
