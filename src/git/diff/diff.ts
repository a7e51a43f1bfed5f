import { currentScope } from '../../core/request-scope.ts';
import { cacheKey, checkOids, emptyTreeLike, GitError, ResultCache } from '../common/index.ts';
import {
  DEFAULT_CHILD_MEMORY,
  DIFF_OPTIONS,
  isPathArgument,
  LITERAL_PATHS,
  readRecords,
  WORKER_CONTEXT_LINES,
} from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { firstParentOf, treeOf } from '../trees/index.ts';
import type { DiffLimits, DiffResult, FileDiff } from './diff-result.ts';
import { nativeDiff, withDiffMemory } from './native-diff.ts';
import { PatchParser } from './patch-parser.ts';

export interface DiffOptions extends Partial<DiffLimits> {
  /** Limits the diff to these files and folders, taken literally. */
  paths?: readonly string[];
  /**
   * Number of context lines; default 3, at most 100. Other values than 3 require a separate process, as do the other
   * options.
   */
  context?: number;
  /** Whether to ignore changes in whitespace. */
  ignoreWhitespace?: boolean;
  /** Whether the in-process diff was already tried. */
  onlyGit?: boolean;
}

/** The platform's default limits. */
export const DEFAULT_DIFF_LIMITS: Readonly<DiffLimits> = {
  maxFiles: 1_000,
  maxLines: 50_000,
  maxBytes: 1_000 * 5 * 1024,
  maxPatchBytes: 200 * 1024,
  expanded: true,
};

const MiB = 1024 * 1024;
/** Bytes of patches above which a result takes memory from the budget. */
const SMALL_BYTES = 512 * 1024;
/** Memory limit of git for two large files, if the server allows it. */
const LARGE_CHILD = 512 * MiB;
const LEAST_LARGE_CHILD = 256 * MiB;
/** Ratio of the memory of an answer (strings, JSON, bytes) to its patch bytes. */
const ANSWER_FACTOR = 4;
const MAX_CONTEXT = 100;
const CPU_MS = 30_000;
const bytesOf = ({ files }: DiffResult): number => files.reduce((sum, { diff }) => sum + diff.length, 0);
const sizeOf = (result: DiffResult): number => bytesOf(result) * ANSWER_FACTOR;
const sizeOfFile = (file: FileDiff) => 2 * (file.diff.length + file.oldPath.length + file.newPath.length) + 300;
const results = new ResultCache<DiffResult>('git_diffs', ({ files }) =>
  files.reduce((sum, file) => sum + sizeOfFile(file), 100),
);

function limitsOf(options: Partial<DiffLimits>): DiffLimits {
  const usual = DEFAULT_DIFF_LIMITS;
  return {
    maxFiles: options.maxFiles ?? usual.maxFiles,
    maxLines: options.maxLines ?? usual.maxLines,
    maxBytes: options.maxBytes ?? usual.maxBytes,
    maxPatchBytes: options.maxPatchBytes ?? usual.maxPatchBytes,
    expanded: options.expanded ?? usual.expanded,
  };
}

/**
 * Changes between two commits or trees, file by file in git's order. Pass the merge base as `from` for a three-dot
 * comparison.
 * @param from id of a commit or tree; null for the empty tree
 * @param to id of a commit or tree
 * @throws GitError `failed` if an id does not exist, `timeout` after 30 seconds
 */
export async function diffTrees(
  repo: Repository,
  from: string | null,
  to: string,
  options: DiffOptions = {},
): Promise<DiffResult> {
  const oldTree = from ?? emptyTreeLike(to);
  checkOids([oldTree, to]);
  const { paths, context = WORKER_CONTEXT_LINES, ignoreWhitespace = false, onlyGit = false } = options;
  const limits = limitsOf(options);
  const literal = (paths ?? []).filter(isPathArgument);
  const nothing: DiffResult = { files: [], overflow: false, changedFiles: 0 };
  if (paths !== undefined && literal.length === 0) return nothing;
  const lines = Math.min(Math.max(0, Math.trunc(context)), MAX_CONTEXT);
  const args = ['diff-tree', ...DIFF_OPTIONS, `--unified=${lines}`];
  if (ignoreWhitespace) args.push('--ignore-all-space');
  args.push('--end-of-options', oldTree, to, '--', ...literal);
  const isWarm = paths === undefined && lines === WORKER_CONTEXT_LINES && !ignoreWhitespace;
  const warm = (parser: PatchParser) => byWorker(repo, oldTree, to, limits.maxPatchBytes + 1, parser);
  const base = from === emptyTreeLike(to) ? null : from;
  const plain = () =>
    withDiffMemory(
      () => nativeDiff(repo, base, to, limits),
      (diff) => (diff === null ? 0 : sizeOf(diff)),
    );
  let computed = false;
  const result = await results.get(cacheKey(repo.key, args, limits), async () => {
    computed = true;
    return (
      (isWarm && !onlyGit ? await plain() : null) ?? (await readDiff(repo, args, limits, isWarm ? warm : undefined))
    );
  });
  // An answer made from a cached result requires memory as well.
  if (!computed && bytesOf(result) > SMALL_BYTES)
    await currentScope().memory?.hold(sizeOf(result), currentScope().signal);
  return result;
}

