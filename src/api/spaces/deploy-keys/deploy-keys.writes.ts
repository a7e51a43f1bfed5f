import type { UserCaller } from '../../../access/caller.ts';
import { type AuditEntity, INSTANCE, project, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { forbidden, invalidModel, notFound } from '../../../core/core.errors.ts';
import { SshKeyError, type SshPublicKey } from '../../../core/ssh-key.ts';
import { bit } from '../../../db/columns.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { DeployKey } from '../../../db/tables/deploy-keys.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { readSshKey } from '../../../settings/settings.ssh-keys.ts';
import {
  accessibleKeys,
  allKeys,
  isFingerprintTaken,
  type KeyInProject,
  keysOfProject,
} from './deploy-keys.queries.ts';

export interface NewKey {
  key: string;
  title: string;
  expiresAt: string | null;
}

/** @param prefix prefix of the fields in the platform's errors @throws ApiError 400 */
async function parse(deps: Deps, text: string, prefix: string): Promise<SshPublicKey> {
  try {
    return readSshKey(await applicationSettings(deps), text);
  } catch (error) {
    throw error instanceof SshKeyError ? invalidModel({ [`${prefix}key`]: [error.message] }) : error;
  }
}

const taken = (prefix: string) => invalidModel({ [`${prefix}fingerprint_sha256`]: ['has already been taken'] });

async function insertKey(
  deps: Deps,
  db: Db,
  input: NewKey,
  parsed: SshPublicKey,
  owner: { userId: number; public: boolean },
  prefix: string,
): Promise<DeployKey> {
  if (input.expiresAt !== null && input.expiresAt <= timestamp(deps.clock)) {
    throw invalidModel({ [`${prefix}key`]: ['has expired'] });
  }
  if (await isFingerprintTaken(db, parsed.sha256)) throw taken(prefix);
  return db
    .insertInto('deploy_keys')
    .values({
      title: input.title,
      key: parsed.line,
      fingerprint: parsed.sha256,
      md5_fingerprint: parsed.md5,
      public: bit(owner.public),
      user_id: owner.userId,
      created_at: timestamp(deps.clock),
      expires_at: input.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Creates a public deploy key. @throws ApiError 400 */
export async function createPublicKey(deps: Deps, caller: UserCaller, input: NewKey): Promise<DeployKey> {
  const parsed = await parse(deps, input.key, '');
  const owner = { userId: caller.user.id, public: true };
  try {
    return await deps.db.transaction().execute(async (db) => {
      const key = await insertKey(deps, db, input, parsed, owner, '');
      await recordKey(deps, db, 'added', key, INSTANCE);
      return key;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? taken('') : error;
  }
}

/**
 * Adds a deploy key to a project: returns it if the project already has it, enables it if the caller may use it
 * elsewhere, or creates it.
 * @throws ApiError 400
 */
export async function addKey(
  deps: Deps,
  caller: UserCaller,
  projectId: number,
  input: NewKey & { canPush: boolean },
): Promise<KeyInProject> {
  const prefix = 'deploy_key.';
  const parsed = await parse(deps, input.key, prefix);
  try {
    return await deps.db.transaction().execute(async (db) => {
      const here = await keysOfProject(db, projectId).where('fingerprint', '=', parsed.sha256).executeTakeFirst();
      if (here !== undefined) return here;
      const usable = await accessibleKeys(db, caller.user.id, today(deps.clock))
        .where('fingerprint', '=', parsed.sha256)
        .executeTakeFirst();
      const owner = { userId: caller.user.id, public: false };
      const key = usable ?? (await insertKey(deps, db, input, parsed, owner, prefix));
      await attach(deps, db, key, projectId, input.canPush);
      return { ...key, can_push: bit(input.canPush) };
    });
  } catch (error) {
    throw isUniqueViolation(error) ? taken(prefix) : error;
  }
}

async function attach(deps: Deps, db: Db, key: DeployKey, projectId: number, canPush: boolean): Promise<void> {
  const attached = await db
    .insertInto('deploy_key_projects')
    .values({
      deploy_key_id: key.id,
      project_id: projectId,
      can_push: bit(canPush),
      created_at: timestamp(deps.clock),
    })
    .onConflict((conflict) => conflict.columns(['deploy_key_id', 'project_id']).doNothing())
    .returning('project_id')
    .executeTakeFirst();
  if (attached !== undefined) await recordKey(deps, db, 'added', key, project(projectId), { can_push: canPush });
}

const recordKey = (
  deps: Deps,
  db: Db,
  action: 'added' | 'updated' | 'removed',
  { id, title }: DeployKey,
  entity: AuditEntity,
  more: Record<string, boolean> = {},
): Promise<void> => {
  const message = `${{ added: 'Added', updated: 'Updated', removed: 'Removed' }[action]} deploy key`;
  const target = { id, type: 'DeployKey', details: title };
  return recordAudit(deps, db, { name: `deploy_key_${action}`, entity, target, message, more });
};

/** Returns a deploy key of the project. @throws ApiError 404 */
export async function findKey(db: Db, projectId: number, keyId: number): Promise<KeyInProject> {
  const key = await keysOfProject(db, projectId).where('deploy_keys.id', '=', keyId).executeTakeFirst();
  if (key === undefined) throw notFound('Deploy Key');
  return key;
}

/** Enables a key of another project, or a public key, read-only. @throws ApiError 404 */
export async function enableKey(deps: Deps, caller: UserCaller, projectId: number, keyId: number): Promise<DeployKey> {
  return deps.db.transaction().execute(async (db) => {
    const usable = caller.admin ? allKeys(db) : accessibleKeys(db, caller.user.id, today(deps.clock));
    const key = await usable.where('id', '=', keyId).executeTakeFirstOrThrow(() => notFound('Deploy Key'));
    await attach(deps, db, key, projectId, false);
    return key;
  });
}

/**
 * Updates title and write access of a key. Only administrators may change the title of a public key.
 * @throws ApiError 403 or 404
 */
export async function updateKey(
  deps: Deps,
  caller: UserCaller,
  projectId: number,
  keyId: number,
  change: { title?: string | undefined; canPush?: boolean | undefined },
): Promise<KeyInProject> {
  return deps.db.transaction().execute(async (db) => {
    const key = await findKey(db, projectId, keyId);
    const { title, canPush } = change;
    if (title !== undefined && title !== key.title) {
      if (key.public === 1 && !caller.admin) throw forbidden();
      await db.updateTable('deploy_keys').set({ title }).where('id', '=', keyId).execute();
    }
    if (canPush !== undefined) {
      await db
        .updateTable('deploy_key_projects')
        .set({ can_push: bit(canPush) })
        .where('deploy_key_id', '=', keyId)
        .where('project_id', '=', projectId)
        .execute();
    }
    const changed = await findKey(db, projectId, keyId);
    if (changed.title !== key.title || changed.can_push !== key.can_push) {
      await recordKey(deps, db, 'updated', changed, project(projectId), { can_push: changed.can_push === 1 });
    }
    return changed;
  });
}

/**
 * Removes a key from the project and from its protected branches and tags; a private key without other projects is
 * deleted.
 */
export async function removeKey(deps: Deps, projectId: number, keyId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const key = await findKey(db, projectId, keyId);
    await db
      .deleteFrom('deploy_key_projects')
      .where('deploy_key_id', '=', keyId)
      .where('project_id', '=', projectId)
      .execute();
    await recordKey(deps, db, 'removed', key, project(projectId));
    const refs = db.selectFrom('protected_refs').select('id').where('project_id', '=', projectId);
    await db
      .deleteFrom('protected_ref_levels')
      .where('deploy_key_id', '=', keyId)
      .where('protected_ref_id', 'in', refs)
      .execute();
    const used = await db
      .selectFrom('deploy_key_projects')
      .select('project_id')
      .where('deploy_key_id', '=', keyId)
      .limit(1)
      .executeTakeFirst();
    if (used === undefined && key.public === 0) await db.deleteFrom('deploy_keys').where('id', '=', keyId).execute();
  });
}
