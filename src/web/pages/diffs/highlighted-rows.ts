import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../core/html.ts';
import type { DiffRow } from '../../diff-lines/index.ts';
import { highlightLines } from '../../highlight/index.ts';

/** Characters of a diff whose lines are highlighted. */
const MAX_HIGHLIGHTED = 256 * 1024;

/** HTML of the text of each row: the lines of the old and of the new file are highlighted as far as the diff shows them. */
export async function highlightedRows(
  { old_path, new_path }: { old_path: string; new_path: string },
  rows: readonly DiffRow[],
): Promise<Map<DiffRow, string>> {
  const length = rows.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MAX_HIGHLIGHTED) return new Map(rows.map((row) => [row, escapeHtml(row.text)]));
  const before = rows.filter(({ kind }) => kind === 'delete' || kind === 'context');
  const after = rows.filter(({ kind }) => kind === 'add' || kind === 'context');
  const [old, own] = await Promise.all([linesOf(before, old_path), linesOf(after, new_path)]);
  const lines = new Map<DiffRow, string>();
  for (const [index, row] of before.entries()) lines.set(row, old[index]!);
  for (const [index, row] of after.entries()) lines.set(row, own[index]!);
  return lines;
}

function linesOf(rows: readonly DiffRow[], path: string): Promise<string[]> {
  const text = rows.map((row) => row.text).join('\n');
  return highlightLines(createHash('sha256').update(text).digest('base64'), text, { path });
}
