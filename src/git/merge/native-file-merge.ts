import { diffWindow, isLineStart } from '../line-diff/index.ts';
import type { Repository } from '../repository/index.ts';

/** Larger files are left to git. */
const MAX_BYTES = 512 * 1024;
const MAX_ATTRIBUTES = 64 * 1024;
/** Maximum number of lines tried between two changes. */
const MAX_LINES = 20;
const LINE_FEED = 10;
/** Attributes that select a merge driver, and macros. */
const WAYS = /\s[-!]?(?:merge|binary)(?:[=\s]|$)|\[attr\]/;

/**
 * Merges a file that both sides changed, if every line comparison gives the same result: one side changed only the text
 * above a line, the other only the text below it, and that line occurs once in each version. Any alignment then pairs
 * this line with itself: on each side of it two versions are equal up to the line and beyond, and no longer run of
 * equal lines can cross it.
 * @param path full path, since attributes may select a merge driver
 * @returns null if it is left to git
 */
export async function mergeFile(
  repo: Repository,
  path: string,
  oids: { base: string; ours: string; theirs: string },
): Promise<Buffer | null> {
  const read = await Promise.all([oids.base, oids.ours, oids.theirs].map((oid) => repo.objects.read(oid, MAX_BYTES)));
  const [base, ours, theirs] = read.map((object) => object?.data ?? null);
  if (!base || !ours || !theirs || [base, ours, theirs].some((data) => data.includes(0))) return null;
  if (await hasOwnWay(repo, path)) return null;
  return mergeLines(base, ours, theirs);
}

/** @returns null if changes of both sides touch, overlap, or interleave, or no unique line separates them */
export function mergeLines(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | null {
  const [one, other] = [diffWindow(base, ours), diffWindow(base, theirs)];
  const isFirst = one.beforeEnd < other.start;
  if (!isFirst && other.beforeEnd >= one.start) return null;
  const [above, below] = isFirst ? [ours, theirs] : [theirs, ours];
  const [first, second] = isFirst ? [one, other] : [other, one];
  if (!hasSureLine(base.subarray(first.beforeEnd, second.start), [base, ours, theirs])) return null;
  return Buffer.concat([
    above.subarray(0, above.length - (base.length - first.beforeEnd)),
    base.subarray(first.beforeEnd, second.start),
    below.subarray(second.start),
  ]);
}

/** Whether one of the given lines occurs exactly once in each version. */
function hasSureLine(lines: Buffer, versions: readonly Buffer[]): boolean {
  let tried = 0;
  for (let at = 0; at < lines.length && tried < MAX_LINES; tried += 1) {
    const end = lines.indexOf(LINE_FEED, at) + 1 || lines.length;
    const line = lines.subarray(at, end);
    if (line.at(-1) === LINE_FEED && versions.every((version) => isOnce(version, line))) return true;
    at = end;
  }
  return false;
}

function isOnce(data: Buffer, line: Buffer): boolean {
  let occurrences = 0;
  for (let at = data.indexOf(line); at !== -1; at = data.indexOf(line, at + 1)) {
    if (isLineStart(data, at)) occurrences += 1;
    if (occurrences > 1) return false;
  }
  return occurrences === 1;
}

/** Whether attributes of the default branch may select a merge driver. */
async function hasOwnWay(repo: Repository, path: string): Promise<boolean> {
  const tip = await repo.refs.tip();
  let tree = tip === null ? null : ((await repo.objects.commit(tip))?.tree ?? null);
  for (const name of path.split('/')) {
    const folder = tree === null ? null : await repo.objects.treeObject(tree);
    if (folder === null) return false;
    const attributes = folder.find('.gitattributes');
    if (attributes !== null) {
      const content = (await repo.objects.read(attributes.oid, MAX_ATTRIBUTES))?.data;
      if (!content || WAYS.test(content.toString('latin1'))) return true;
    }
    const next = folder.find(name);
    tree = next?.type === 'tree' ? next.oid : null;
  }
  return false;
}
