import { hash } from 'node:crypto';
import { AccessLevel } from '../core/access-levels.ts';
import { refused } from '../core/core.errors.ts';
import { SshReader } from '../core/ssh-fields.ts';
import { parseSshKey, SshKeyError, type SshPublicKey } from '../core/ssh-key.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { applicationSettings } from '../settings/application-settings.ts';
import { sshKeyLifetimeProblem, sshKeyProblem } from '../settings/settings.ssh-keys.ts';
import { ANONYMOUS, type Caller } from './caller.ts';

const NOTE_USE_MS = 10 * 60_000;
/** Refusal for a read-only deploy key. */
export const NO_KEY_PUSH = 'This deploy key does not have write access to this project.';

interface Lasting {
  expires_at: string | null;
}

/** Whether a key has expired. */
const isOver = ({ clock }: Pick<Deps, 'clock'>, { expires_at }: Lasting): boolean =>
  expires_at !== null && expires_at <= clock.now().toISOString();

/** Fingerprint as shown by `ssh-keygen -l` and `ssh`. @param blob the key in wire format */
export const fingerprintOf = (blob: Buffer): string => `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`;

/** Reads a key in wire format; undefined for invalid keys and those that the settings do not allow. */
export async function usedKeyOf(deps: Deps, blob: Buffer): Promise<SshPublicKey | undefined> {
  try {
    const key = parseSshKey(`${new SshReader(blob).text()} ${blob.toString('base64')}`);
    return sshKeyProblem(await applicationSettings(deps), key) === null ? key : undefined;
  } catch (error) {
    if (error instanceof SshKeyError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Authenticates a plain SSH key: a user's key or a deploy key.
 * @param blob the key in wire format
 * @returns undefined for unknown, expired and signing-only keys
 */
export async function callerOfKey(deps: Deps, blob: Buffer): Promise<Caller | undefined> {
  const key = await usedKeyOf(deps, blob);
  return key && ((await callerOfUserKey(deps, key.sha256)) ?? (await callerOfDeployKey(deps, key.sha256)));
}

async function callerOfUserKey(deps: Deps, fingerprint: string): Promise<Caller | undefined> {
  const { db } = deps;
  const key = await db.selectFrom('ssh_keys').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst();
  if (key === undefined || !(await isGood(deps, key))) return undefined;
  const user = await db.selectFrom('users').selectAll().where('id', '=', key.user_id).executeTakeFirst();
  return user && callerWithKey(user, key.id);
}

/** @returns the caller authenticated by an SSH key */
export const callerWithKey = (user: User, keyId: number): Caller => ({
  user,
  admin: user.admin === 1,
  scopes: null,
  credential: { kind: 'ssh_key', keyId },
  sudoBy: null,
});

async function isGood(deps: Deps, key: Lasting & { usage_type: string; created_at: string }): Promise<boolean> {
  if (key.usage_type === 'signing' || isOver(deps, key)) return false;
  return sshKeyLifetimeProblem(await applicationSettings(deps), key) === null;
}

/** Whether an SSH key of a user is still valid, for checks after a wait. */
export async function isSshKeyValid(deps: Deps, keyId: number): Promise<boolean> {
  const key = await deps.db
    .selectFrom('ssh_keys')
    .select(['usage_type', 'created_at', 'expires_at'])
    .where('id', '=', keyId)
    .executeTakeFirst();
  return key !== undefined && isGood(deps, key);
}

async function callerOfDeployKey(deps: Deps, fingerprint: string): Promise<Caller | undefined> {
  const key = await deps.db
    .selectFrom('deploy_keys')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (key === undefined || isOver(deps, key)) return undefined;
  return { ...ANONYMOUS, credential: { kind: 'deploy_key', key } };
}

/** Whether a deploy key still exists and is valid. */
export async function isDeployKeyValid(deps: Deps, keyId: number): Promise<boolean> {
  const key = await deps.db.selectFrom('deploy_keys').select('expires_at').where('id', '=', keyId).executeTakeFirst();
  return key !== undefined && !isOver(deps, key);
}

/** The use of a deploy key by a project; undefined if the project does not use it. */
export async function deployKeyUse(
  deps: Deps,
  keyId: number,
  projectId: number,
): Promise<{ pushes: boolean } | undefined> {
  return deps.snapshot.get(`deploy_key:${keyId}:${projectId}`, async () => {
    const row = await deps.db
      .selectFrom('deploy_key_projects')
      .select('can_push')
      .where('deploy_key_id', '=', keyId)
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    return row && { pushes: row.can_push === 1 };
  });
}

/** @throws ApiError 403 if the project no longer lets the key push */
export async function requireDeployKeyPush(deps: Deps, keyId: number, projectId: number): Promise<void> {
  if ((await deployKeyUse(deps, keyId, projectId))?.pushes !== true) throw refused(NO_KEY_PUSH, 403);
}

/** A deploy key has read access like a Reporter in the projects that use it. */
export const deployKeyLevel = async (deps: Deps, keyId: number, projectId: number): Promise<number> =>
  (await deployKeyUse(deps, keyId, projectId)) === undefined ? 0 : AccessLevel.reporter;

/** Records `last_used_at` of a key, at most every ten minutes, because each commit invalidates caches. */
export async function recordKeyUse({ db, clock }: Deps, { credential }: Caller): Promise<void> {
  if (credential.kind !== 'ssh_key' && credential.kind !== 'deploy_key') return;
  const [table, id] =
    credential.kind === 'ssh_key'
      ? (['ssh_keys', credential.keyId] as const)
      : (['deploy_keys', credential.key.id] as const);
  const now = clock.now();
  const row = await db.selectFrom(table).select('last_used_at').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  // A clock that ran ahead may have recorded a time in the future.
  if (row.last_used_at !== null && Math.abs(now.getTime() - Date.parse(row.last_used_at)) < NOTE_USE_MS) return;
  await db.updateTable(table).set({ last_used_at: now.toISOString() }).where('id', '=', id).execute();
}
