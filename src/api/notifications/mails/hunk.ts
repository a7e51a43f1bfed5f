import { parseJson } from '../../../db/columns.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { isOid } from '../../../git/common/index.ts';
import { diffTrees } from '../../../git/diff/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { type Block, line, quoted } from './notification-mails.block.ts';

/** Maximum number of diff lines above a comment. */
const LINES_ABOVE = 8;
const MAX_LINE = 500;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

interface Position {
  base_sha?: string | null;
  head_sha?: string;
  old_path?: string;
  new_path?: string;
  old_line?: number | null;
  new_line?: number | null;
}

/** Context of a diff comment: file and line, with the diff lines above it. */
export async function diffHunkOf(deps: Deps, project: Project, { position }: Pick<Note, 'position'>): Promise<Block[]> {
  if (position === null) return [];
  const place = parseJson<Position>(position);
  const { new_path: path = place.old_path, new_line: after, old_line: before } = place;
  if (path === undefined) return [];
  const number = after ?? before;
  const named = line(number == null ? `On ${path}:` : `On ${path}:${number}:`);
  const above = number == null ? null : await linesOf(deps, project, place);
  return above === null ? [named] : [named, quoted(above)];
}

/** Null if the diff no longer exists, is too large or has no such line. */
async function linesOf(deps: Deps, project: Project, place: Position): Promise<string | null> {
  const { base_sha = null, head_sha = '', old_path = '', new_path = '', old_line = null, new_line = null } = place;
  if (!isOid(head_sha) || (base_sha !== null && !isOid(base_sha))) return null;
  const paths = [old_path, new_path].filter((path) => path !== '');
  const { files } = await diffTrees(repositoryOf(deps, project), base_sha, head_sha, { paths }).catch(() => ({
    files: [],
  }));
  const file = files.find(({ oldPath, newPath }) => newPath === new_path || oldPath === old_path);
  return file === undefined ? null : linesAbove(file.diff, { old: old_line, new: new_line });
}

/** A line of a diff with at most eight lines above it; null if there is no such line. */
export function linesAbove(diff: string, position: { old: number | null; new: number | null }): string | null {
  let [before, after] = [0, 0];
  let seen: string[] = [];
  for (const text of diff.split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      seen = [];
      continue;
    }
    const mark = text[0] ?? '';
    if (mark !== '+' && mark !== '-' && mark !== ' ') continue;
    seen.push(text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text);
    const here = mark === '-' ? position.new === null && position.old === before : position.new === after;
    if (here) return seen.slice(-LINES_ABOVE - 1).join('\n');
    if (mark !== '+') before += 1;
    if (mark !== '-') after += 1;
  }
  return null;
}
