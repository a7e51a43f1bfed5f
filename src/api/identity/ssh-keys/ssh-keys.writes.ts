import { recordAudit, user } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { SshKeyError, type SshPublicKey } from '../../../core/ssh-key.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { SshKey } from '../../../db/tables/ssh-keys.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { readSshKey, sshKeyLifetimeProblem } from '../../../settings/settings.ssh-keys.ts';
import type { ApplicationSettings } from '../../../settings/settings-table.ts';

export interface NewSshKey {
  userId: number;
  title: string;
  key: string;
  expiresAt: string | null;
  usageType: SshKey['usage_type'];
}

function parse(settings: ApplicationSettings, text: string): SshPublicKey {
  try {
    return readSshKey(settings, text);
  } catch (error) {
    if (error instanceof SshKeyError) throw invalidModel({ key: [error.message] });
    throw error;
  }
}

const taken = () => invalidModel({ fingerprint_sha256: ['has already been taken'] });

/**
 * Adds an SSH key to a user, for authentication or signing. A key belongs to one user or deploy key only.
 * @throws ApiError 400
 */
export async function addSshKey(deps: Deps, input: NewSshKey, actorId: number): Promise<SshKey> {
  const settings = await applicationSettings(deps);
  const { line, sha256, md5 } = parse(settings, input.key);
  const now = timestamp(deps.clock);
  if (input.expiresAt !== null && input.expiresAt <= now) throw invalidModel({ key: ['has expired'] });
  const problem = sshKeyLifetimeProblem(settings, { created_at: now, expires_at: input.expiresAt });
  if (problem !== null) throw invalidModel({ key: [problem] });
  try {
    return await deps.db.transaction().execute(async (db) => {
      const deployed = await db
        .selectFrom('deploy_keys')
        .select('id')
        .where('fingerprint', '=', sha256)
        .executeTakeFirst();
      if (deployed !== undefined) throw taken();
      const created = await db
        .insertInto('ssh_keys')
        .values({
          user_id: input.userId,
          title: input.title,
          key: line,
          fingerprint: sha256,
          md5_fingerprint: md5,
          usage_type: input.usageType,
          created_at: now,
          expires_at: input.expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await deps.events.record(db, 'key.created', eventOf(created), { actorId });
      await recordKey(deps, db, 'add', created);
      return created;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw taken();
    throw error;
  }
}

const recordKey = (deps: Deps, db: Db, happened: 'add' | 'remove', { id, user_id, title }: SshKey): Promise<void> =>
  recordAudit(deps, db, {
    name: `${happened}_ssh_key`,
    entity: user(user_id),
    target: { id, type: 'Key', details: title },
    message: happened === 'add' ? 'Added SSH key' : 'Removed SSH key',
  });

const eventOf = ({ id, user_id, key }: SshKey) => ({ key_id: id, user_id, key });

/** Finds an SSH key of a user. @throws ApiError 404 */
export async function sshKeyOf(db: Db, userId: number, id: number): Promise<SshKey> {
  return db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => notFound('Key'));
}

/** Removes a key and closes its connections immediately. */
export async function removeSshKey(deps: Deps, key: SshKey, actorId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('ssh_keys').where('id', '=', key.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordKey(deps, db, 'remove', key);
    await deps.events.record(db, 'key.destroyed', eventOf(key), { actorId });
  });
}

/** Parses a fingerprint: `sha256` as stored, `md5` as pairs of digits; undefined if it is neither. */
export function readFingerprint(text: string): { kind: 'sha256' | 'md5'; value: string } | undefined {
  const sha256 = /^SHA256:([A-Za-z0-9+/]{43})=?$/.exec(text);
  if (sha256 !== null) return { kind: 'sha256', value: `SHA256:${sha256[1]}` };
  const md5 = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i.exec(text);
  return md5 === null ? undefined : { kind: 'md5', value: md5[1]!.toLowerCase() };
}
