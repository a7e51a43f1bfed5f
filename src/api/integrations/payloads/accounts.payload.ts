import type { UserFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { isoSeconds } from './payloads.times.ts';
import type { BuiltPayload } from './types.ts';
import { userOf } from './users.payload.ts';

type UserEvent = RecordedEvent<'user.created' | 'user.destroyed' | 'user.renamed' | 'user.login_refused'>;
type KeyEvent = RecordedEvent<'key.created' | 'key.destroyed'>;

const USER_EVENTS = {
  'user.created': 'user_create',
  'user.destroyed': 'user_destroy',
  'user.renamed': 'user_rename',
  'user.login_refused': 'user_failed_login',
} as const;

/** Returns the user as recorded with the event, else the current one; undefined if deleted. */
async function factsOf({ db }: Deps, event: UserEvent): Promise<UserFacts | undefined> {
  const { payload, created_at } = event;
  if ('user' in payload && payload.user !== undefined) return payload.user;
  if ('email' in payload) return { ...payload, state: 'active', created_at, updated_at: created_at };
  return userOf(db, payload.user_id);
}

/** System hook payload for a user who is created, deleted or renamed, or who is blocked and tries to sign in. */
export async function userSystemEvent(deps: Deps, event: UserEvent): Promise<BuiltPayload | undefined> {
  const user = await factsOf(deps, event);
  if (user === undefined) return undefined;
  const payload = {
    event_name: USER_EVENTS[event.type],
    created_at: isoSeconds(user.created_at),
    updated_at: isoSeconds(user.updated_at),
    name: user.name,
    email: user.email,
    user_id: event.payload.user_id,
    username: user.username,
    ...('old_username' in event.payload ? { old_username: event.payload.old_username } : {}),
    ...(event.type === 'user.login_refused' ? { state: user.state } : {}),
  };
  return { payload };
}

/** System hook payload for an SSH key. */
export async function keySystemEvent(deps: Deps, { type, payload, created_at }: KeyEvent): Promise<BuiltPayload> {
  const { key_id: id, user_id, key } = payload;
  const user = await userOf(deps.db, user_id);
  const row = await deps.db.selectFrom('ssh_keys').select('created_at').where('id', '=', id).executeTakeFirst();
  const message = {
    event_name: type === 'key.created' ? 'key_create' : 'key_destroy',
    created_at: isoSeconds(row?.created_at ?? created_at),
    updated_at: isoSeconds(created_at),
    username: user?.username ?? null,
    key,
    id,
  };
  return { payload: message };
}
