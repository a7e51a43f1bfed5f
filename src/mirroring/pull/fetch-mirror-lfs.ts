import type { Db } from '../../db/db.schema.ts';
import type { RemoteSource } from '../../git/remote/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import type { HistoryRange } from '../../git/transport/index.ts';
import { lfsEnabled } from '../../repositories/repository.lfs-locks.ts';
import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';
import { type FetchedLfs, fetchLfsObjects } from '../lfs/lfs-mirror.fetch.ts';
import { findPointers } from '../lfs/pointers.ts';
import { type ChangeSet, requireUnchanged } from './apply.ts';
import { type MirrorState, serializeMirrorState } from './mirror-state.ts';

const NOTHING: FetchedLfs = { missing: [], problem: null };

/**
 * Fetches the LFS objects of fetched commits before any branch or tag moves to them, and objects that earlier updates
 * could not get. Missing objects are recorded for the next update and do not block this one.
 * @param before null: all commits are examined, including earlier ones
 * @param range commits received by this update
 * @throws GitError, MirrorChanged, the reason of the signal
 */
export async function fetchMirrorLfs(
  set: ChangeSet,
  repo: Repository,
  source: RemoteSource,
  before: MirrorState | null,
  range: HistoryRange,
  signal: AbortSignal,
): Promise<FetchedLfs> {
  const { deps, project } = set;
  if (!lfsEnabled(project)) return NOTHING;
  const known = before === null ? [] : range.known;
  const pointers = await findPointers(deps, repo, { tips: range.tips, known }, signal);
  const objects = [...(before?.lacking ?? []), ...pointers];
  const fetched = await fetchMissingLfs(set, source, objects, signal);
  if (fetched.missing.length > 0) await keep(set, fetched.missing);
  return fetched;
}

/** Fetches LFS objects that the project lacks. */
export async function fetchMissingLfs(
  { deps, project }: ChangeSet,
  source: RemoteSource,
  objects: readonly LfsObject[],
  signal: AbortSignal,
): Promise<FetchedLfs> {
  if (objects.length === 0 || !lfsEnabled(project)) return NOTHING;
  const still = (db: Db) => requireStillFollowed(db, { project });
  return fetchLfsObjects(deps, project, source, objects, { signal, revalidate: still });
}

/** Records missing objects before the refs are recorded as fetched, since their commits are not examined again. */
const keep = ({ deps, project }: ChangeSet, missing: readonly LfsObject[]): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    await requireStillFollowed(db, { project });
    const state = serializeMirrorState({ digest: null, lacking: missing });
    await db.updateTable('pull_mirrors').set({ settled: state }).where('project_id', '=', project.id).execute();
  });

async function requireStillFollowed(db: Db, { project }: Pick<ChangeSet, 'project'>): Promise<void> {
  // A no-op update locks the row, as every change of the mirror does.
  const now = await db
    .updateTable('projects')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', project.id)
    .where('pending_delete', '=', 0)
    .returningAll()
    .executeTakeFirst();
  requireUnchanged(project, now ?? null);
}
