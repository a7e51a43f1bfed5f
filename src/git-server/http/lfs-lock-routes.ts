import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessLevel } from '../../core/access-levels.ts';
import { timestamp } from '../../core/clock.ts';
import { ApiError, refused } from '../../core/errors.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import type { Deps } from '../../deps.ts';
import type { ProjectAccess } from '../access.ts';
import { requirePush, sendLfs } from './lfs-answers.ts';

const MAX_LOCKS = 100;

interface LockRow {
  id: number;
  path: string;
  locked_at: string;
  user_id: number;
  name: string;
}

const present = (row: LockRow) => ({
  id: String(row.id),
  path: row.path,
  locked_at: row.locked_at,
  owner: { name: row.name },
});

const locksOf = (deps: Deps, projectId: number) =>
  deps.db
    .selectFrom('lfs_locks')
    .innerJoin('users', 'users.id', 'lfs_locks.user_id')
    .select(['lfs_locks.id', 'lfs_locks.path', 'lfs_locks.locked_at', 'lfs_locks.user_id', 'users.name'])
    .where('project_id', '=', projectId)
    .orderBy('lfs_locks.id');

/** A page of locks behind a cursor (the last id of the page before). */
async function page(deps: Deps, projectId: number, values: Record<string, unknown>) {
  const limit = Math.min(Math.max(Number(values.limit) || MAX_LOCKS, 1), MAX_LOCKS);
  let query = locksOf(deps, projectId).limit(limit + 1);
  if (typeof values.path === 'string') query = query.where('lfs_locks.path', '=', values.path);
  if (/^\d{1,15}$/.test(String(values.id ?? ''))) query = query.where('lfs_locks.id', '=', Number(values.id));
  if (/^\d{1,15}$/.test(String(values.cursor ?? ''))) query = query.where('lfs_locks.id', '>', Number(values.cursor));
  const rows = await query.execute();
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? { next_cursor: String(shown.at(-1)!.id) } : {} };
}

async function lock(deps: Deps, request: FastifyRequest, reply: FastifyReply, access: ProjectAccess) {
  const { path, ref } = (request.body ?? {}) as { path?: unknown; ref?: { name?: unknown } };
  if (typeof path !== 'string' || path === '' || path.length > 4_096) throw new ApiError(422, 'path is missing');
  try {
    const { id } = await deps.db
      .insertInto('lfs_locks')
      .values({
        project_id: access.project.id,
        user_id: access.caller.user!.id,
        path,
        ref: typeof ref?.name === 'string' ? ref.name.slice(0, 1_024) : null,
        locked_at: timestamp(deps.clock),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const row = await locksOf(deps, access.project.id).where('lfs_locks.id', '=', id).executeTakeFirstOrThrow();
    return sendLfs(reply, 201, { lock: present(row) });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const row = await locksOf(deps, access.project.id).where('lfs_locks.path', '=', path).executeTakeFirst();
    return sendLfs(reply, 409, { message: 'already locked', ...(row === undefined ? {} : { lock: present(row) }) });
  }
}

async function unlock(deps: Deps, request: FastifyRequest, reply: FastifyReply, access: ProjectAccess) {
  const id = Number((request.params as { lock: string }).lock);
  const force = (request.body as { force?: unknown } | undefined)?.force === true;
  const row = Number.isSafeInteger(id)
    ? await locksOf(deps, access.project.id).where('lfs_locks.id', '=', id).executeTakeFirst()
    : undefined;
  if (row === undefined) throw new ApiError(404, 'No such lock');
  if (row.user_id !== access.caller.user!.id) {
    if (!force) throw refused(`'${row.path}' is locked by ${row.name}`, 403);
    if (access.permissions.level < AccessLevel.maintainer) {
      throw refused('You must have maintainer access to force delete a lock', 403);
    }
  }
  await deps.db.deleteFrom('lfs_locks').where('id', '=', row.id).execute();
  return sendLfs(reply, 200, { lock: present(row) });
}

/** The LFS locking API: list, verify, lock and unlock. */
export function registerLockRoutes(
  app: FastifyInstance,
  deps: Deps,
  prefix: string,
  admit: (wants: 'read' | 'write') => (request: FastifyRequest) => Promise<void>,
): void {
  app.get(`${prefix}/info/lfs/locks`, { onRequest: admit('read') }, async (request, reply) => {
    const { rows, next } = await page(deps, request.lfs!.project.id, request.query as Record<string, unknown>);
    return sendLfs(reply, 200, { locks: rows.map(present), ...next });
  });
  app.post(`${prefix}/info/lfs/locks/verify`, { onRequest: admit('write') }, async (request, reply) => {
    requirePush(request.lfs!);
    const { rows, next } = await page(deps, request.lfs!.project.id, (request.body ?? {}) as Record<string, unknown>);
    const mine = (row: LockRow) => row.user_id === request.lfs!.caller.user!.id;
    return sendLfs(reply, 200, {
      ours: rows.filter(mine).map(present),
      theirs: rows.filter((row) => !mine(row)).map(present),
      ...next,
    });
  });
  app.post(`${prefix}/info/lfs/locks`, { onRequest: admit('write') }, async (request, reply) => {
    requirePush(request.lfs!);
    return lock(deps, request, reply, request.lfs!);
  });
  app.post(`${prefix}/info/lfs/locks/:lock/unlock`, { onRequest: admit('write') }, async (request, reply) => {
    requirePush(request.lfs!);
    return unlock(deps, request, reply, request.lfs!);
  });
}
