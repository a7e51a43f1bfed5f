import { requirePlan } from '../../../access/access.plan.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { recordRemoteMirror, recordRemoteMirrorChanges } from '../../../audit/mirrors.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { badRequest, invalidModel, notFound, recordNotFound } from '../../../core/core.errors.ts';
import { makeSshKeyPair } from '../../../core/ssh-key-pair.ts';
import { sealStored } from '../../../core/stored-secret.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { AuthMethod, RemoteMirror } from '../../../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../../../deps.ts';
import { sameRepository } from '../../../mirroring/mirroring.address.ts';
import { pushNow } from '../../../mirroring/push/push-mirror.schedule.ts';
import { mirrorUrlOf } from '../../../mirroring/stored-address.ts';
import { lockProject } from '../../spaces/index.ts';
import type { NewRemoteMirror, RemoteMirrorUpdate } from './remote-mirrors.inputs.ts';
import { refuseBlocked, refuseInvalid, storedAddress } from './remote-mirrors.rules.ts';

/** Maximum number of push mirrors per project: each push updates all of them. */
const MAX_MIRRORS = 20;

/** Returns a push mirror of a project. @throws ApiError 404 */
export async function findRemoteMirror(db: Db, project: Project, id: number): Promise<RemoteMirror> {
  return db
    .selectFrom('remote_mirrors')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow(recordNotFound);
}

interface Scope {
  caller: UserCaller;
  project: Project;
}

/** Creates a push mirror. @throws ApiError 400 with errors by field, 401, 403, 404 */
export async function createRemoteMirror(deps: Deps, scope: Scope, input: NewRemoteMirror): Promise<RemoteMirror> {
  const { caller, project } = scope;
  if (input.mirror_branch_regex) await requirePlan(deps, 'premium');
  await refuseBlocked(deps, input.url);
  const url = await storedAddress(null, input.url);
  const method = input.auth_method ?? 'password';
  const values = {
    url: url!,
    enabled: bit(input.enabled ?? false),
    only_protected_branches: bit(input.only_protected_branches ?? false),
    keep_divergent_refs: bit(input.keep_divergent_refs ?? false),
    mirror_branch_regex: input.mirror_branch_regex || null,
    auth_method: method,
  };
  refuseInvalid(values, input);
  return deps.db.transaction().execute(async (db) => {
    const { project: now } = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_remote_mirror');
    await lockProject(db, now.id);
    const { count } = await db
      .selectFrom('remote_mirrors')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('project_id', '=', now.id)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_MIRRORS)
      throw invalidModel({ base: [`Maximum number of push mirrors (${MAX_MIRRORS}) exceeded`] });
    const at = timestamp(deps.clock);
    const row = await db
      .insertInto('remote_mirrors')
      .values({
        ...values,
        url: sealStored(deps.secrets, values.url, 'remote_mirrors.url'),
        ...keysOf(deps, method, now),
        project_id: now.id,
        host_keys: null,
        last_error: null,
        last_update_started_at: null,
        last_update_at: null,
        last_successful_update_at: null,
        created_at: at,
        updated_at: at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordRemoteMirror(deps, db, 'created', row);
    if (row.enabled === 1) await pushNow(deps, db, row);
    return row;
  });
}

function keysOf(
  deps: Deps,
  method: AuthMethod,
  { full_path }: Project,
): Pick<RemoteMirror, 'private_key' | 'public_key'> {
  if (method === 'password') return { private_key: null, public_key: null };
  const { privateKey, publicKey } = makeSshKeyPair(`${full_path}@${new URL(deps.externalUrl()).hostname}`);
  return {
    private_key: sealStored(deps.secrets, privateKey, 'remote_mirrors.private_key'),
    public_key: publicKey,
  };
}

/** Updates a push mirror. @throws ApiError 400 with errors by field, 401, 403, 404 */
export async function updateRemoteMirror(
  deps: Deps,
  { caller, project }: Scope,
  id: number,
  input: RemoteMirrorUpdate,
): Promise<RemoteMirror> {
  if (input.mirror_branch_regex) await requirePlan(deps, 'premium');
  if (input.url !== undefined) await refuseBlocked(deps, input.url);
  return deps.db.transaction().execute(async (db) => {
    const { project: now } = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_remote_mirror');
    await lockProject(db, now.id);
    const before = await findRemoteMirror(db, now, id);
    const old = mirrorUrlOf(deps, before);
    const url = await storedAddress(old, input.url);
    if (url === null) throw invalidModel({ url: ["can't be blank"] });
    const flag = (value: boolean | undefined, old: 0 | 1) => (value === undefined ? old : bit(value));
    const values = {
      url,
      enabled: flag(input.enabled, before.enabled),
      only_protected_branches: flag(input.only_protected_branches, before.only_protected_branches),
      keep_divergent_refs: flag(input.keep_divergent_refs, before.keep_divergent_refs),
      mirror_branch_regex:
        input.mirror_branch_regex === undefined
          ? input.only_protected_branches
            ? null
            : before.mirror_branch_regex
          : input.mirror_branch_regex || null,
      auth_method: input.auth_method ?? before.auth_method,
    };
    refuseInvalid(values, input);
    // The key was added to a single remote repository.
    const keepsKeys = values.auth_method === before.auth_method && old !== null && sameRepository(old, url);
    const row = await db
      .updateTable('remote_mirrors')
      .set({
        ...values,
        url: url === old ? before.url : sealStored(deps.secrets, url, 'remote_mirrors.url'),
        ...(keepsKeys ? {} : keysOf(deps, values.auth_method, now)),
        ...(input.url === undefined ? {} : { host_keys: null }),
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    await recordRemoteMirrorChanges(deps, db, before, row);
    if (row.enabled === 1) await pushNow(deps, db, row);
    return row;
  });
}

/** Deletes a push mirror. @throws ApiError 401, 403, 404 */
export async function removeRemoteMirror(deps: Deps, { caller, project }: Scope, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { project: now } = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_remote_mirror');
    await lockProject(db, now.id);
    const row = await findRemoteMirror(db, now, id);
    await db.deleteFrom('remote_mirrors').where('id', '=', id).execute();
    await recordRemoteMirror(deps, db, 'deleted', row);
  });
}

/** Starts an update. @throws ApiError 400 if the mirror is disabled, 401, 403, 404 */
export async function syncRemoteMirror(deps: Deps, { caller, project }: Scope, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { project: now } = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_remote_mirror');
    const mirror = await findRemoteMirror(db, now, id);
    if (mirror.enabled === 0) throw badRequest('Cannot proceed with the push mirroring. The mirror is disabled.');
    await pushNow(deps, db, mirror);
  });
}

/** Returns the public key for the remote server. @throws ApiError 404 */
export async function publicKeyOf(deps: Deps, project: Project, id: number): Promise<string> {
  const { auth_method, public_key } = await findRemoteMirror(deps.db, project, id);
  if (auth_method !== 'ssh_public_key' || public_key === null) throw notFound('Public key');
  return public_key;
}
