import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { group, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { SshKeyError } from '../../../core/ssh-key.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { GroupSshCertificate } from '../../../db/tables/group-ssh-certificates.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { readSshKey } from '../../../settings/settings.ssh-keys.ts';

const MAX_TITLE = 256;

const invalid = (text: string) => new ApiError(422, `Validation failed: ${text}`);

/**
 * Adds a certificate authority to a group.
 * @param input `key`: its public key, one line
 * @throws ApiError 422 in the platform's words; 401, 403, 404 if the right was lost meanwhile
 */
export async function addCertificate(
  deps: Deps,
  caller: UserCaller,
  { id: groupId }: Namespace,
  input: { title: string; key: string },
): Promise<GroupSshCertificate> {
  const title = input.title.trim();
  if (title === '') throw invalid("Title can't be blank");
  if (title.length > MAX_TITLE) throw invalid(`Title is too long (maximum is ${MAX_TITLE} characters)`);
  const key = await readAuthority(deps, input.key);
  try {
    return await deps.db.transaction().execute(async (db) => {
      await revalidateGroupAbility(deps, db, caller, groupId, 'admin_group_ssh_certificates');
      const made = await db
        .insertInto('group_ssh_certificates')
        .values({
          group_id: groupId,
          title,
          key: key.line,
          fingerprint: key.sha256,
          created_at: timestamp(deps.clock),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await record(deps, db, made, 'create');
      return made;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw invalid('Fingerprint must be unique. This CA has already been configured for another namespace.');
  }
}

/** Returns the key without its comment. @throws ApiError 422 */
async function readAuthority(deps: Deps, text: string): Promise<{ line: string; sha256: string }> {
  try {
    const { line, sha256 } = readSshKey(await applicationSettings(deps), text);
    return { line: line.split(' ').slice(0, 2).join(' '), sha256 };
  } catch (error) {
    throw error instanceof SshKeyError ? invalid('Invalid key') : error;
  }
}

/** Removes a certificate authority: its certificates are no longer accepted. @throws ApiError 401, 403, 404 */
export async function removeCertificate(
  deps: Deps,
  caller: UserCaller,
  { id: groupId }: Namespace,
  certificateId: number,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await revalidateGroupAbility(deps, db, caller, groupId, 'admin_group_ssh_certificates');
    const deleted = await db
      .deleteFrom('group_ssh_certificates')
      .where('id', '=', certificateId)
      .where('group_id', '=', groupId)
      .returningAll()
      .executeTakeFirstOrThrow(() => new ApiError(404, 'SSH Certificate not found'));
    await record(deps, db, deleted, 'delete');
  });
}

const record = (deps: Deps, db: Db, made: GroupSshCertificate, action: 'create' | 'delete'): Promise<void> =>
  recordAudit(deps, db, {
    name: `${action}_ssh_certificate`,
    entity: group(made.group_id),
    target: { id: made.id, type: 'Groups::SshCertificate', details: made.title },
    message: `${action === 'create' ? 'Created' : 'Deleted'} SSH certificate with id ${made.id} and title ${made.title}`,
    more: { fingerprint: made.fingerprint },
  });
