import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { notificationEmail } from '../notification-settings/settings.ts';
import type { Standing } from '../topics/topic.ts';
import { type Candidate, type Happening, higher, type Reason } from './candidate.ts';
import type { Place } from './place.ts';
import { readersAmong } from './readers.ts';
import { wants } from './wanted.ts';
import { type PlaceWish, wishesIn } from './wishes.ts';

/** Something that happened, and who may have to be told of it. */
export interface News {
  happening: Happening;
  candidates: readonly Candidate[];
  /** Who did it. */
  actorId: number | null;
  /** Whether they are told of it like everybody else. */
  tellsActor?: boolean;
  /** Those who said that they do not follow it. */
  unsubscribed?: ReadonlySet<number>;
}

/** Somebody who gets a mail. */
export interface Recipient {
  user: User;
  /** Where it goes. */
  address: string;
  reason: Reason | undefined;
}

/** Whom to tell, with the highest of the reasons: those who want it, and may read it now. */
export async function recipientsOf(deps: Deps, { place, mayRead }: Standing, news: News): Promise<Recipient[]> {
  if (place.silent) return [];
  const { actorId, tellsActor = false } = news;
  const ids = [...new Set(news.candidates.map(({ userId }) => userId))];
  const wishes = await wishesIn(deps.db, place, ids);
  const reasons = new Map<number, Reason | undefined>();
  for (const candidate of news.candidates) {
    if (!isWanted(news, candidate, wishes.get(candidate.userId)!)) continue;
    reasons.set(candidate.userId, higher(reasons.get(candidate.userId), candidate.reason));
  }
  if (actorId !== null && reasons.has(actorId) && !tellsActor) {
    if (await wantsOwn(deps, actorId)) reasons.set(actorId, 'own_activity');
    else reasons.delete(actorId);
  }
  const readers = await readersAmong(deps, place, mayRead, [...reasons.keys()]);
  return [...readers.values()].map(({ user }) => ({
    user,
    address: addressIn(wishes.get(user.id)!, user),
    reason: reasons.get(user.id),
  }));
}

function isWanted({ happening, unsubscribed }: News, { userId, tie }: Candidate, wish: PlaceWish): boolean {
  if (tie !== 'mention' && unsubscribed?.has(userId)) return false;
  return wants(wish, tie, happening);
}

const addressIn = ({ email }: PlaceWish, user: User): string => email ?? notificationEmail(user);

/** Where mails about a project go. */
export async function addressOf(deps: Deps, place: Place, user: User): Promise<string> {
  return addressIn((await wishesIn(deps.db, place, [user.id])).get(user.id)!, user);
}

async function wantsOwn({ db }: Deps, userId: number): Promise<boolean> {
  const query = db.selectFrom('user_preferences').select('notified_of_own_activity').where('user_id', '=', userId);
  return (await query.executeTakeFirst())?.notified_of_own_activity === 1;
}
