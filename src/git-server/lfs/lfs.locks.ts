import { revalidateProjectAbility } from '../../access/caller-in-project.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { timestamp } from '../../core/clock.ts';
import { ApiError, conflict, refused } from '../../core/core.errors.ts';
import { isUniqueViolation } from '../../db/db.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import type { ProjectAccess } from '../project-access.ts';
import { requirePush } from './lfs.access.ts';

const MAX_LOCKS = 100;
const ID = /^\d{1,15}$/;

interface LockRow {
  id: number;
  path: string;
  locked_at: string;
  user_id: number;
  name: string;
}

/** A lock in the format of the locking API. */
export interface Lock {
  id: string;
  path: string;
  locked_at: string;
  owner: { name: string };
}

/** Filter for lists of locks. */
export interface LockFilter {
  path?: string;
  id?: string;
  /** End of the previous page. */
  cursor?: string;
  limit?: number;
}

interface NextPage {
  next_cursor?: string;
}

const present = ({ id, path, locked_at, name }: LockRow): Lock => ({
  id: String(id),
  path,
  locked_at,
  owner: { name },
});

const locksOf = (db: Db, projectId: number) =>
  db
    .selectFrom('lfs_locks')
    .innerJoin('users', 'users.id', 'lfs_locks.user_id')
    .select(['lfs_locks.id', 'lfs_locks.path', 'lfs_locks.locked_at', 'lfs_locks.user_id', 'users.name'])
    .where('project_id', '=', projectId)
    .orderBy('lfs_locks.id');

/** A page of locks after a cursor, which is the last id of the previous page. */
async function page(
  deps: Deps,
  projectId: number,
  { path, id = '', cursor = '', limit }: LockFilter,
): Promise<NextPage & { rows: LockRow[] }> {
  const pageSize = Math.min(Math.max(limit || MAX_LOCKS, 1), MAX_LOCKS);
  if (id !== '' && !ID.test(id)) return { rows: [] };
  let query = locksOf(deps.db, projectId).limit(pageSize + 1);
  if (path !== undefined && path !== '') query = query.where('lfs_locks.path', '=', path);
  if (id !== '') query = query.where('lfs_locks.id', '=', Number(id));
  if (ID.test(cursor)) query = query.where('lfs_locks.id', '>', Number(cursor));
  const lockRows = await query.execute();
  const rows = lockRows.slice(0, pageSize);
  return lockRows.length > pageSize ? { rows, next_cursor: String(rows.at(-1)!.id) } : { rows };
}

/** Lists the locks of a project in the order of their creation. */
export async function listLocks(
  deps: Deps,
  { project }: ProjectAccess,
  filter: LockFilter,
): Promise<NextPage & { locks: Lock[] }> {
  const { rows, ...next } = await page(deps, project.id, filter);
  return { locks: rows.map(present), ...next };
}

/** Lists the locks of a project, split into those of the caller and those of others. */
export async function verifyLocks(
  deps: Deps,
  { project, caller }: ProjectAccess,
  filter: LockFilter,
): Promise<NextPage & { ours: Lock[]; theirs: Lock[] }> {
  const { rows, ...next } = await page(deps, project.id, filter);
  const isMine = ({ user_id }: LockRow) => user_id === caller.user?.id;
  const theirs = rows.filter((row) => !isMine(row));
  return { ours: rows.filter(isMine).map(present), theirs: theirs.map(present), ...next };
}

/** Checks the right to push again in the transaction. @returns the current access */
async function requireStillPush(deps: Deps, db: Db, access: ProjectAccess): Promise<ProjectAccess> {
  const scope = await revalidateProjectAbility(deps, db, access.caller, access.project.id, 'push_code');
  const now = { ...access, ...scope };
  requirePush(now);
  return now;
}

/**
 * Locks a file for a caller who may push.
 * @param ref name of the client's current ref
 * @throws ApiError 409 with the existing lock if the file is locked, 422
 */
export async function lockFile(
  deps: Deps,
  access: ProjectAccess,
  path: string,
  ref: string | undefined,
): Promise<Lock> {
  const { project, caller } = access;
  if (path.length > 4_096) throw new ApiError(422, 'path is too long (maximum is 4096 characters)');
  try {
    return await deps.db.transaction().execute(async (db) => {
      await requireStillPush(deps, db, access);
      const { id } = await db
        .insertInto('lfs_locks')
        .values({
          project_id: project.id,
          user_id: caller.user!.id,
          path,
          ref: ref?.slice(0, 1_024) ?? null,
          locked_at: timestamp(deps.clock),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return present(await locksOf(db, project.id).where('lfs_locks.id', '=', id).executeTakeFirstOrThrow());
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const row = await locksOf(deps.db, project.id).where('lfs_locks.path', '=', path).executeTakeFirst();
    if (row === undefined) throw conflict('already locked');
    throw new ApiError(409, 'already locked', { lock: present(row) });
  }
}

/**
 * Removes a lock of the caller, or with `force` a lock of another user if the caller is a maintainer.
 * @returns the removed lock
 * @throws ApiError 403, 404
 */
export async function unlockFile(deps: Deps, access: ProjectAccess, id: string, force: boolean): Promise<Lock> {
  return deps.db.transaction().execute(async (db) => {
    const { permissions, project, caller } = await requireStillPush(deps, db, access);
    const row = ID.test(id)
      ? await locksOf(db, project.id).where('lfs_locks.id', '=', Number(id)).executeTakeFirst()
      : undefined;
    if (row === undefined) throw new ApiError(404, 'No such lock');
    if (row.user_id !== caller.user?.id) {
      if (!force) throw refused(`'${row.path}' is locked by ${row.name}`, 403);
      if (permissions.level < AccessLevel.maintainer) {
        throw refused('You must have maintainer access to force delete a lock', 403);
      }
    }
    const { numDeletedRows } = await db.deleteFrom('lfs_locks').where('id', '=', row.id).executeTakeFirst();
    if (numDeletedRows === 0n) throw new ApiError(404, 'No such lock');
    return present(row);
  });
}
