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

const MAX_CONTEXT = 100;
const TIMEOUT_MS = 30_000;
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
  return await results.get(cacheKey(repo.id, args, limits), async () => {
    const parser = new PatchParser(limits);
    await readRecords(
      args,
      {
        gitDir: repo.dir,
        env: LITERAL_PATHS,
        timeoutMs: TIMEOUT_MS,
        maxRecord: limits.maxPatchBytes + 1,
        maxOutput: Number.POSITIVE_INFINITY,
      },
      (line, length) => parser.push(line, length),
    );
    return parser.finish();
  });
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
