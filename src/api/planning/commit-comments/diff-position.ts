import type { FileDiff } from '../../../git/diff/index.ts';
import type { Commit } from '../../../git/objects/index.ts';

/** The commented line of a diff, as stored and shown. */
export interface DiffPosition {
  base_sha: string | null;
  start_sha: string | null;
  head_sha: string;
  position_type: 'text';
  old_path: string;
  new_path: string;
  /** Line number before the change; null for an added line. */
  old_line: number | null;
  /** Line number after the change; null for a removed line. */
  new_line: number | null;
}

export type LineType = 'new' | 'old';
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Whether the hunks add (`new`) or remove (`old`) a line. @param line number from 1 on that side */
export function changesLine(hunks: string, line: number, type: LineType): boolean {
  let before = 0;
  let after = 0;
  for (const text of hunks.split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
    } else if (text.startsWith('+')) {
      if (type === 'new' && after === line) return true;
      after += 1;
    } else if (text.startsWith('-')) {
      if (type === 'old' && before === line) return true;
      before += 1;
    } else if (text.startsWith(' ')) {
      before += 1;
      after += 1;
    }
  }
  return false;
}

/** Finds the position of a line in the diff of a commit; null if the commit does not change it. */
export function findPosition(
  commit: Commit,
  files: readonly FileDiff[],
  target: { path: string; line: number; type: LineType },
): DiffPosition | null {
  const { path, line, type } = target;
  const file = files.find(({ newPath }) => newPath === path);
  if (file === undefined || !changesLine(file.diff, line, type)) return null;
  const parent = commit.parents[0] ?? null;
  return {
    base_sha: parent,
    start_sha: parent,
    head_sha: commit.oid,
    position_type: 'text',
    old_path: file.oldPath.toWellFormed(),
    new_path: file.newPath.toWellFormed(),
    old_line: type === 'old' ? line : null,
    new_line: type === 'new' ? line : null,
  };
}
