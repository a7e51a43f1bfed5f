import { setImmediate as nextTurn } from 'node:timers/promises';
import { globMatcher } from '../../ci/globs.ts';
import type { SourceFile } from '../../ci/sources.ts';
import { GitError } from '../../git/common/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { entryAt, listAll, type PathEntry } from '../../git/trees/index.ts';

/** Maximum size of a configuration file in bytes. */
export const MAX_FILE_BYTES = 1_048_576;

/** Maximum number of folders read one by one; above it, one git process lists them all. */
const MAX_FOLDERS = 200;

/** @param path from the root of the repository, without a leading slash */
export async function readFile(repo: Repository, sha: string, path: string): Promise<SourceFile> {
  const entry = path === '' ? null : await entryAt(repo, sha, path);
  if (entry?.type !== 'blob') return { missing: true };
  const blob = await repo.objects.read(entry.oid, MAX_FILE_BYTES);
  if (blob === null) return { missing: true };
  if (blob.data === null) return { tooLarge: true };
  return blob.data.includes(0) ? { binary: true } : { content: blob.data.toString('utf8') };
}

/** Maximum number of paths examined for one configuration, and number of them before yielding. */
const MAX_LOOKS = 2_000_000;
const TURN = 2_000;

/** Remaining number of paths that may be examined. */
export class GlobBudget {
  #looks = 0;

  /** Counts a path. @returns whether it may be examined */
  async spend(): Promise<boolean> {
    this.#looks += 1;
    if (this.#looks % TURN === 0) await nextTurn();
    return this.#looks <= MAX_LOOKS;
  }
}

/** A folder that may contain matches, and the depth to search. */
interface Start {
  folder: string;
  depth: number;
}

/**
 * Paths of files at a commit that match one of the globs, sorted. Only folders that may contain matches are read.
 * @param limit maximum number of paths
 * @param budget of the caller; once it is spent, no more are found
 */
export async function matchingPaths(
  repo: Repository,
  sha: string,
  globs: readonly string[],
  limit: number,
  budget: GlobBudget,
): Promise<string[]> {
  const plain = globs.filter((glob) => !isPattern(glob));
  const matches = new Set<string>();
  for (const path of plain) {
    if (matches.size >= limit) break;
    if (path !== '' && (await entryAt(repo, sha, path))?.type === 'blob') matches.add(path);
  }
  const patterns = globs.filter(isPattern);
  const fits = globMatcher(patterns);
  for (const start of startsOf(patterns)) {
    if (matches.size >= limit) break;
    for await (const path of filesBelow(repo, sha, start)) {
      if (!(await budget.spend())) break;
      if (fits(path)) matches.add(path);
      if (matches.size >= limit) break;
    }
  }
  return [...matches].sort();
}

const isPattern = (glob: string): boolean => /[*?[{\\]/.test(glob);

/** Folders to search for the patterns: their literal prefixes. */
function startsOf(patterns: readonly string[]): Start[] {
  const depths = new Map<string, number>();
  for (const pattern of patterns) {
    const names = pattern.split('/');
    const literal = names.findIndex(isPattern);
    const folder = names.slice(0, literal).join('/');
    const depth = pattern.includes('**') ? Number.POSITIVE_INFINITY : names.length - literal;
    depths.set(folder, Math.max(depth, depths.get(folder) ?? 0));
  }
  const starts = [...depths].map(([folder, depth]) => ({ folder, depth }));
  const covered = (folder: string) =>
    starts.some(
      (other) =>
        other.depth === Number.POSITIVE_INFINITY &&
        other.folder !== folder &&
        (other.folder === '' || folder.startsWith(`${other.folder}/`)),
    );
  return starts.filter(({ folder }) => !covered(folder)).sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

async function* filesBelow(repo: Repository, sha: string, { folder, depth }: Start): AsyncGenerator<string> {
  const top = await entryAt(repo, sha, folder);
  if (top?.type !== 'tree') return;
  const start = folder === '' ? '' : `${folder}/`;
  const waiting = [{ oid: top.oid, prefix: start, depth }];
  let read = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    read += 1;
    if (read > MAX_FOLDERS) {
      for (const { type, path } of await allBelow(repo, top.oid)) if (type === 'blob') yield `${start}${path}`;
      return;
    }
    for (const { type, name, oid } of (await repo.objects.tree(next.oid)) ?? []) {
      const path = `${next.prefix}${name}`;
      if (type === 'blob') yield path;
      else if (type === 'tree' && next.depth > 1) waiting.push({ oid, prefix: `${path}/`, depth: next.depth - 1 });
    }
  }
}

/** Everything below a folder; empty if it is too large to list. */
async function allBelow(repo: Repository, oid: string): Promise<readonly PathEntry[]> {
  try {
    return await listAll(repo, oid);
  } catch (error) {
    if (error instanceof GitError && error.code === 'output_too_large') return [];
    throw error;
  }
}
