import type { Db } from '../../../db/db.schema.ts';
import type { Suggestion } from '../../../db/tables/suggestions.table.ts';
import { suggestionBlocks } from './suggestion-blocks.ts';
import type { SuggestionSource } from './suggestion-source.ts';

/** Maximum length of what all suggestions of a comment replace; further blocks are only text. */
const MAX_REPLACED = 256 * 1024;

type NewSuggestion = Pick<Suggestion, 'lines_above' | 'lines_below' | 'from_content' | 'to_content'>;

/** The suggestions of a text. @param source null for a comment that can suggest nothing */
function suggestionsIn(body: string, source: SuggestionSource | null): NewSuggestion[] {
  if (source === null) return [];
  const { line, first, lines } = source;
  const suggested: NewSuggestion[] = [];
  let left = MAX_REPLACED;
  for (const { above, below, content } of suggestionBlocks(body)) {
    const replaced = lines.slice(Math.max(0, line - above - first), line + below + 1 - first);
    const from_content = replaced.join('');
    left -= from_content.length;
    if (left < 0) break;
    // Neither database stores it.
    if (from_content.includes('\0')) continue;
    const returns = replaced.length > 0 && replaced.every((each) => each.endsWith('\r\n'));
    const to_content = returns ? content.replaceAll('\n', '\r\n') : content;
    suggested.push({ lines_above: above, lines_below: below, from_content, to_content });
  }
  return suggested;
}

/** Stores the suggestions of a new comment, in its transaction. */
export async function recordSuggestions(
  db: Db,
  noteId: number,
  body: string,
  source: SuggestionSource | null,
): Promise<void> {
  await insert(db, noteId, suggestionsIn(body, source).entries());
}

/**
 * Stores the suggestions of a changed comment, in its transaction. Those whose block is the same keep their id, and
 * whether they were applied.
 */
export async function replaceSuggestions(
  db: Db,
  noteId: number,
  body: string,
  source: SuggestionSource | null,
): Promise<void> {
  const before = await db.selectFrom('suggestions').selectAll().where('note_id', '=', noteId).execute();
  const now = suggestionsIn(body, source);
  const isKept = ({ relative_order: order, lines_above, lines_below, to_content }: Suggestion): boolean =>
    now[order]?.lines_above === lines_above &&
    now[order].lines_below === lines_below &&
    now[order].to_content === to_content;
  const [kept, gone] = [before.filter(isKept), before.filter((each) => !isKept(each))];
  if (gone.length > 0) {
    const ids = gone.map(({ id }) => id);
    await db.deleteFrom('suggestions').where('id', 'in', ids).execute();
  }
  const orders = new Set(kept.map(({ relative_order }) => relative_order));
  await insert(
    db,
    noteId,
    now.entries().filter(([order]) => !orders.has(order)),
  );
}

async function insert(db: Db, note_id: number, ordered: Iterable<[number, NewSuggestion]>): Promise<void> {
  const rows = [...ordered].map(([relative_order, each]) => ({ note_id, relative_order, ...each, commit_id: null }));
  if (rows.length > 0) await db.insertInto('suggestions').values(rows).execute();
}
