import { timestamp } from '../core/clock.ts';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { pointersBetween, pushedPointers } from '../git/transport/index.ts';
import { lfsEnabled } from './repository.lfs-locks.ts';

const BATCH = 500;
/** Maximum size of an object in bytes. */
export const MAX_LFS_OBJECT_BYTES = 50 * 1024 * 1024 * 1024;
const MISSING = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';

/** An LFS object: SHA-256 (hexadecimal) and size in bytes. */
export interface LfsObject {
  oid: string;
  size: number;
}

/** Sizes of the project's LFS objects by SHA-256. */
export async function lfsSizes(deps: Deps, projectId: number, oids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const uniqueOids = [...new Set(oids)];
  for (let at = 0; at < uniqueOids.length; at += BATCH) {
    const rows = await deps.db
      .selectFrom('lfs_objects')
      .select(['oid', 'size'])
      .where('project_id', '=', projectId)
      .where('oid', 'in', uniqueOids.slice(at, at + BATCH))
      .execute();
    for (const { oid, size } of rows) sizes.set(oid, size);
  }
  return sizes;
}

/**
 * Returns the refusal if a push contains LFS pointers to objects that were not uploaded, else null.
 * @param env environment of the quarantine
 */
export async function missingLfsObjects(
  deps: Deps,
  repo: Repository,
  project: Pick<Project, 'id' | 'settings'>,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  if (!lfsEnabled(project)) return null;
  let pointers: Awaited<ReturnType<typeof pushedPointers>>;
  try {
    pointers = await pushedPointers(repo, env);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'timeout') throw error;
    deps.log.log('warn', 'the LFS pointers of a push were not checked: too many', { project_id: project.id });
    return null;
  }
  const sizes = await lfsSizes(deps, project.id, pluck(pointers, 'oid'));
  for (const { oid, blob } of pointers) {
    // Existing pointers may be sent again as delta bases and do not count.
    if (!sizes.has(oid) && (await repo.objects.info(blob)) === null) return MISSING;
  }
  return null;
}

/**
 * Links the LFS objects of commits taken from a fork to a project. Costs a single query if the project lacks none of
 * the fork's objects.
 * @param from complete id of a commit in the project
 * @param to complete id of the commit taken over
 * @throws GitError `failed`, `timeout`
 */
export async function shareLfsObjects(
  deps: Deps,
  repo: Repository,
  [source, target]: readonly [sourceId: number, targetId: number],
  [from, to]: readonly [string, string],
): Promise<void> {
  const { db } = deps;
  const lacking = await db
    .selectFrom('lfs_objects as theirs')
    .leftJoin('lfs_objects as ours', (join) =>
      join.onRef('ours.oid', '=', 'theirs.oid').on('ours.project_id', '=', target),
    )
    .select('theirs.oid')
    .where('theirs.project_id', '=', source)
    .where('ours.oid', 'is', null)
    .limit(1)
    .execute();
  if (lacking.length === 0) return;
  const pointers = await pointersBetween(repo, { tips: [to], known: [from] });
  const sizes = await lfsSizes(deps, source, pluck(pointers, 'oid'));
  const objects = [...sizes].map(([oid, size]) => ({ oid, size }));
  for (let at = 0; at < objects.length; at += BATCH) {
    await insertLfsObjects(deps, db, target, objects.slice(at, at + BATCH));
  }
}

/** Links stored objects to a project, at most a few hundred. Existing links are kept. */
export async function insertLfsObjects(
  { clock }: Pick<Deps, 'clock'>,
  db: Db,
  projectId: number,
  objects: readonly LfsObject[],
): Promise<void> {
  const created_at = timestamp(clock);
  await db
    .insertInto('lfs_objects')
    .values(objects.map(({ oid, size }) => ({ project_id: projectId, oid, size, created_at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
