import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { GitError } from '../../../git/common/index.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import {
  ARCHIVE_FORMATS,
  type ArchiveFormat,
  archive,
  archiveMemory,
  type ExceededLimit,
  entryAt,
  hasBzip2,
  MAX_ENTRIES,
  packingOf,
  treeSize,
} from '../../../git/trees/index.ts';
import type { LfsObjects } from './repositories.lfs-objects.ts';

const TYPES = {
  zip: { extension: 'zip', contentType: 'application/zip' },
  tar: { extension: 'tar', contentType: 'application/x-tar' },
  gzip: { extension: 'tar.gz', contentType: 'application/gzip' },
  bzip2: { extension: 'tar.bz2', contentType: 'application/x-bzip2' },
};
/** Media types of archives. */
export const ARCHIVE_TYPES: readonly string[] = Object.values(TYPES).map(({ contentType }) => contentType);

/** Longer names could not be stored as a folder where the archive is unpacked. */
const MAX_REF_IN_NAME = 100;

export interface ArchiveRequest {
  /** Branch, tag or commit; the default branch when absent. */
  sha?: string | undefined;
  /** Format; default tar.gz. */
  format?: string | undefined;
  path?: string | undefined;
  exclude: readonly string[];
  /** Whether the name contains the commit id; otherwise `<project>-<ref>`. */
  withSha?: boolean;
  /** LFS objects that replace their pointers; pointers are kept when absent. */
  lfs?: LfsObjects | undefined;
  /** Maximum total size of the files in bytes. */
  maxBytes: number;
}

export interface PreparedArchive {
  fileName: string;
  contentType: string;
  etag: string;
  /** Measures the archive before any of it is created. @throws ApiError 422 if it is too large */
  plan(): Promise<ArchivePlan>;
  /** Starts git; aborting the signal ends it. */
  open(plan: ArchivePlan, signal: AbortSignal): Promise<Readable>;
}

export interface ArchivePlan {
  /** Whether git can read all folders of the commit to find attributes. */
  attributes: boolean;
  /** Memory that creating it may take, in bytes. */
  memory: number;
}

function typeOf(format: ArchiveFormat) {
  if (format === 'zip' || format === 'tar') return TYPES[format];
  return /^(?:tar\.gz|tgz|gz)$/.test(format) ? TYPES.gzip : TYPES.bzip2;
}

/**
 * Determines contents and name (`<project>-<ref>-<sha>[-<path>]`) of an archive.
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
  const { exclude, lfs, maxBytes } = request;
  const fixed = JSON.stringify([prefix, revision.oid, path, extension, exclude, ...(lfs ? ['lfs'] : [])]);
  return {
    fileName: `${prefix}.${extension}`,
    contentType,
    etag: `W/"${hash('sha256', fixed)}"`,
    plan: async () => {
      const limits = { entries: MAX_ENTRIES, bytes: maxBytes };
      const size = await treeSize(repo, revision.oid, limits, { path, exclude, pointers: lfs !== undefined });
      if (size.exceeded !== null) throw tooMuch(size.exceeded, maxBytes);
      if (size.bytes + ((await lfs?.bytesOf(size.pointers)) ?? 0) > maxBytes) throw tooMuch('bytes', maxBytes, true);
      const isWhole = path === '' && exclude.length === 0;
      const whole = isWhole ? size : await treeSize(repo, revision.oid, limits, { files: false });
      const attributes = whole.exceeded === null;
      return { attributes, memory: archiveMemory(size.largest, attributes ? whole.entries : size.entries) };
    },
    open: async ({ attributes }, signal) => {
      const options = { prefix, attributes, exclude, ...(path === '' ? {} : { path }), signal };
      if (lfs === undefined) return archive(repo, revision.oid, { ...options, format }).catch(refuse);
      const packing = packingOf(format);
      if (packing === 'tar.bz2' && !(await hasBzip2())) refuse(new GitError('unavailable', 'no bzip2'));
      const tar = await archive(repo, revision.oid, { ...options, format: 'tar' }).catch(refuse);
      const { withLfsObjects } = await import('./lfs-archive.ts');
      return withLfsObjects(tar, packing, lfs.open);
    },
  };
}

/** @param byLfs whether it would fit without the LFS objects */
function tooMuch(excess: ExceededLimit, maxBytes: number, byLfs = false): ApiError {
  const what = {
    entries: `more than ${MAX_ENTRIES} files and folders`,
    bytes: `more than ${maxBytes} bytes`,
    folders: 'too many different folders',
    depth: 'folders that are nested too deeply',
  }[excess];
  const pointers = byLfs ? ', request pointers with include_lfs_blobs=false' : '';
  return new ApiError(
    422,
    `The archive would contain ${what}. Request a part of the repository with path, leave parts out with exclude_paths${pointers}, or clone the repository.`,
  );
}

/** Replaces slashes in a part of the file name. */
export const flat = (text: string): string => text.replaceAll('/', '-');

function refuse(error: unknown): never {
  if (error instanceof GitError && error.code === 'unavailable') {
    throw new ApiError(406, '406 Not Acceptable - the program for this format is not installed on the server');
  }
  if (error instanceof GitError && error.code === 'invalid') throw notFound('File');
  throw error;
}
