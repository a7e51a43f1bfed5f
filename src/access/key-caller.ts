import type { SshKey } from '../db/tables/ssh-keys.ts';
import type { User } from '../db/tables/users.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './caller.ts';

const NOTE_USE_MS = 10 * 60_000;

/** Whether a key may still be used. */
const isOver = ({ clock }: Pick<Deps, 'clock'>, { expires_at }: Pick<SshKey, 'expires_at'>): boolean =>
  expires_at !== null && expires_at <= clock.now().toISOString();

/**
 * Who a key of a user stands for.
 * @param fingerprint `SHA256:...`
 * @returns undefined for a key that nobody has, that is only for signatures, or that is past its time
 */
export async function callerOfSshKey(deps: Deps, fingerprint: string): Promise<Caller | undefined> {
  const { db } = deps;
  const key = await db.selectFrom('ssh_keys').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst();
  if (key === undefined || key.usage_type === 'signing' || isOver(deps, key)) return undefined;
  const user = await db.selectFrom('users').selectAll().where('id', '=', key.user_id).executeTakeFirst();
  return user && callerWithKey(user, key.id);
}

const callerWithKey = (user: User, keyId: number): Caller => ({
  user,
  admin: user.admin === 1,
  scopes: null,
  credential: { kind: 'ssh_key', keyId },
  sudoBy: null,
});

/** Whether a key of a user is still good, for what is done after a wait. */
export async function isSshKeyGood(deps: Deps, keyId: number): Promise<boolean> {
  const key = await deps.db
    .selectFrom('ssh_keys')
    .select(['usage_type', 'expires_at'])
    .where('id', '=', keyId)
    .executeTakeFirst();
  return key !== undefined && key.usage_type !== 'signing' && !isOver(deps, key);
}

/** Keeps `last_used_at` of a key, at most every ten minutes: a commit makes everybody read everything anew. */
export async function noteKeyUse({ db, clock }: Deps, table: 'ssh_keys' | 'deploy_keys', id: number): Promise<void> {
  const now = clock.now();
  const row = await db.selectFrom(table).select('last_used_at').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  // A clock that ran ahead may have noted a time to come.
  if (row.last_used_at !== null && Math.abs(now.getTime() - Date.parse(row.last_used_at)) < NOTE_USE_MS) return;
  await db.updateTable(table).set({ last_used_at: now.toISOString() }).where('id', '=', id).execute();
}
