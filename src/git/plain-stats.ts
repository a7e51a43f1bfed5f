import type { Repository } from './repository.ts';
import { entryAt } from './tree.ts';
import { changesBetween } from './tree-changes.ts';

/** More files, or larger ones, are left to git. */
const MAX_FILES = 20;
const MAX_BYTES = 256 * 1024;
/** Where git looks for a zero byte, which makes a file binary. */
const BINARY_BYTES = 8_000;

/** Lines added and removed; binary files count for nothing. */
export interface DiffStats {
  additions: number;
  deletions: number;
}

type Sides = readonly [before: Buffer, after: Buffer];

/**
 * The lines that a commit adds and removes, where they can be told without a diff: of new files, removed files, and files
 * in which lines come, go or are replaced in one place by others.
 * @param oid of a commit
 * @returns null where git has to be asked
 * @throws GitError as `ObjectReader`
 */
export async function plainStats(repo: Repository, oid: string): Promise<DiffStats | null> {
  const commit = await repo.objects.commit(oid);
  if (commit === null) return null;
  const changes = await changesBetween(repo, commit.parents[0] ?? null, oid);
  if (changes === null || changes.length > MAX_FILES) return null;
  // Together they may be a renamed file.
  if (changes.some(({ before }) => before === undefined) && changes.some(({ after }) => after === undefined))
    return null;
  const sum = { additions: 0, deletions: 0 };
  for (const { path, before, after } of changes) {
    if (before !== undefined && after !== undefined && before.mode.slice(0, 2) !== after.mode.slice(0, 2)) return null;
    if (await mayNotCompare(repo, commit.tree, path)) return null;
    const sides = [await contentOf(repo, before), await contentOf(repo, after)] as const;
    if (sides[0] === null || sides[1] === null) return null;
    const found = countLines(sides as Sides);
    if (found === null) return null;
    sum.additions += found.additions;
    sum.deletions += found.deletions;
  }
  return sum;
}

/** Attributes that say whether a file is compared, and words that stand for several. What names a kind of text (`diff=cpp`) does not. */
const DECIDING = /(?:^|\s)[-!]?(?:diff|binary)(?:\s|$)|\[attr\]/;

/** Whether attributes may say that a file is not to be compared. */
async function mayNotCompare(repo: Repository, tree: string, path: string): Promise<boolean> {
  for (let at = path.lastIndexOf('/'); ; at = path.lastIndexOf('/', at - 1)) {
    const entry = await entryAt(repo, tree, `${path.slice(0, at + 1)}.gitattributes`);
    if (entry !== null) {
      const content = entry.type === 'blob' ? await contentOf(repo, entry) : null;
      if (content === null || DECIDING.test(content.toString('latin1'))) return true;
    }
    if (at < 0) return false;
  }
}

async function contentOf(repo: Repository, entry: { mode: string; oid: string } | undefined): Promise<Buffer | null> {
  if (entry === undefined) return Buffer.alloc(0);
  if (entry.mode === '160000') return null;
  return (await repo.objects.read(entry.oid, MAX_BYTES))?.data ?? null;
}

/** The lines that differ between two contents; null where a diff is needed. */
function countLines([before, after]: Sides): DiffStats | null {
  if ([before, after].some((side) => side.subarray(0, BINARY_BYTES).includes(0))) return { additions: 0, deletions: 0 };
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd -= 1;
    nowEnd -= 1;
  }
  const gone = new Set(old.slice(start, oldEnd));
  for (let at = start; at < nowEnd; at += 1) if (gone.has(now[at]!)) return null;
  return { additions: nowEnd - start, deletions: oldEnd - start };
}

/** With their line feeds: a last line without one is another line. */
function linesOf(content: Buffer): string[] {
  return content.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
