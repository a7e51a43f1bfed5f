import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { checkOids, GitError } from '../common/index.ts';
import { gitEnvironment, gitOutput, isPathArgument } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';

export const ARCHIVE_FORMATS = ['zip', 'tar', 'tar.gz', 'tgz', 'tb2', 'tbz', 'tbz2', 'tar.bz2', 'bz2', 'gz'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

export interface ArchiveOptions {
  format: ArchiveFormat;
  /** Root folder of the archive, without a trailing slash. */
  prefix: string;
  /** Only this file or folder, at its place below `prefix`. Taken literally; must exist. */
  path?: string;
  /** Files and folders to exclude. Taken literally; need not exist. */
  exclude?: readonly string[];
  /**
   * Whether `.gitattributes` apply (`export-ignore`, `export-subst`); default true. They make git read all folders of
   * the commit, whatever part is requested.
   */
  attributes?: boolean;
  /** Aborts the archive's processes. */
  signal?: AbortSignal;
  /** Processor time of git in milliseconds; default 30 minutes. */
  cpuMs?: number;
}

const CPU_MS = 30 * 60_000;
const BZIP2 = ['-c', 'tar.tar.bz2.command=bzip2 -c'];

/** Maximum number of entries of an archive. */
export const MAX_ENTRIES = 1_000_000;

const MiB = 1024 * 1024;
/** Maximum size in bytes of a file that git holds in memory; larger ones are streamed. */
const LARGEST_IN_MEMORY = 32 * MiB;
/** Memory of git for each tree entry in bytes, for attribute look-ups. */
const PER_ENTRY = 200;

/**
 * Memory in bytes for git (a file and its delta base), the compressor, and the streams between them.
 * @param largest size of the largest file in bytes
 */
export const archiveMemory = (largest: number, entries: number): number =>
  8 * MiB + 2 * Math.min(largest, LARGEST_IN_MEMORY) + PER_ENTRY * entries;

/** Canonical name of an archive format. */
export function packingOf(format: ArchiveFormat): 'zip' | 'tar' | 'tar.gz' | 'tar.bz2' {
  if (format === 'zip' || format === 'tar') return format;
  return format === 'tar.gz' || format === 'tgz' || format === 'gz' ? 'tar.gz' : 'tar.bz2';
}

/** Whether bzip2 is installed. */
export const hasBzip2 = (): Promise<boolean> => hasProgram('bzip2');

async function hasProgram(name: string): Promise<boolean> {
  for (const folder of (gitEnvironment().PATH ?? '').split(delimiter)) {
    try {
      await access(join(folder, name), constants.X_OK);
      return true;
    } catch {}
  }
  return false;
}

/** Pathspecs for a part of the tree, with literal paths. */
function pathspecs(path: string | undefined, exclude: readonly string[]): string[] {
  const included = path === undefined ? [] : [`:(top,literal)${path}`];
  return [...included, ...exclude.filter(isPathArgument).map((each) => `:(top,literal,exclude)${each}`)];
}

/**
 * Streams the files of a commit as an archive. Archives of the same commit are identical. Destroying the stream ends
 * its processes; failures are errors of the stream. Serves `GET /projects/:id/repository/archive`.
 * @throws GitError `invalid` for an incomplete id, prefix or path; `unavailable` without `bzip2`
 */
export async function archive(repo: Repository, commit: string, options: ArchiveOptions): Promise<Readable> {
  checkOids([commit]);
  const { prefix, path, exclude = [], attributes = true, signal, cpuMs = CPU_MS } = options;
  if (!isPathArgument(prefix)) throw new GitError('invalid', 'not a prefix');
  if (path !== undefined && !isPathArgument(path)) throw new GitError('invalid', 'not a path');
  const format = packingOf(options.format);
  if (format === 'tar.bz2' && !(await hasBzip2())) throw new GitError('unavailable', 'no bzip2');
  const args = [
    ...(format === 'tar.bz2' ? BZIP2 : []),
    'archive',
    `--format=${format}`,
    `--prefix=${prefix}/`,
    // Reads attributes from the work tree, which does not exist.
    ...(attributes ? [] : ['--worktree-attributes']),
    '--end-of-options',
    commit,
    ...pathspecs(path, exclude),
  ];
  return gitOutput(args, { gitDir: repo.dir, cpuMs, ...(signal === undefined ? {} : { signal }) });
}
