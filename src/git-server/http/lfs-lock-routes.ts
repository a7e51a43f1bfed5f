import { Type } from 'typebox';
import { type Route, route } from '../../http/http.route.ts';
import { listLocks, lockFile, unlockFile, verifyLocks } from '../lfs/lfs.locks.ts';
import { lfsRoute, pushes, READ_SCOPES, reads, WRITE_SCOPES } from './lfs-access.ts';
import {
  LockAnswer,
  LockList,
  lockFilter,
  lockParams,
  lockRequest,
  unlockRequest,
  VerifiedLocks,
  verifyRequest,
} from './lfs-schema.ts';

/** The locking API of LFS: list, verify, lock and unlock. */
export const lfsLockRoutes: readonly Route[] = [
  route({
    ...lfsRoute('info/lfs/locks'),
    operationId: 'listLfsLocks',
    method: 'GET',
    summary: 'List the locks of files',
    access: reads,
    scopes: READ_SCOPES,
    input: lockFilter,
    success: { status: 200, schema: LockList },
    handler: ({ deps, access, input }) => listLocks(deps, access, input),
  }),
  route({
    ...lfsRoute('info/lfs/locks/verify'),
    method: 'POST',
    summary: 'List the locks of files before a push',
    description: 'Parted into those of the caller and those of others, whose files cannot be pushed.',
    access: pushes,
    scopes: WRITE_SCOPES,
    input: verifyRequest,
    success: { status: 200, schema: VerifiedLocks },
    handler: ({ deps, access, input }) => verifyLocks(deps, access, input),
  }),
  route({
    ...lfsRoute('info/lfs/locks'),
    method: 'POST',
    summary: 'Lock a file',
    description: 'Others can then push no change of the file. A file that is locked is 409, with its `lock`.',
    access: pushes,
    scopes: WRITE_SCOPES,
    input: lockRequest,
    success: { status: 201, schema: LockAnswer },
    errors: [409, 422],
    handler: async ({ deps, access, input }) => ({ lock: await lockFile(deps, access, input.path, input.ref?.name) }),
  }),
  route({
    ...lfsRoute('info/lfs/locks/:lock_id/unlock'),
    method: 'POST',
    summary: 'Unlock a file',
    access: pushes,
    scopes: WRITE_SCOPES,
    params: Type.Object(lockParams),
    input: unlockRequest,
    success: { status: 200, schema: LockAnswer },
    handler: async ({ deps, access, params, input }) => ({
      lock: await unlockFile(deps, access, params.lock_id, input.force === true),
    }),
  }),
];
