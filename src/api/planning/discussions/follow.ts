import type { MergeRequestDiff } from '../../../db/tables/merge-request-diffs.table.ts';
import { type DiffOptions, diffTrees, type FileDiff } from '../../../git/diff/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import type { Position } from '../notes/notes.responses.ts';
import { followLine, lineType } from './diff-lines.ts';

const LIMITS: DiffOptions = { maxPatchBytes: 1024 * 1024 };

type Shas = Pick<MergeRequestDiff, 'base_commit_sha' | 'start_commit_sha' | 'head_commit_sha'>;
/** Result for a line: its position in the newer version, or that it is outdated; undefined if unknown. */
type Fate = Position | 'outdated' | undefined;

interface Place {
  path: string;
  line: number;
}

/** Follows the line of a text position into a newer version of the merge request. */
export async function followPosition(repo: Repository, position: Position, to: Shas): Promise<Fate> {
  const { old_line = null, new_line = null } = position;
  const after = await followSide(repo, position.head_sha, to.head_commit_sha, position.new_path, new_line);
  const before = await followSide(repo, position.base_sha, to.base_commit_sha, position.old_path, old_line);
  if (after === undefined || before === undefined) return undefined;
  if (after === 'gone' || before === 'gone') return 'outdated';
  const { files, overflow } = await diffTrees(repo, to.base_commit_sha, to.head_commit_sha);
  const file = files.find(
    ({ oldPath, newPath }) =>
      (after === null || newPath === after.path) && (before === null || oldPath === before.path),
  );
  if (file === undefined) return overflow ? undefined : 'outdated';
  const line = { old: before?.line ?? null, new: after?.line ?? null };
  // An unchanged line is looked for near changes only, within the context that diffs show.
  if (lineType(file.diff, line, 0) === null) return cutShort(file) ? undefined : 'outdated';
  return {
    ...position,
    base_sha: to.base_commit_sha,
    start_sha: to.start_commit_sha,
    head_sha: to.head_commit_sha,
    old_path: file.oldPath.toWellFormed(),
    new_path: file.newPath.toWellFormed(),
    old_line: line.old,
    new_line: line.new,
    line_range: null,
  };
}

/** Maps a line of one commit to another; null for a missing side, undefined if the diff does not tell. */
export async function followSide(
  repo: Repository,
  from: string | null,
  to: string,
  path: string,
  line: number | null,
): Promise<Place | null | 'gone' | undefined> {
  if (line === null) return null;
  if (from === to || from === null) return { path, line };
  const { files, overflow } = await diffTrees(repo, from, to, LIMITS);
  const file = files.find(({ oldPath, newFile }) => oldPath === path && !newFile);
  if (file === undefined) return overflow ? undefined : { path, line };
  if (file.deletedFile) return 'gone';
  if (cutShort(file)) return undefined;
  const now = followLine(file.diff, line);
  return now === null ? 'gone' : { path: file.newPath, line: now };
}

/** Whether the diff of a changed file was left out. */
const cutShort = ({ diff, oldOid, newOid }: FileDiff): boolean => diff === '' && oldOid !== newOid;
