import { today } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import { line, lines } from '../mails/notification-mails.block.ts';
import { notifyUsers } from '../mails/personal-notification.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
/** Notice period of expiring tokens and keys, in days. */
const AHEAD_DAYS = 7;

/** A token or key that is about to expire. */
interface Ending {
  id: number;
  user_id: number;
  user_name: string;
  name: string;
  ends: string;
}
/** The last row of the previous batch. */
type After = Pick<Ending, 'id' | 'ends'>;

/** Notifies owners of personal tokens and SSH keys that expire within a week, once each. */
export async function notifyExpiringTokens(deps: Deps, signal: AbortSignal): Promise<void> {
  const day = today(deps.clock);
  const until = new Date(deps.clock.now().getTime() + AHEAD_DAYS * DAY_MS).toISOString().slice(0, 10);
  for (let after: After | undefined = { id: 0, ends: day }; after !== undefined && !signal.aborted; ) {
    after = await tellEach(deps, 'token', await endingTokens(deps, { day, until }, after), signal);
  }
  for (let after: After | undefined = { id: 0, ends: day }; after !== undefined && !signal.aborted; ) {
    after = await tellEach(deps, 'key', await endingKeys(deps, until, after), signal);
  }
}

/** @returns the last one if more may follow */
async function tellEach(
  deps: Deps,
  kind: 'token' | 'key',
  endings: readonly Ending[],
  signal: AbortSignal,
): Promise<Ending | undefined> {
  for (const ending of endings) if (!signal.aborted) await tell(deps, kind, ending);
  return endings.length < BATCH ? undefined : endings.at(-1);
}

async function endingTokens(
  { db }: Deps,
  { day, until }: { day: string; until: string },
  after: After,
): Promise<Ending[]> {
  const rows = await db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select(['access_tokens.id', 'user_id', 'users.name as user_name', 'access_tokens.name', 'expires_at as ends'])
    // `coalesce` keeps SQLite from using the index by resource, which would read most tokens.
    .where((eb) => eb.fn.coalesce('resource_type', eb.val('')), '=', '')
    .where('impersonation', '=', 0)
    .where('revoked', '=', 0)
    .where('expires_at', '>', day)
    .where('expires_at', '<=', until)
    .where((eb) => eb(eb.refTuple('expires_at', 'access_tokens.id'), '>', eb.tuple(after.ends, after.id)))
    .orderBy('expires_at')
    .orderBy('access_tokens.id')
    .limit(BATCH)
    .execute();
  return rows.map((row) => ({ ...row, ends: row.ends! }));
}

async function endingKeys({ db, clock }: Deps, until: string, after: After): Promise<Ending[]> {
  const rows = await db
    .selectFrom('ssh_keys')
    .innerJoin('users', 'users.id', 'ssh_keys.user_id')
    .select(['ssh_keys.id', 'user_id', 'users.name as user_name', 'title as name', 'expires_at as ends'])
    .where('expires_at', '>', clock.now().toISOString())
    .where('expires_at', '<=', `${until}T23:59:59.999Z`)
    .where((eb) => eb(eb.refTuple('expires_at', 'ssh_keys.id'), '>', eb.tuple(after.ends, after.id)))
    .orderBy('expires_at')
    .orderBy('ssh_keys.id')
    .limit(BATCH)
    .execute();
  return rows.map((row) => ({ ...row, ends: row.ends! }));
}

async function tell(deps: Deps, kind: 'token' | 'key', { id, user_id, user_name, name, ends }: Ending): Promise<void> {
  const day = ends.slice(0, 10);
  const what = kind === 'token' ? 'personal access token' : 'SSH key';
  const where = kind === 'token' ? 'personal_access_tokens' : 'user/keys';
  await notifyUsers(deps, {
    occasion: `${kind}:${id}:${day}`,
    userIds: [user_id],
    draft: {
      subject: `Your ${what} ${name} is about to expire`,
      url: `${deps.externalUrl()}/api/v4/${where}`,
      actor: null,
    },
    sentences: [
      line(`Hello ${user_name},`),
      lines([`your ${what} ${name} expires on ${day}.`, 'Create a new one before that day.']),
    ],
  });
}
