import { timestamp } from '../core/clock.ts';
import { unauthorized } from '../core/core.errors.ts';
import { randomText, tokenDigest } from '../core/core.secrets.ts';
import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { UserSession } from '../db/tables/user-sessions.table.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { signer } from './signer.ts';
import { checkUserState } from './token-caller.ts';

/** Sessions of one user: of more, those that were used least recently end. */
const MAX_SESSIONS = 100;
/** The last use is written down at most this often, in milliseconds. */
const NOTE_USE_MS = 10 * 60_000;
const MAX_USER_AGENT = 255;
/** What pages may do: everything that their user may. */
const SCOPES = ['api', 'admin_mode'];

/** A browser that is signed in. */
export interface Session {
  readonly row: UserSession;
  readonly user: User;
  /** Its token for requests that the server sends to its own API: nobody else learns it. */
  readonly apiToken: string;
}

/** Who sends requests in a session; anonymous without one. */
export function callerOfSession(session: Session | null): Caller {
  if (session === null) return ANONYMOUS;
  const { user, row } = session;
  const credential = { kind: 'oauth', tokenId: row.oauth_token_id, applicationId: null } as const;
  return { user, admin: user.admin === 1, scopes: SCOPES, credential, sudoBy: null };
}

/** Where a request comes from. */
export interface Origin {
  ip: string;
  userAgent: string;
}

const passwordDigest = (hash: string | null): string | null => (hash === null ? null : tokenDigest(`password:${hash}`));

/** The token for the API that belongs to the secret of a session. */
async function apiTokenOf(deps: Deps, secret: string): Promise<string> {
  return `session-${(await signer(deps))(`web-session:${secret}`).toString('base64url')}`;
}

/**
 * Begins a session.
 * @param user who has proven to be it
 * @param token what they proved it with; null for their password
 * @returns the secret of its cookie
 * @throws ApiError 401 if the user may no longer sign in, or their password or token has changed meanwhile
 */
export async function beginSession(
  deps: Deps,
  user: User,
  token: AccessToken | null,
  { ip, userAgent }: Origin,
): Promise<string> {
  const secret = randomText(40);
  const digest = tokenDigest(await apiTokenOf(deps, secret));
  const now = timestamp(deps.clock);
  await deps.db.transaction().execute(async (db) => {
    const still = await db
      .updateTable('users')
      .set({
        last_sign_in_at: user.current_sign_in_at,
        last_sign_in_ip: user.current_sign_in_ip,
        current_sign_in_at: now,
        current_sign_in_ip: ip,
      })
      .where('id', '=', user.id)
      .where('state', '=', 'active')
      .where('password_hash', user.password_hash === null ? 'is' : '=', user.password_hash)
      .executeTakeFirst();
    if (still.numUpdatedRows === 0n) throw unauthorized();
    const { id } = await db
      .insertInto('oauth_tokens')
      .values({
        user_id: user.id,
        application_id: null,
        digest,
        refresh_digest: null,
        scopes: JSON.stringify(SCOPES),
        expires_in: null,
        created_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('user_sessions')
      .values({
        user_id: user.id,
        digest: tokenDigest(secret),
        oauth_token_id: id,
        access_token_id: token?.id ?? null,
        password_digest: token === null ? passwordDigest(user.password_hash) : null,
        created_at: now,
        last_used_at: now,
        ip,
        user_agent: userAgent.toWellFormed().replaceAll('\0', '').slice(0, MAX_USER_AGENT),
      })
      .execute();
    const surplus = await db
      .selectFrom('user_sessions')
      .select('oauth_token_id')
      .where('user_id', '=', user.id)
      .orderBy('last_used_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_SESSIONS)
      .offset(MAX_SESSIONS)
      .execute();
    for (const each of surplus) await db.deleteFrom('oauth_tokens').where('id', '=', each.oauth_token_id).execute();
  });
  return secret;
}

/** The session of a cookie; null if it has ended. A session that has ended is removed. */
export async function findSession(deps: Deps, secret: string, { ip }: Pick<Origin, 'ip'>): Promise<Session | null> {
  const row = await deps.db
    .selectFrom('user_sessions')
    .selectAll()
    .where('digest', '=', tokenDigest(secret))
    .executeTakeFirst();
  if (row === undefined) return null;
  const user = await deps.db.selectFrom('users').selectAll().where('id', '=', row.user_id).executeTakeFirst();
  if (user === undefined || !(await isValid(deps, row, user))) {
    await endSession(deps, row);
    return null;
  }
  const now = deps.clock.now();
  if (Math.abs(now.getTime() - Date.parse(row.last_used_at)) >= NOTE_USE_MS)
    await deps.db
      .updateTable('user_sessions')
      .set({ last_used_at: now.toISOString(), ip })
      .where('id', '=', row.id)
      .execute();
  return { row, user, apiToken: await apiTokenOf(deps, secret) };
}

async function isValid(deps: Deps, row: UserSession, user: User): Promise<boolean> {
  const { session_expire_delay: minutes, session_expire_from_init: fromStart } = deps.settings.now;
  const from = Date.parse(fromStart ? row.created_at : row.last_used_at);
  if (deps.clock.now().getTime() >= from + minutes * 60_000) return false;
  if (row.password_digest !== null && row.password_digest !== passwordDigest(user.password_hash)) return false;
  try {
    checkUserState(user);
  } catch {
    return false;
  }
  if (row.access_token_id === null) return row.password_digest !== null;
  const token = await deps.db
    .selectFrom('access_tokens')
    .select(['revoked', 'expires_at'])
    .where('id', '=', row.access_token_id)
    .executeTakeFirst();
  const day = timestamp(deps.clock).slice(0, 10);
  return token?.revoked === 0 && (token.expires_at === null || token.expires_at > day);
}

/** Ends a session; with it goes its token for the API. */
export async function endSession({ db }: Pick<Deps, 'db'>, row: Pick<UserSession, 'oauth_token_id'>): Promise<void> {
  await db.deleteFrom('oauth_tokens').where('id', '=', row.oauth_token_id).execute();
}

/** Sessions of a user, the last used first. */
export const sessionsOf = ({ db }: Pick<Deps, 'db'>, userId: number): Promise<UserSession[]> =>
  db
    .selectFrom('user_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
