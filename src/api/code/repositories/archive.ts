import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError, notFound } from '../../../core/errors.ts';
import type { Project } from '../../../db/tables/projects.ts';
import { ARCHIVE_FORMATS, type ArchiveFormat, archive, hasBzip2, packingOf } from '../../../git/archive.ts';
import { GitError } from '../../../git/errors.ts';
import type { Repository } from '../../../git/repository.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { entryAt } from '../../../git/tree.ts';
import type { OpenObject } from './lfs-archive.ts';

const TYPES = {
  zip: { extension: 'zip', contentType: 'application/zip' },
  tar: { extension: 'tar', contentType: 'application/x-tar' },
  gzip: { extension: 'tar.gz', contentType: 'application/gzip' },
  bzip2: { extension: 'tar.bz2', contentType: 'application/x-bzip2' },
};
/** Media types of archives. */
export const ARCHIVE_TYPES: readonly string[] = Object.values(TYPES).map(({ contentType }) => contentType);

/** A name and a folder of a longer one could not be stored where the archive is unpacked. */
const MAX_REF_IN_NAME = 100;

export interface ArchiveRequest {
  /** Branch, tag or commit; the default branch when absent. */
  sha?: string | undefined;
  /** Default tar.gz. */
  format?: string | undefined;
  path?: string | undefined;
  exclude: readonly string[];
  /** Whether the name tells the commit; false: `<project>-<ref>`. */
  withSha?: boolean;
  /** Gives the LFS objects that stand in the place of their pointers; without it pointers stay. */
  openObject?: OpenObject | undefined;
}

export interface PreparedArchive {
  fileName: string;
  contentType: string;
  etag: string;
  /** Starts git; an aborted signal ends it. */
  open(signal: AbortSignal): Promise<Readable>;
}

function typeOf(format: ArchiveFormat) {
  if (format === 'zip' || format === 'tar') return TYPES[format];
  return /^(?:tar\.gz|tgz|gz)$/.test(format) ? TYPES.gzip : TYPES.bzip2;
}

/**
 * Finds what an archive shall hold and how it is called (`<project>-<ref>-<sha>[-<path>]`).
 * @throws ApiError 404 `404 File Not Found` for an unknown commit or path, 406 for an unknown format
 */
export async function prepareArchive(
  repo: Repository,
  project: Pick<Project, 'path'>,
  request: ArchiveRequest,
): Promise<PreparedArchive> {
  const format = ARCHIVE_FORMATS.find((each) => each === (request.format ?? 'tar.gz'));
  if (format === undefined) throw new ApiError(406, '406 Not Acceptable');
  const revision = await resolveRevision(repo, request.sha || 'HEAD');
  if (revision === null) throw notFound('File');
  const path = (request.path ?? '').replace(/^\/|\/$/g, '');
  if (path !== '' && (await entryAt(repo, revision.oid, path)) === null) throw notFound('File');
  const ref = request.sha || (await repo.refs.head()) || 'HEAD';
  const sha = request.withSha === false ? [] : [revision.oid];
  const prefix = [project.path, flat(ref).slice(0, MAX_REF_IN_NAME), ...sha, ...(path === '' ? [] : [flat(path)])]
    .join('-')
    .toWellFormed();
  const { extension, contentType } = typeOf(format);
  const lfs = request.openObject !== undefined;
  const fixed = JSON.stringify([prefix, revision.oid, path, extension, request.exclude, ...(lfs ? ['lfs'] : [])]);
  return {
    fileName: `${prefix}.${extension}`,
    contentType,
    etag: `W/"${hash('sha256', fixed)}"`,
    open: async (signal) => {
      const options = { prefix, exclude: request.exclude, ...(path === '' ? {} : { path }), signal };
      if (request.openObject === undefined) return archive(repo, revision.oid, { ...options, format }).catch(refuse);
      const packing = packingOf(format);
      if (packing === 'tar.bz2' && !(await hasBzip2())) refuse(new GitError('unavailable', 'no bzip2'));
      const tar = await archive(repo, revision.oid, { ...options, format: 'tar' }).catch(refuse);
      const { withLfsObjects } = await import('./lfs-archive.ts');
      return withLfsObjects(tar, packing, request.openObject);
    },
  };
}

/** A name as it stands in that of a file. */
export const flat = (text: string): string => text.replaceAll('/', '-');

function refuse(error: unknown): never {
  if (error instanceof GitError && error.code === 'unavailable') {
    throw new ApiError(406, '406 Not Acceptable - the server has no program for this format');
  }
  if (error instanceof GitError && error.code === 'invalid') throw notFound('File');
  throw error;
}
