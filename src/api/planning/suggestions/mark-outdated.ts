import { bit, parseJson } from '../../../db/columns.ts';
import type { Deps } from '../../../deps.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { lockMergeRequest } from '../merge-requests/lifecycle/merge-requests.lock.ts';
import type { Position } from '../notes/notes.responses.ts';
import { readFile, seekLine } from './suggestion-source.ts';
import { lineOf, rangeOf } from './suggestions.rules.ts';

/** Maximum number of suggestions to look at after a push; the newest take precedence. */
const MAX_SUGGESTIONS = 500;

/** A suggestion whose lines have changed, or have become what they were. */
interface Verdict {
  id: number;
  outdated: boolean;
}

/** Marks the suggestions of a merge request whose lines differ at its head. Called after their threads have followed. */
export async function markOutdated(deps: Deps, repo: Repository, mergeRequestId: number, head: string): Promise<void> {
  const verdicts = await verdictsOf(deps, repo, mergeRequestId, head);
  if (verdicts.length === 0) return;
  await deps.db.transaction().execute(async (db) => {
    if ((await lockMergeRequest(db, mergeRequestId))?.head_sha !== head) return;
    for (const outdated of [true, false]) {
      const ids = verdicts.flatMap((each) => (each.outdated === outdated ? [each.id] : []));
      if (ids.length === 0) continue;
      await db
        .updateTable('suggestions')
        .set({ outdated: bit(outdated) })
        .where('id', 'in', ids)
        .execute();
    }
  });
}

async function verdictsOf(deps: Deps, repo: Repository, mergeRequestId: number, head: string): Promise<Verdict[]> {
  const rows = await deps.db
    .selectFrom('suggestions')
    .innerJoin('notes', 'notes.id', 'suggestions.note_id')
    .selectAll('suggestions')
    .select('notes.position')
    .where('notes.noteable_type', '=', 'MergeRequest')
    .where('notes.noteable_id', '=', mergeRequestId)
    .where('notes.diff_refs_outdated', '=', 0)
    .where('suggestions.commit_id', 'is', null)
    .orderBy('suggestions.id', 'desc')
    .limit(MAX_SUGGESTIONS)
    .execute();
  const placed = rows.flatMap((row) => {
    const position = parseJson<Position>(row.position!);
    return position.head_sha === head ? [{ row, position }] : [];
  });
  const verdicts: Verdict[] = [];
  for (const [path, inFile] of Map.groupBy(placed, ({ position }) => position.new_path)) {
    const data = await readFile(repo, head, path);
    for (const { row, position } of inFile) {
      const { from, to } = rangeOf(row, lineOf(position));
      const outdated = data === null || linesOf(data, from, to) !== row.from_content;
      if (outdated !== (row.outdated === 1)) verdicts.push({ id: row.id, outdated });
    }
  }
  return verdicts;
}

function linesOf(data: Buffer, from: number, to: number): string {
  const start = seekLine(data, { line: 1, offset: 0 }, from);
  return data.toString('utf8', start.offset, seekLine(data, start, to + 1).offset);
}
