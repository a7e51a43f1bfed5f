import type { RequestMemory } from '../core/request-memory.ts';
import { currentScope } from '../core/request-scope.ts';
import { checkOids, emptyTreeLike, isPathArgument, LITERAL_PATHS } from './arguments.ts';
import { GitError } from './errors.ts';
import { type DiffLimits, type DiffResult, type FileDiff, PatchParser } from './patch-parser.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

export interface DiffOptions extends Partial<DiffLimits> {
  /** Only these files and folders; taken literally. */
  paths?: readonly string[];
  /** Lines of context around a change; default 3, at most 100. */
  context?: number;
  /** Leave out changes of blanks only. */
  ignoreWhitespace?: boolean;
}

/** What the platform applies unless its administrator says otherwise. */
export const DEFAULT_DIFF_LIMITS: Readonly<DiffLimits> = {
  maxFiles: 1_000,
  maxLines: 50_000,
  maxBytes: 1_000 * 5 * 1024,
  maxPatchBytes: 200 * 1024,
  expanded: true,
};

const MiB = 1024 * 1024;
/** Bytes of patches that are kept at first, and what git may allocate for them. */
const SMALL_BYTES = 512 * 1024;
const SMALL_CHILD = 48 * MiB;
/** What git may allocate for two large files, if the server may take so much. */
const LARGE_CHILD = 512 * MiB;
const LEAST_LARGE_CHILD = 256 * MiB;
/** How many times the bytes of a patch its answer takes: texts, JSON, and its bytes. */
const ANSWER_FACTOR = 4;
const MAX_CONTEXT = 100;
const TIMEOUT_MS = 30_000;
const bytesOf = ({ files }: DiffResult): number => files.reduce((sum, { diff }) => sum + diff.length, 0);
const sizeOfFile = (file: FileDiff) => 2 * (file.diff.length + file.oldPath.length + file.newPath.length) + 300;
const results = new ResultCache<DiffResult>(16 * 1024 * 1024, ({ files }) =>
  files.reduce((sum, file) => sum + sizeOfFile(file), 100),
);

const COMMAND = [
  'diff-tree',
  '-r',
  '--raw',
  '--patch',
  '--full-index',
  '--find-renames=30%',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

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
 * What changed from one commit or tree to another, file by file in git's order. Give the merge base as `from` for the
 * three-dot comparison.
 * @param from id of a commit or tree; null stands for the empty tree
 * @param to id of a commit or tree
 * @throws GitError `failed` where an id is not in the repository, `timeout` after 30 seconds
 */
export async function diffTrees(
  repo: Repository,
  from: string | null,
  to: string,
  options: DiffOptions = {},
): Promise<DiffResult> {
  const oldTree = from ?? emptyTreeLike(to);
  checkOids([oldTree, to]);
  const { paths, context = 3, ignoreWhitespace = false } = options;
  const limits = limitsOf(options);
  const literal = (paths ?? []).filter(isPathArgument);
  const nothing: DiffResult = { files: [], overflow: false, changedFiles: 0 };
  if (paths !== undefined && literal.length === 0) return nothing;
  const args = [...COMMAND, `--unified=${Math.min(Math.max(0, Math.trunc(context)), MAX_CONTEXT)}`];
  if (ignoreWhitespace) args.push('--ignore-all-space');
  args.push('--end-of-options', oldTree, to, '--', ...literal);
  const { memory } = currentScope();
  let computed = false;
  const result = await results.get(cacheKey(repo.id, args, limits), () => {
    computed = true;
    return readDiff(repo, args, limits, memory);
  });
  // What is made of a kept result for the answer takes room, too.
  if (!computed && bytesOf(result) > SMALL_BYTES)
    await memory?.hold(bytesOf(result) * ANSWER_FACTOR, currentScope().signal);
  return result;
}

/** Reads a diff within little memory, and where that does not do, with much of it. */
async function readDiff(
  repo: Repository,
  args: readonly string[],
  limits: DiffLimits,
  memory: RequestMemory | undefined,
): Promise<DiffResult> {
  const { signal } = currentScope();
  const attempt = async (child: number, kept: number) => {
    const cost = child + kept * ANSWER_FACTOR;
    await memory?.hold(cost, signal);
    let needed = 0;
    try {
      const parser = new PatchParser({ ...limits, maxBytes: kept });
      await readRecords(
        args,
        {
          gitDir: repo.dir,
          env: LITERAL_PATHS,
          timeoutMs: TIMEOUT_MS,
          maxRecord: limits.maxPatchBytes + 1,
          maxOutput: Number.POSITIVE_INFINITY,
          memory: child,
        },
        (line, length) => parser.push(line, length),
      );
      const result = parser.finish();
      needed = bytesOf(result) * ANSWER_FACTOR;
      return result;
    } finally {
      memory?.give(cost - needed);
    }
  };
  const small = await attempt(SMALL_CHILD, Math.min(SMALL_BYTES, limits.maxBytes)).catch((error: unknown) => {
    // Git that has no memory left may say that it cannot read an object.
    const enough = !(error instanceof GitError) || !(error.code === 'output_too_large' || error.code === 'failed');
    if (enough) throw error;
    return null;
  });
  if (small !== null && !(small.overflow && limits.maxBytes > SMALL_BYTES)) return small;
  const child = Math.min(LARGE_CHILD, Math.max(memory?.total ?? LARGE_CHILD, LEAST_LARGE_CHILD));
  return await attempt(child, limits.maxBytes);
}

/**
 * What a commit changed: against its first parent, or the empty tree for a root commit.
 * Serves `GET /projects/:id/repository/commits/:sha/diff`.
 * @throws GitError `not_found` where `oid` is no commit of the repository, else as `diffTrees`
 */
export async function commitDiff(repo: Repository, oid: string, options: DiffOptions = {}): Promise<DiffResult> {
  const commit = await repo.objects.commit(oid);
  if (commit === null) throw new GitError('not_found', `no commit ${oid}`);
  return await diffTrees(repo, commit.parents[0] ?? null, oid, options);
}
