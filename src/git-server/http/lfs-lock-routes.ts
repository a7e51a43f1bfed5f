import { Type } from 'typebox';
import { type Route, route } from '../../http/http.route.ts';
import { listLocks, lockFile, unlockFile, verifyLocks } from '../lfs/lfs.locks.ts';
import { lfsRoute, pushes, READ_SCOPES, reads, WRITE_SCOPES } from './lfs-access.ts';
import {
  LockList,
  LockResponse,
  lockFilter,
  lockParams,
  lockRequest,
  unlockRequest,
  VerifiedLocks,
  verifyRequest,
} from './lfs-schema.ts';

/** The LFS locking API: list, verify, lock and unlock. */
export const lfsLockRoutes: readonly Route[] = [
  route({
    ...lfsRoute('info/lfs/locks'),
    operationId: 'listLfsLocks',
    method: 'GET',
    summary: 'List file locks',
    access: reads,
    scopes: READ_SCOPES,
    input: lockFilter,
    success: { status: 200, schema: LockList },
    handler: ({ deps, access, input }) => listLocks(deps, access, input),
  }),
  route({
    ...lfsRoute('info/lfs/locks/verify'),
    method: 'POST',
    summary: 'List file locks before a push',
    description:
      'Lists the locks of the caller and of other users separately. Files locked by other users cannot be pushed.',
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
    description:
      'Prevents other users from pushing changes to the file. If the file is already locked, returns 409 with the existing `lock`.',
    access: pushes,
    scopes: WRITE_SCOPES,
    input: lockRequest,
    success: { status: 201, schema: LockResponse },
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
    success: { status: 200, schema: LockResponse },
    handler: async ({ deps, access, params, input }) => ({
      lock: await unlockFile(deps, access, params.lock_id, input.force === true),
    }),
  }),
];
