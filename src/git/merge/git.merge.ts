import { checkOids, decodeBytes, GitError } from '../common/index.ts';
import { mergeBases } from '../history/index.ts';
import { type Commit, encodeCommit, hashObject, type NewObject, ObjectWriter } from '../objects/index.ts';
import { runGit } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { type MergedTrees, nativeMerge } from './native-merge.ts';

/** One version of a file with a conflict. */
export interface ConflictStage {
  path: string;
  mode: string;
  oid: string;
  /** Side of the version. */
  side: 'base' | 'ours' | 'theirs';
}

/**
 * `objects` have to be written before the tree exists; empty if it exists already. In case of a conflict, the written
 * tree contains the files with conflict markers.
 */
export type MergeResult =
  | { kind: 'clean'; tree: string; objects: readonly NewObject[] }
  | { kind: 'conflict'; tree: string; conflicts: ConflictStage[] }
  /** The commits share no history. */
  | { kind: 'unrelated' };

/** Result of a cherry-pick or revert; `empty`: no change on top of `onto`. */
export type PickResult = Exclude<MergeResult, { kind: 'unrelated' }> | { kind: 'empty' };

const CPU_MS = 60_000;
const SIDES = ['base', 'ours', 'theirs'] as const;
const STAGE = /^(\d{6}) ([0-9a-f]+) ([123])\t(.+)$/s;
/** Author of temporary commits. Constant, so that equal trees give equal commits, which do not accumulate. */
const NOBODY = { name: 'merge', email: 'merge@localhost', date: new Date(0) };

function parseStage(record: string): ConflictStage {
  const match = STAGE.exec(record);
  if (match === null) throw new GitError('corrupt', 'git merge-tree: not a stage');
  const [, mode = '', oid = '', stage, path = ''] = match;
  return { mode, oid, side: SIDES[Number(stage) - 1]!, path: decodeBytes(Buffer.from(path, 'latin1')) };
}

/**
 * Merges two commits from their merge base (a virtual one if there are several): in-process if no heuristics are
 * needed, else with git, which writes the trees and blobs of its result.
 * @param ours id of a commit
 * @param theirs id of a commit
 * @throws GitError `invalid` for incomplete ids, `failed` if one does not exist, `timeout` after a minute
 */
export async function mergeCommits(repo: Repository, ours: string, theirs: string): Promise<MergeResult> {
  const bases = await mergeBases(repo, [ours, theirs]);
  const [base, ...others] = bases;
  if (base === undefined) return { kind: 'unrelated' };
  const commits = await Promise.all([base, ours, theirs].map((oid) => repo.objects.commit(oid)));
  const [before, one, other] = commits.map((commit) => commit?.tree);
  if (others.length === 0 && before !== undefined && one !== undefined && other !== undefined) {
    const plain = await nativeMerge(repo, { base: before, ours: one, theirs: other });
    if (plain !== null) return { kind: 'clean', ...plain };
  }
  return await mergeByGit(repo, ours, theirs);
}

async function mergeByGit(repo: Repository, ours: string, theirs: string): Promise<MergeResult> {
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', '--end-of-options', ours, theirs];
  const limits = { gitDir: repo.dir, cpuMs: CPU_MS, okCodes: [0, 1, 128] };
  const { code, stdout, stderr } = await runGit(args, limits);
  // For a missing commit, git exits with the code of a conflict but prints no tree.
  if (code === 128 || stdout.length === 0) {
    if (stderr.includes('refusing to merge unrelated histories')) return { kind: 'unrelated' };
    throw new GitError('failed', `git merge-tree: ${stderr.trim()}`, code);
  }
  const [tree = '', ...stages] = stdout
    .toString('latin1')
    .split('\0')
    .filter((record) => record !== '');
  return code === 0
    ? { kind: 'clean', tree, objects: [] }
    : { kind: 'conflict', tree, conflicts: stages.map(parseStage) };
}

