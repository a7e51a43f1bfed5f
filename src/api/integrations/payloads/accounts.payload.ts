import type { UserFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { isoSeconds } from './payloads.times.ts';
import type { Payload, SystemEvent } from './types.ts';
import { userOf } from './users.payload.ts';

type UserEvent = RecordedEvent<'user.created' | 'user.destroyed' | 'user.renamed' | 'user.login_refused'>;
type KeyEvent = RecordedEvent<'key.created' | 'key.destroyed'>;

const USER_EVENTS = {
  'user.created': 'user_create',
  'user.destroyed': 'user_destroy',
  'user.renamed': 'user_rename',
  'user.login_refused': 'user_failed_login',
} as const;

const always = (payload: Payload): SystemEvent[] => [{ trigger: 'always', header: 'System Hook', payload }];

/** Returns the user as recorded with the event, else the current one; undefined if deleted. */
async function factsOf({ db }: Deps, event: UserEvent): Promise<UserFacts | undefined> {
  const { payload, created_at } = event;
  if ('user' in payload && payload.user !== undefined) return payload.user;
  if ('email' in payload) return { ...payload, state: 'active', created_at, updated_at: created_at };
  return userOf(db, payload.user_id);
}

/** System hook payloads for users who are created, deleted or renamed, or who are blocked and try to sign in. */
export async function userSystemEvents(deps: Deps, event: UserEvent): Promise<SystemEvent[]> {
  const user = await factsOf(deps, event);
  if (user === undefined) return [];
  return always({
    event_name: USER_EVENTS[event.type],
    created_at: isoSeconds(user.created_at),
    updated_at: isoSeconds(user.updated_at),
    name: user.name,
    email: user.email,
    user_id: event.payload.user_id,
    username: user.username,
    ...('old_username' in event.payload ? { old_username: event.payload.old_username } : {}),
    ...(event.type === 'user.login_refused' ? { state: user.state } : {}),
  });
}

/** System hook payloads for SSH keys. */
export async function keySystemEvents(deps: Deps, { type, payload, created_at }: KeyEvent): Promise<SystemEvent[]> {
  const { key_id: id, user_id, key } = payload;
  const user = await userOf(deps.db, user_id);
  const row = await deps.db.selectFrom('ssh_keys').select('created_at').where('id', '=', id).executeTakeFirst();
  return always({
    event_name: type === 'key.created' ? 'key_create' : 'key_destroy',
    created_at: isoSeconds(row?.created_at ?? created_at),
    updated_at: isoSeconds(created_at),
    username: user?.username ?? null,
    key,
    id,
  });
}
