import { currentScope } from '../../core/request-scope.ts';
import { DiffBudget, lineDiff } from '../line-diff/index.ts';
import type { Repository } from '../repository/index.ts';
import { DiffCollector, type DiffLimits, type DiffResult, type FileDiff, type Patch } from './diff-result.ts';
import { ChangedContents, nativeChanges } from './native-changes.ts';

/** Maximum memory in bytes: old and new contents, patches, and the answer. */
const MEMORY = 4 * 1024 * 1024;
/** Names that git prints unquoted. */
const PLAIN = /^[ !#-[\]-~]+$/;

/**
 * Changes between two commits or trees like `git diff-tree`, without a process.
 * @param from null for the empty tree
 * @returns null if git must be asked: as `nativeChanges`, or for large changes
 * @throws GitError as `ObjectReader`
 */
export async function nativeDiff(
  repo: Repository,
  from: string | null,
  to: string,
  limits: DiffLimits,
): Promise<DiffResult | null> {
  const changes = await nativeChanges(repo, from, to);
  if (changes === null) return null;
  const files = new DiffCollector(limits);
  const contents = new ChangedContents(repo);
  const effort = new DiffBudget();
  for (const file of changes.slice(0, limits.maxFiles)) {
    const patch = await contents.use(file, (old, now, isBinary) =>
      isBinary ? binaryPatch(file.diff) : textPatch(file.diff, old, now, effort),
    );
    if (patch === null) return null;
    if (patch.lines === 0) files.addEmpty(file.diff);
    else if (!files.add(file.diff, patch)) break;
  }
  return await files.result(changes.length);
}

/**
 * Reserves the memory of `nativeDiff` from the budget of the current caller while `work` runs.
 * @param needed returns the bytes required by the answer from then on
 * @returns the result of `work`
 */
export async function withDiffMemory<T>(work: () => Promise<T>, needed: (result: T) => number): Promise<T> {
  const { memory, signal } = currentScope();
  await memory?.hold(MEMORY, signal);
  let reserved = 0;
  try {
    const result = await work();
    reserved = Math.min(needed(result), MEMORY);
    return result;
  } finally {
    memory?.give(MEMORY - reserved);
  }
}

function textPatch(file: FileDiff, old: Buffer, now: Buffer, effort: DiffBudget): Patch | null {
  const hunks = lineDiff(old, now, effort);
  if (hunks === null) return null;
  const { bytes, lines, additions, deletions } = hunks;
  file.additions = additions;
  file.deletions = deletions;
  return { bytes: bytes.length, lines, content: () => bytes };
}

function binaryPatch(file: FileDiff): Patch | null {
  if (!PLAIN.test(file.newPath)) return null;
  file.binary = true;
  const before = file.newFile ? '/dev/null' : `a/${file.oldPath}`;
  const after = file.deletedFile ? '/dev/null' : `b/${file.newPath}`;
  const text = `Binary files ${before} and ${after} differ\n`;
  return { bytes: text.length, lines: 1, content: () => Buffer.from(text) };
}
