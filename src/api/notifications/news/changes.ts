import type { Db } from '../../../db/schema.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from '../../identity/index.ts';
import { type Block, line } from '../mails/block.ts';
import type { Dispatch, Part } from '../mails/dispatch.ts';
import { type Candidate, candidates, type Happening } from '../recipients/candidate.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import type { Place } from '../recipients/place.ts';
import { followersOfLabels } from '../recipients/subscriptions.ts';
import type { Company } from './company.ts';

/** Old and new value by attribute, as events tell them. */
export type Changes = Readonly<Record<string, readonly [unknown, unknown]>>;

/** What a change is told with. */
export interface Changed {
  changes: Changes;
  company: Company;
  actor: User | null;
  projectId: number;
}

const idsIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `Ada and Bo`; `nobody` for none. */
export function namesOf(users: readonly Pick<User, 'name'>[]): string {
  const names = users.map(({ name }) => name);
  const last = names.pop();
  if (last === undefined) return 'nobody';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

export const doer = (actor: User | null): string => actor?.name ?? 'The server';

/** Those who were given something or had it taken from them, beside all who are told of it. */
export async function reassigned(
  deps: Deps,
  { changes, company, actor }: Changed,
  { key, what, happening, reason }: Role,
): Promise<Part[]> {
  const change = changes[key];
  if (change === undefined) return [];
  const [before, now] = change.map(idsIn) as [number[], number[]];
  const users = await usersById(deps.db, [...before, ...now]);
  const known = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? []);
  const from = before.length === 0 ? '' : ` from ${namesOf(known(before))}`;
  const said = [line(`${doer(actor)} changed ${what}${from} to ${namesOf(known(now))}.`)];
  const added = now.filter((id) => !before.includes(id));
  return [
    {
      said,
      news: newsOf(company, actor, happening, [
        ...candidates(
          before.filter((id) => !now.includes(id)),
          'mention',
        ),
        ...candidates(added, 'mention', reason),
      ]),
    },
  ];
}

/** A list of people that issues and merge requests have. */
export interface Role {
  key: 'assignee_ids' | 'reviewer_ids';
  what: string;
  happening: Happening;
  reason: 'assigned' | 'review_requested';
}

export const newsOf = (
  { all, unsubscribed }: Company,
  actor: User | null,
  happening: Happening,
  more: readonly Candidate[] = [],
): Part['news'] => ({
  happening,
  candidates: [...all, ...more],
  actorId: actor?.id ?? null,
  unsubscribed,
});

/** The milestone was set, changed or removed. */
export async function milestoneChanged(deps: Deps, { changes, company, actor }: Changed): Promise<Part[]> {
  const change = changes.milestone_id;
  if (change === undefined) return [];
  const id = typeof change[1] === 'number' ? change[1] : null;
  const title = id === null ? null : await titleOf(deps.db, id);
  const what = title === null ? 'removed the milestone' : `changed the milestone to ${title}`;
  return [{ said: [line(`${doer(actor)} ${what}.`)], news: newsOf(company, actor, null) }];
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

/** Labels were added: for those alone who follow them. */
export async function labelsAdded(deps: Deps, { changes, company, actor, projectId }: Changed): Promise<Part[]> {
  const [before, now] = (changes.labels ?? [[], []]).map(labelsIn) as [Label[], Label[]];
  const added = now.filter(({ id }) => !before.some((label) => label.id === id));
  const followers = await followersOfLabels(
    deps.db,
    added.map(({ id }) => id),
    projectId,
  );
  if (followers.length === 0) return [];
  const names = added.map(({ name }) => name).join(', ');
  const { unsubscribed } = company;
  const news = { happening: null, candidates: followers, actorId: actor?.id ?? null, unsubscribed };
  return [{ said: [line(`${doer(actor)} added ${added.length === 1 ? 'the label' : 'the labels'} ${names}.`)], news }];
}

/** Somebody is named in title or description who was not before: for those alone. */
export async function newlyMentioned(
  deps: Deps,
  { changes, company, actor }: Changed,
  place: Place,
  now: { title: string; description: string | null },
  say: () => Promise<readonly Block[]>,
): Promise<Part[]> {
  if (changes.description === undefined && changes.title === undefined) return [];
  const was = (name: 'title' | 'description') => textIn(changes[name] === undefined ? now[name] : changes[name][0]);
  const before = `${was('title')}\n\n${was('description')}`;
  const mentioned = await mentionedIn(deps, { place, actor }, `${now.title}\n\n${now.description ?? ''}`, before);
  if (mentioned.length === 0) return [];
  const { unsubscribed } = company;
  return [
    { said: await say(), news: { happening: null, candidates: mentioned, actorId: actor?.id ?? null, unsubscribed } },
  ];
}

/** Nothing is sent of a change that nobody is told of. */
export const orNothing = (dispatch: Dispatch): Dispatch | undefined =>
  dispatch.parts.length === 0 ? undefined : dispatch;
