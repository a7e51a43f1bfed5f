import { countLines, type DiffStats } from './line-counts.ts';
import type { TreeEntry } from './objects.ts';
import type { Repository } from './repository.ts';
import { entryAt } from './tree.ts';
import { changesBetween } from './tree-changes.ts';

/** More files, or more bytes before and after, are left to git. */
const MAX_FILES = 20;
const MAX_BYTES = 512 * 1024;
const MAX_ATTRIBUTES = 64 * 1024;
/** Where git looks for a zero byte, which makes a file binary. */
const BINARY_BYTES = 8_000;
const EMPTY = Buffer.alloc(0);

/**
 * The lines that a commit adds and removes, where git's way of comparing makes no difference to their number. Serves
 * `stats` of commits.
 * @param oid of a commit
 * @param head of the commit whose attributes count beside its own, null where there is none
 * @returns null where git has to be asked
 * @throws GitError as `ObjectReader`
 */
export async function plainStats(repo: Repository, oid: string, head: string | null): Promise<DiffStats | null> {
  const commit = await repo.objects.commit(oid);
  if (commit === null) return null;
  const changes = await changesBetween(repo, commit.parents[0] ?? null, oid);
  if (changes === null || changes.length > MAX_FILES) return null;
  // Together they may be a renamed file.
  if (changes.some(({ before }) => before === undefined) && changes.some(({ after }) => after === undefined))
    return null;
  const paths = changes.map(({ path }) => path);
  for (const tip of new Set([oid, head ?? oid])) if (await mayNotCompare(repo, tip, paths)) return null;
  const sum = { additions: 0, deletions: 0 };
  let left = MAX_BYTES;
  for (const { before, after } of changes) {
    if (before !== undefined && after !== undefined && before.mode.slice(0, 2) !== after.mode.slice(0, 2)) return null;
    const old = await contentOf(repo, before, left);
    const now = await contentOf(repo, after, left - (old?.length ?? 0));
    if (old === null || now === null) return null;
    left -= old.length + now.length;
    const counts = isBinary(old) || isBinary(now) ? NONE : countLines(old, now);
    if (counts === null) return null;
    sum.additions += counts.additions;
    sum.deletions += counts.deletions;
  }
  return sum;
}

const NONE: DiffStats = { additions: 0, deletions: 0 };
const isBinary = (content: Buffer): boolean => content.subarray(0, BINARY_BYTES).includes(0);

/** Lines with attributes that say whether a file is compared. What names a kind of text (`diff=cpp`) does not. */
const DECIDING = /^[ \t]*(\S+)(?=.*[ \t][-!]?(?:diff|binary)(?:\s|$))/gm;
/** Names for several attributes; paths in quotes. */
const INDIRECT = /^[ \t]*(?:\[attr\]|")/m;

/** Whether attributes in a commit may say that one of these files is not to be compared. */
async function mayNotCompare(repo: Repository, commit: string, paths: readonly string[]): Promise<boolean> {
  for (const folder of new Set(paths.flatMap(foldersOf))) {
    const entry = await entryAt(repo, commit, `${folder}.gitattributes`);
    if (entry === null) continue;
    const content = entry.type === 'blob' ? await contentOf(repo, entry, MAX_ATTRIBUTES) : null;
    if (content === null) return true;
    const text = content.toString('latin1');
    if (INDIRECT.test(text)) return true;
    const below = paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    for (const [_line, pattern] of text.matchAll(DECIDING)) {
      if (below.some((path) => mayMatch(pattern!, path))) return true;
    }
  }
  return false;
}

/** Whether a pattern of attributes may match a path of its folder: by what stands in it before or behind all wildcards. */
function mayMatch(pattern: string, path: string): boolean {
  const wild = pattern.search(/[*?[\\]/);
  if (pattern.includes('/')) {
    const start = (wild === -1 ? pattern : pattern.slice(0, wild)).replace(/^\//, '');
    return path.startsWith(start);
  }
  return path.endsWith(wild === -1 ? pattern : /[^*?[\]\\]*$/.exec(pattern)![0]);
}

/** Those that a path lies in, up to the root, each with its closing slash. */
function foldersOf(path: string): string[] {
  const folders = [''];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at + 1));
  return folders;
}

type Entry = Pick<TreeEntry, 'mode' | 'oid'>;

/** Empty where there is no file; null for a submodule, or more bytes than that. */
async function contentOf(repo: Repository, entry: Entry | undefined, most: number): Promise<Buffer | null> {
  if (entry === undefined) return EMPTY;
  if (entry.mode === '160000') return null;
  return (await repo.objects.read(entry.oid, most))?.data ?? null;
}
