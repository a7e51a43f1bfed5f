import { refused } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { changedPaths } from '../git/diff/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { pathsOfPush } from '../git/transport/index.ts';

type LockedProject = Pick<Project, 'id' | 'settings'>;

const MAX_LOCKS = 100_000;
const BATCH = 500;

/** Whether Git LFS is enabled for the project. */
export const lfsEnabled = ({ settings }: Pick<Project, 'settings'>): boolean =>
  parseJson<{ lfs_enabled?: boolean }>(settings).lfs_enabled !== false;

const locksOfOthers = ({ db }: Deps, { id }: LockedProject, userId: number | null) => locks(db, id, userId);

const locks = (db: Db, projectId: number, except: number | null) =>
  db
    .selectFrom('lfs_locks')
    .innerJoin('users', 'users.id', 'lfs_locks.user_id')
    .select(['lfs_locks.path', 'users.name'])
    .where('lfs_locks.project_id', '=', projectId)
    .$if(except !== null, (all) => all.where('lfs_locks.user_id', '!=', except!))
    .orderBy('lfs_locks.id');

interface Paths {
  project: number;
  paths: readonly string[];
}

const lockOnPath = prepared((db, { project, paths }: Paths) =>
  locks(db, project, null).where('lfs_locks.path', 'in', paths).limit(1),
);
const lockOfOtherOnPath = prepared((db, { project, paths, user }: Paths & { user: number }) =>
  locks(db, project, user).where('lfs_locks.path', 'in', paths).limit(1),
);

/** State of a project's locks when a change was checked. */
export interface LockSnapshot {
  project: LockedProject;
  /** Id of the newest lock, 0 if there is none. */
  newest: number;
}

/** Records a project's locks before the files of a change are compared with them. */
export async function snapshotLocks(deps: Deps, project: LockedProject): Promise<LockSnapshot> {
  const row = await deps.db
    .selectFrom('lfs_locks')
    .select(({ fn }) => fn.max('id').as('newest'))
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return { project, newest: Number(row?.newest ?? 0) };
}

/**
 * Refuses a change if other users have locked files since the snapshot: the affected files would have to be requested
 * from git again. For the transaction that announces the change.
 * @throws ApiError 400
 */
export async function refuseNewerLocks(
  deps: Deps,
  { project, newest }: LockSnapshot,
  userId: number | null,
): Promise<void> {
  if (!lfsEnabled(project)) return;
  const later = await locksOfOthers(deps, project, userId).where('lfs_locks.id', '>', newest).limit(1).execute();
  if (later.length > 0) throw refused('Files were locked in Git LFS meanwhile. Please try again.');
}

/** The platform's refusal for a file locked by another user. */
const lockText = (path: string, owner: string): string => `The path '${path}' is locked in Git LFS by ${owner}`;

/**
 * Refuses a change of files locked by other users. Reads only the database.
 * @param paths of changed files
 * @throws ApiError 400
 */
export async function refuseLocked(
  deps: Deps,
  project: LockedProject,
  userId: number | null,
  paths: readonly string[],
): Promise<void> {
  if (!lfsEnabled(project)) return;
  for (let at = 0; at < paths.length; at += BATCH) {
    const some = paths.slice(at, at + BATCH).filter((path) => path.isWellFormed());
    if (some.length === 0) continue;
    const named = { project: project.id, paths: some };
    const [lock] = await (userId === null
      ? lockOnPath(deps.db, named)
      : lockOfOtherOnPath(deps.db, { ...named, user: userId }));
    if (lock !== undefined) throw refused(lockText(lock.path, lock.name));
  }
}

/**
 * Like `refuseLocked`, for the differences between two commits; git is called only if other users hold locks.
 * @throws ApiError 400
 */
export async function refuseLockedBetween(
  deps: Deps,
  repo: Repository,
  project: LockedProject,
  userId: number | null,
  [from, to]: readonly [string, string],
): Promise<void> {
  if (!lfsEnabled(project)) return;
  if ((await locksOfOthers(deps, project, userId).limit(1).executeTakeFirst()) === undefined) return;
  await refuseLocked(deps, project, userId, await changedPaths(repo, from, to));
}

/**
 * Returns the refusal if a commit of a push changes a file locked by another user, else null.
 * @param heads new heads of branches
 * @param env environment of the quarantine, before the objects are migrated
 */
export async function lockedByPush(
  deps: Deps,
  repo: Repository,
  project: LockedProject,
  userId: number | null,
  heads: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  if (heads.length === 0 || !lfsEnabled(project)) return null;
  const rows = await locksOfOthers(deps, project, userId).limit(MAX_LOCKS).execute();
  if (rows.length === 0) return null;
  const owners = new Map(rows.map(({ path, name }) => [path, name]));
  let text: string | null = null;
  await pathsOfPush(repo, heads, env, (path) => {
    const owner = owners.get(path);
    if (owner !== undefined) text = lockText(path, owner);
    return owner === undefined;
  });
  return text;
}
