import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import type { Noteable } from '../notes/noteable.ts';
import type { Position } from '../notes/notes.responses.ts';
import { MAX_CONTEXT, suggestionBlocks } from './suggestion-blocks.ts';

/** Maximum size of a file that suggestions can change. */
const MAX_FILE = 1024 * 1024;

/** The lines around a commented one, from which its suggestions are made. */
export interface SuggestionSource {
  /** Number of the commented line, from 1. */
  line: number;
  /** Number of the first of `lines`. */
  first: number;
  /** Lines with their ends. */
  lines: readonly string[];
}

/** Where a line of a file begins. */
interface LineStart {
  line: number;
  offset: number;
}

/**
 * Reads what the suggestions of a comment would replace. Called before the transaction that writes the comment.
 * @param position of the comment; null for none
 * @param body text of the comment
 * @returns null if it can suggest nothing: without a block, outside a merge request, not on an added or unchanged line
 */
export async function readSource(
  deps: Deps,
  project: Project,
  { type }: Pick<Noteable, 'type'>,
  position: object | null | undefined,
  body: string,
): Promise<SuggestionSource | null> {
  if (type !== 'MergeRequest' || position == null || suggestionBlocks(body).length === 0) return null;
  const { position_type, head_sha, new_path, new_line } = position as Position;
  if (position_type !== 'text' || new_line == null) return null;
  const data = await readFile(repositoryOf(deps, project), head_sha, new_path);
  if (data === null) return null;
  const first = Math.max(1, new_line - MAX_CONTEXT);
  const lines: string[] = [];
  let start = seekLine(data, { line: 1, offset: 0 }, first);
  while (start.line <= new_line + MAX_CONTEXT && start.offset < data.length) {
    const next = seekLine(data, start, start.line + 1);
    lines.push(data.toString('utf8', start.offset, next.offset));
    start = { line: start.line + 1, offset: next.offset };
  }
  return { line: new_line, first, lines };
}

/** The content of a file of a commit, not to be modified; null if there is none, or if it is larger than 1 MiB. */
export async function readFile(repo: Repository, commit: string, path: string): Promise<Buffer | null> {
  const entry = await entryAt(repo, commit, path);
  if (entry?.type !== 'blob') return null;
  return (await repo.objects.read(entry.oid, MAX_FILE))?.data ?? null;
}

/** Goes on to a later line; to the end of the file if it has fewer. */
export function seekLine(data: Buffer, from: LineStart, line: number): LineStart {
  let at = from.line;
  let { offset } = from;
  for (; offset < data.length && at < line; offset += 1) {
    if (data[offset] === 10) at += 1;
  }
  return { line: at, offset };
}