/** Reads a diff with little memory, with a reused process if possible, and otherwise with much memory. */
async function readDiff(
  repo: Repository,
  args: readonly string[],
  limits: DiffLimits,
  warm: ((parser: PatchParser) => Promise<boolean>) | undefined,
): Promise<DiffResult> {
  const { memory, signal } = currentScope();
  const attempt = async (child: number, maxBytes: number, read = byProcess(repo, args, limits, child)) => {
    const cost = child + maxBytes * ANSWER_FACTOR;
    await memory?.hold(cost, signal);
    let needed = 0;
    try {
      const parser = new PatchParser({ ...limits, maxBytes: maxBytes });
      if (!(await read(parser))) return null;
      const result = await parser.finish();
      needed = sizeOf(result);
      return result;
    } finally {
      memory?.give(cost - needed);
    }
  };
  const smallBytes = Math.min(SMALL_BYTES, limits.maxBytes);
  const first = warm && (await attempt(DEFAULT_CHILD_MEMORY, smallBytes, warm).catch(nullWhereItFailed));
  const small = first ?? (await attempt(DEFAULT_CHILD_MEMORY, smallBytes).catch(nullWhereItFailed));
  if (small !== null && !(small.overflow && limits.maxBytes > SMALL_BYTES)) return small;
  const child = Math.min(LARGE_CHILD, Math.max(memory?.total ?? LARGE_CHILD, LEAST_LARGE_CHILD));
  return (await attempt(child, limits.maxBytes))!;
}

/** Without memory, git may report unreadable objects. */
function nullWhereItFailed(error: unknown): null {
  if (error instanceof GitError && (error.code === 'output_too_large' || error.code === 'failed')) return null;
  throw error;
}

/** Reads a diff with a separate process. */
function byProcess(repo: Repository, args: readonly string[], limits: DiffLimits, memory: number) {
  return async (parser: PatchParser): Promise<boolean> => {
    await readRecords(
      args,
      {
        gitDir: repo.dir,
        env: LITERAL_PATHS,
        cpuMs: CPU_MS,
        maxRecord: limits.maxPatchBytes + 1,
        maxOutput: Number.POSITIVE_INFINITY,
        memory,
      },
      (line, length) => parser.push(line, 0, line.length, length),
    );
    return true;
  };
}

/** Reads a diff with a reused process. @returns false if an object is missing */
async function byWorker(repo: Repository, from: string, to: string, maxRecord: number, parser: PatchParser) {
  const question = await questionOf(repo, from, to);
  if (question === null) return false;
  let answered = false;
  const onLine = (bytes: Buffer, start: number, end: number, length: number) => {
    if (answered) return parser.push(bytes, start, end, length);
    answered = bytes.toString('latin1', start, end) === question.header;
    return answered;
  };
  await repo.diffs.ask({ lines: [question.line], onLine, maxRecord, cpuMs: CPU_MS });
  return answered;
}

/** Input line for a reused process, and the first line of its answer. */
async function questionOf(
  repo: Repository,
  from: string,
  to: string,
): Promise<{ line: string; header: string } | null> {
  const [before, after] = await Promise.all([repo.objects.commit(from), repo.objects.commit(to)]);
  // Git caches requested trees until it exits.
  if (before !== null && after !== null) return { line: `${to} ${from}`, header: to };
  const trees: string[] = [];
  for (const oid of [from, to]) {
    const tree = oid === emptyTreeLike(oid) ? oid : await treeOf(repo, oid);
    if (tree === null) return null;
    trees.push(tree);
  }
  return { line: trees.join(' '), header: trees.join(' ') };
}

/**
 * Changes of a commit against its first parent, or against the empty tree for a root commit. Serves `GET
 * /projects/:id/repository/commits/:sha/diff`.
 * @throws GitError `not_found` if `oid` is not a commit of the repository, else as `diffTrees`
 */
export async function commitDiff(repo: Repository, oid: string, options: DiffOptions = {}): Promise<DiffResult> {
  const parent = await firstParentOf(repo, oid);
  if (parent === undefined) throw new GitError('not_found', `no commit ${oid}`);
  return await diffTrees(repo, parent, oid, options);
}
