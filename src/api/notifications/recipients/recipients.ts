import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { notificationEmail } from '../notification-settings/notification-settings.settings.ts';
import type { TopicContext } from '../topics/topic.ts';
import { type Candidate, type EventKind, higherReason, type Reason } from './candidate.ts';
import { type ProjectPreference, preferencesIn } from './preferences.ts';
import type { ProjectContext } from './project-context.ts';
import { wantsNotification } from './recipients.preference-rules.ts';
import { readersAmong } from './recipients.readers.ts';

/** An event with its candidate recipients. */
export interface Message {
  eventKind: EventKind;
  candidates: readonly Candidate[];
  /** Id of the user who caused the event. */
  actorId: number | null;
  /** Whether the actor is notified like everybody else. */
  tellsActor?: boolean;
  /** Users who unsubscribed. */
  unsubscribed?: ReadonlySet<number>;
}

/** A recipient of a mail. */
export interface Recipient {
  user: User;
  /** E-mail address. */
  address: string;
  reason: Reason | undefined;
}

/** The recipients of a message: candidates who want it and may read it now, with their highest reason. */
export async function recipientsOf(
  deps: Deps,
  { place, mayRead }: TopicContext,
  message: Message,
): Promise<Recipient[]> {
  if (place.mailsDisabled) return [];
  const { actorId, tellsActor = false } = message;
  const ids = [...new Set(message.candidates.map(({ userId }) => userId))];
  const preferences = await preferencesIn(deps.db, place, ids);
  const reasons = new Map<number, Reason | undefined>();
  for (const candidate of message.candidates) {
    if (!isNotified(message, candidate, preferences.get(candidate.userId)!)) continue;
    reasons.set(candidate.userId, higherReason(reasons.get(candidate.userId), candidate.reason));
  }
  if (actorId !== null && reasons.has(actorId) && !tellsActor) {
    if (await wantsOwn(deps, actorId)) reasons.set(actorId, 'own_activity');
    else reasons.delete(actorId);
  }
  const readers = await readersAmong(deps, place, mayRead, [...reasons.keys()]);
  return [...readers.values()].map(({ user }) => ({
    user,
    address: addressIn(preferences.get(user.id)!, user),
    reason: reasons.get(user.id),
  }));
}

function isNotified(
  { eventKind, unsubscribed }: Message,
  { userId, relation }: Candidate,
  preference: ProjectPreference,
): boolean {
  if (relation !== 'mention' && unsubscribed?.has(userId)) return false;
  return wantsNotification(preference, relation, eventKind);
}

const addressIn = ({ email }: ProjectPreference, user: User): string => email ?? notificationEmail(user);

/** The e-mail address of a user for mails about a project. */
export async function addressOf(deps: Deps, place: ProjectContext, user: User): Promise<string> {
  return addressIn((await preferencesIn(deps.db, place, [user.id])).get(user.id)!, user);
}

async function wantsOwn({ db }: Deps, userId: number): Promise<boolean> {
  const query = db.selectFrom('user_preferences').select('notified_of_own_activity').where('user_id', '=', userId);
  return (await query.executeTakeFirst())?.notified_of_own_activity === 1;
}
