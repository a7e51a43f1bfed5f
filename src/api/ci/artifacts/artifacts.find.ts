import type { ProjectPermissions } from '../../../access/permissions.ts';
import { badRequest, forbidden, notFound, refused } from '../../../core/core.errors.ts';
import type { PageRange } from '../../../db/paginate.ts';
import type { Deps } from '../../../deps.ts';
import {
  artifactOf,
  isAvailable,
  mayRead,
  type StoredArtifact,
} from '../../../pipelines/artifacts/pipeline-artifacts.read.ts';
import { ArchiveError } from '../../../storage/zip/archive-error.ts';
import type { ArchiveDirectory } from '../../../storage/zip/directory.ts';
import type { ArchiveEntry } from '../../../storage/zip/zip.entries.ts';

/**
 * Returns the archive of a job.
 * @param missing what the 404 names
 * @throws ApiError 403, 404
 */
export async function findArchive(
  deps: Deps,
  permissions: ProjectPermissions,
  jobId: number,
  missing?: string,
): Promise<StoredArtifact> {
  const archive = await artifactOf(deps.db, jobId, 'archive');
  if (archive === undefined) throw notFound(missing);
  if (!mayRead(permissions, archive)) throw forbidden();
  if (!isAvailable(deps.clock, archive)) throw notFound(missing);
  return archive;
}

/** Reads the directory of an archive. @throws ApiError 404 if it cannot be read, 422 if it is too large */
export const findDirectory = (deps: Deps, archive: StoredArtifact): Promise<ArchiveDirectory> =>
  looking(() => deps.archives.directory(archive));

/** Returns a page of a directory in an archive. @throws ApiError 404, 422 */
export async function listDirectory(directory: ArchiveDirectory, path: string, recursive: boolean, page: PageRange) {
  const listed = await looking(() => directory.list(path === '' ? '' : `${path}/`, recursive, page));
  if (listed === undefined) throw notFound('Path');
  return { rows: listed.entries, total: listed.total };
}

async function looking<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    if (error.code !== 'too_large') throw notFound('Artifacts metadata');
    throw refused(`The archive cannot be read: ${error.message}. Download it as a whole.`, 422);
  }
}

/** Refuses paths outside of the archive. @throws ApiError 400 */
export function checkPath(path: string): void {
  if (path.startsWith('/') || path.includes('\\') || path.split('/').includes('..')) throw badRequest();
}

/** Returns a file of an archive. @throws ApiError 400 for a path outside of the archive, 404 */
export function findFile(directory: ArchiveDirectory, path: string): ArchiveEntry {
  if (path === '' || path.endsWith('/')) throw badRequest();
  checkPath(path);
  const entry = directory.find(path);
  if (entry?.type !== 'file') throw notFound('Path');
  return entry;
}
