import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { checkOids, isPathArgument } from './arguments.ts';
import { gitEnvironment } from './git.environment.ts';
import { GitError } from './git.errors.ts';
import type { Repository } from './git.repository.ts';
import { gitOutput } from './output.ts';

export const ARCHIVE_FORMATS = ['zip', 'tar', 'tar.gz', 'tgz', 'tb2', 'tbz', 'tbz2', 'tar.bz2', 'bz2', 'gz'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

export interface ArchiveOptions {
  format: ArchiveFormat;
  /** The folder that holds everything within the archive, without a slash at its end. */
  prefix: string;
  /** Only this file or folder; it keeps its place below `prefix`. Taken literally; it must exist. */
  path?: string;
  /** Without these files and folders; taken literally, and they need not exist. */
  exclude?: readonly string[];
  /**
   * Whether `.gitattributes` count (`export-ignore`, `export-subst`); default true. For them git reads all folders of the
   * commit, whatever part of it is asked for.
   */
  attributes?: boolean;
  /** Ends the archive's processes when aborted. */
  signal?: AbortSignal;
  /** Milliseconds of a processor that git may take; default 30 minutes. */
  cpuMs?: number;
}

const CPU_MS = 30 * 60_000;
const BZIP2 = ['-c', 'tar.tar.bz2.command=bzip2 -c'];

/** Files, folders, links and submodules of one archive. */
export const MAX_ENTRIES = 1_000_000;

const MiB = 1024 * 1024;
/** Bytes of a file that git keeps in memory; larger ones are streamed. */
const LARGEST_IN_MEMORY = 32 * MiB;
/** Bytes that git keeps of each entry of a tree, to look its attributes up. */
const PER_ENTRY = 200;

/**
 * Bytes of memory that git (a file, and what it is a difference to), the packer and the streams between them may take.
 * @param largest bytes of the largest file
 */
export const archiveMemory = (largest: number, entries: number): number =>
  8 * MiB + 2 * Math.min(largest, LARGEST_IN_MEMORY) + PER_ENTRY * entries;

/** How git packs an archive of a format that may have several names. */
export function packingOf(format: ArchiveFormat): 'zip' | 'tar' | 'tar.gz' | 'tar.bz2' {
  if (format === 'zip' || format === 'tar') return format;
  return format === 'tar.gz' || format === 'tgz' || format === 'gz' ? 'tar.gz' : 'tar.bz2';
}

/** Whether the machine can pack by bzip2. */
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

/** The pathspecs of a part of the tree; what follows the bracket is taken as it stands. */
function pathspecs(path: string | undefined, exclude: readonly string[]): string[] {
  const wanted = path === undefined ? [] : [`:(top,literal)${path}`];
  return [...wanted, ...exclude.filter(isPathArgument).map((each) => `:(top,literal,exclude)${each}`)];
}

/**
 * The files of a commit as an archive, written while it is read; two archives of one commit are equal byte by byte.
 * Destroying the stream ends its processes; a failure on the way is an error of the stream.
 * Serves `GET /projects/:id/repository/archive`.
 * @throws GitError `invalid` for an incomplete id, prefix or path; `unavailable` where the machine has no `bzip2`
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
    // Of the work tree that there is none of.
    ...(attributes ? [] : ['--worktree-attributes']),
    '--end-of-options',
    commit,
    ...pathspecs(path, exclude),
  ];
  return gitOutput(args, { gitDir: repo.dir, cpuMs, ...(signal === undefined ? {} : { signal }) });
}
