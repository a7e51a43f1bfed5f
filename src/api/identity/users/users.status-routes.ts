import { type Static, Type } from 'typebox';
import { timestamp } from '../../../core/clock.ts';
import type { UserStatus } from '../../../db/tables/user-statuses.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, Instant, Nullable, optional } from '../../../http/http.schema.ts';
import { anyone, onServer, signedIn } from '../../api.access.ts';
import { userByIdOrName } from './users.find.ts';

const HOUR_MS = 3_600_000;
const CLEAR_AFTER = {
  '30_minutes': HOUR_MS / 2,
  '3_hours': 3 * HOUR_MS,
  '8_hours': 8 * HOUR_MS,
  '1_day': 24 * HOUR_MS,
  '3_days': 72 * HOUR_MS,
  '7_days': 168 * HOUR_MS,
  '30_days': 720 * HOUR_MS,
} as const;
const AVAILABILITIES = ['not_set', 'busy'] as const;
/** Default emoji of a status with a message. */
const DEFAULT_EMOJI = 'speech_balloon';

const Status = Type.Object({
  emoji: Nullable(Type.String()),
  availability: Nullable(Type.String()),
  message: Nullable(Type.String()),
  message_html: Nullable(Type.String()),
  clear_status_at: Nullable(Instant()),
});

const newStatus = optional({
  emoji: Type.String({ pattern: '^[a-zA-Z0-9_+-]{0,100}$', 'x-message': 'emoji is not a valid emoji name' }),
  message: Type.String({ maxLength: 100 }),
  availability: Enum(AVAILABILITIES),
  clear_status_after: Nullable(Enum(Object.keys(CLEAR_AFTER) as (keyof typeof CLEAR_AFTER)[])),
});
type NewStatus = Static<typeof newStatus>;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const present = (status: UserStatus | undefined): Static<typeof Status> =>
  status === undefined
    ? { emoji: null, availability: null, message: null, message_html: null, clear_status_at: null }
    : {
        emoji: status.emoji,
        availability: status.availability,
        message: status.message,
        message_html: escapeHtml(status.message),
        clear_status_at: status.clear_status_at,
      };

async function statusOf({ db, clock }: Deps, userId: number): Promise<UserStatus | undefined> {
  const status = await db.selectFrom('user_statuses').selectAll().where('user_id', '=', userId).executeTakeFirst();
  const over = status?.clear_status_at !== null && (status?.clear_status_at ?? '') <= timestamp(clock);
  return over ? undefined : status;
}

/** Replaces the status; an empty one removes it. */
async function setStatus(deps: Deps, userId: number, input: NewStatus, clearAt: string | null) {
  const { emoji = '', message = '', availability = 'not_set' } = input;
  return deps.db.transaction().execute(async (db) => {
    await db.deleteFrom('user_statuses').where('user_id', '=', userId).execute();
    if (emoji === '' && message === '' && availability === 'not_set') return undefined;
    const values = { user_id: userId, emoji: emoji || DEFAULT_EMOJI, message, availability, clear_status_at: clearAt };
    return db.insertInto('user_statuses').values(values).returningAll().executeTakeFirstOrThrow();
  });
}

const clearAtOf = ({ clock }: Deps, after: NewStatus['clear_status_after']): string | null =>
  after === undefined || after === null ? null : new Date(clock.now().getTime() + CLEAR_AFTER[after]).toISOString();

/** Statuses of users. */
export const userStatusRoutes = [
  route({
    method: 'GET',
    path: '/user/status',
    summary: "Get the caller's status",
    access: signedIn,
    scopes: ['read_user'],
    success: { status: 200, schema: Status },
    handler: async ({ deps, caller }) => present(await statusOf(deps, caller.user.id)),
  }),
  route({
    method: 'PUT',
    path: '/user/status',
    operationId: 'replaceCurrentUserStatus',
    summary: "Set the caller's status",
    description: 'Attributes that are not given are cleared.',
    access: onServer('update_own_account'),
    input: newStatus,
    success: { status: 200, schema: Status },
    errors: [400],
    handler: async ({ deps, caller, input }) =>
      present(await setStatus(deps, caller.user.id, input, clearAtOf(deps, input.clear_status_after))),
  }),
  route({
    method: 'PATCH',
    path: '/user/status',
    summary: "Change the caller's status",
    description: 'Attributes that are not given stay as they are.',
    access: onServer('update_own_account'),
    input: newStatus,
    success: { status: 200, schema: Status },
    errors: [400],
    handler: async (context) => {
      const { deps, caller, input } = context;
      const old = await statusOf(deps, caller.user.id);
      const merged = {
        emoji: input.emoji ?? old?.emoji ?? '',
        message: input.message ?? old?.message ?? '',
        availability: input.availability ?? old?.availability ?? 'not_set',
      };
      const clearAt = context.isSent('clear_status_after')
        ? clearAtOf(deps, input.clear_status_after)
        : (old?.clear_status_at ?? null);
      return present(await setStatus(deps, caller.user.id, merged, clearAt));
    },
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/status',
    limit: { setting: 'users_api_limit_status', periodSeconds: 60 },
    summary: 'Get the status of a user',
    access: anyone,
    params: Type.Object({ user_id: Type.String({ description: 'Id or user name.' }) }),
    scopes: ['read_user'],
    success: { status: 200, schema: Status },
    errors: [404],
    handler: async ({ deps, params }) =>
      present(await statusOf(deps, (await userByIdOrName(deps.db, params.user_id)).id)),
  }),
];
