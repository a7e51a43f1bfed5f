import { ApiError } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import type { Repository } from '../../git/git.repository.ts';
import type { RemoteSource } from '../../git/remote-source.ts';
import { lfsEnabled } from '../../repositories/repository.lfs-locks.ts';
import { fetchLfsObjects } from './lfs-mirror.fetch.ts';
import { findPointers } from './pointers.ts';

/** Milliseconds: less than an import may take. */
const FETCH_MS = 1_800_000;

/**
 * Brings the LFS objects that all commits of a repository refer to, which was copied from another server.
 * @returns what could not be had, as sentences; null where nothing is lacking
 * @throws GitError, ApiError 404 where the project has gone, the reason of the signal
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
    const now = await db
      .selectFrom('projects')
      .select('id')
      .where('id', '=', project.id)
      .where('pending_delete', '=', 0)
      .executeTakeFirst();
    if (now === undefined) throw new ApiError(404, '404 Project Not Found');
  };
  const { problem } = await fetchLfsObjects(deps, project, source, pointers, { signal, revalidate, limitMs: FETCH_MS });
  return problem;
}