function helperCommit(tree: string, parents: readonly string[]): NewObject {
  const data = encodeCommit({ tree, parents, author: NOBODY, committer: NOBODY, message: 'merge' });
  const format = tree.length === 64 ? 'sha256' : 'sha1';
  return { type: 'commit', data, oid: hashObject('commit', data, format) };
}

/** Merges two trees with the common ancestor `base`. @throws GitError as `mergeCommits` */
async function mergeTrees(repo: Repository, trees: MergedTrees): Promise<Exclude<MergeResult, { kind: 'unrelated' }>> {
  if (trees.base === trees.theirs) return { kind: 'clean', tree: trees.ours, objects: [] };
  if (trees.base === trees.ours) return { kind: 'clean', tree: trees.theirs, objects: [] };
  const plain = await nativeMerge(repo, trees);
  if (plain !== null) return { kind: 'clean', ...plain };
  const base = helperCommit(trees.base, []);
  const ours = helperCommit(trees.ours, [base.oid!]);
  const theirs = helperCommit(trees.theirs, [base.oid!]);
  await writerFor(repo, trees.base).write([base, ours, theirs]);
  const result = await mergeByGit(repo, ours.oid!, theirs.oid!);
  if (result.kind === 'unrelated') throw new GitError('corrupt', 'temporary commits without a common parent');
  return result;
}

function writerFor(repo: Repository, oid: string): ObjectWriter {
  return new ObjectWriter(repo.dir, oid.length === 64 ? 'sha256' : 'sha1');
}

async function readCommit(repo: Repository, oid: string): Promise<Commit> {
  const commit = await repo.objects.commit(oid);
  if (commit === null) throw new GitError('not_found', `no commit ${oid}`);
  return commit;
}

/** Tree of a commit's parent; of a merge commit, the parent is given by number. */
async function treeBefore(repo: Repository, commit: Commit, mainline: number | undefined): Promise<string> {
  const { parents } = commit;
  if (parents.length === 0 && mainline === undefined) {
    const [tree] = await writerFor(repo, commit.oid).write([{ type: 'tree', data: Buffer.alloc(0) }]);
    return tree!;
  }
  if (parents.length > 1 && mainline === undefined) throw new GitError('invalid', 'a merge commit needs a mainline');
  const parent = parents[(mainline ?? 1) - 1];
  if (parent === undefined) throw new GitError('invalid', `no parent number ${mainline}`);
  return (await readCommit(repo, parent)).tree;
}

export interface PickOptions {
  /** Commit to apply or to revert. */
  commit: string;
  /** Commit to apply it to. */
  onto: string;
  /** For a merge commit, the number (from 1) of the parent to compare with; required in this case. */
  mainline?: number;
}

async function pick(repo: Repository, options: PickOptions, direction: 'apply' | 'undo'): Promise<PickResult> {
  checkOids([options.commit, options.onto]);
  const commit = await readCommit(repo, options.commit);
  const ours = (await readCommit(repo, options.onto)).tree;
  const before = await treeBefore(repo, commit, options.mainline);
  const [base, theirs] = direction === 'apply' ? [before, commit.tree] : [commit.tree, before];
  const result = await mergeTrees(repo, { base, ours, theirs });
  return result.kind === 'clean' && result.tree === ours ? { kind: 'empty' } : result;
}

/**
 * Applies a commit's change on top of another commit and returns the tree, without writing a commit. Serves `POST
 * /projects/:id/repository/commits/:sha/cherry_pick`.
 * @throws GitError `not_found` for a missing commit, `invalid` for a missing or wrong mainline, else as
 *   `mergeCommits`
 */
export async function cherryPick(repo: Repository, options: PickOptions): Promise<PickResult> {
  return await pick(repo, options, 'apply');
}

/**
 * Reverts a commit's change on top of another commit and returns the tree, without writing a commit. Serves `POST
 * /projects/:id/repository/commits/:sha/revert`.
 * @throws GitError as `cherryPick`
 */
export async function revert(repo: Repository, options: PickOptions): Promise<PickResult> {
  return await pick(repo, options, 'undo');
}
