import { ApiError } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import type { RemoteSource } from '../../git/remote/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { lfsEnabled } from '../../repositories/repository.lfs-locks.ts';
import { fetchLfsObjects } from './lfs-mirror.fetch.ts';
import { findPointers } from './pointers.ts';

/** Time limit in milliseconds, shorter than that of an import. */
const FETCH_MS = 1_800_000;

/**
 * Fetches the LFS objects of all commits of an imported repository.
 * @returns the failures as sentences; null if nothing is missing
 * @throws GitError, ApiError 404 if the project no longer exists, the reason of the signal
 */
export async function importLfsObjects(
  deps: Deps,
  project: Project,
  repo: Repository,
  source: RemoteSource,
  signal: AbortSignal,
): Promise<string | null> {
  if (!lfsEnabled(project)) return null;
  const refs = [...(await repo.refs.list('refs/heads/')), ...(await repo.refs.list('refs/tags/'))];
  const range = { tips: refs.map(({ oid }) => oid), known: [] };
  const pointers = await findPointers(deps, repo, range, signal);
  const revalidate = async (db: Db) => {
    await db
      .selectFrom('projects')
      .select('id')
      .where('id', '=', project.id)
      .where('pending_delete', '=', 0)
      .executeTakeFirstOrThrow(() => new ApiError(404, '404 Project Not Found'));
  };
  const { problem } = await fetchLfsObjects(deps, project, source, pointers, { signal, revalidate, limitMs: FETCH_MS });
  return problem;
}
