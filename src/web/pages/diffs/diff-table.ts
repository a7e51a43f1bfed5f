import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { type Html, html, type Part, trusted } from '../../core/template.ts';
import { type DiffRow, type DiffRowPair, diffRowPairs, markRanges } from '../../diff-lines/index.ts';

/** Rows that are made without a turn of others, in a millisecond. */
const ROWS_PER_TURN = 100;
const MARKS = { hunk: '', context: ' ', add: '+', delete: '-' } as const;

const digestOf = (path: string): string => createHash('sha1').update(path).digest('hex');

/** Anchor of a file in a page of changes. */
export const fileAnchor = (path: string): string => `diff-${digestOf(path)}`;

/** How changes are shown. */
export type DiffView = 'inline' | 'parallel';

/** A table of changes of a file. */
export interface DiffTable {
  /** Path of the file, for the anchors of its lines. */
  path: string;
  view: DiffView;
  /** HTML of the text of each row. */
  lines: ReadonlyMap<DiffRow, string>;
  /** What stands below a line, such as its comments. */
  below(row: DiffRow): Part;
}

const textOf = (lines: DiffTable['lines'], row: DiffRow): Html =>
  html`${trusted(markRanges(lines.get(row) ?? '', row.changed))}${
    row.isWithoutEnd ? html` <span class="quiet">(no newline at the end)</span>` : null
  }`;

/** The cell of a number, which leads to its line. */
const numberCell = (anchor: string, number: number | null, side: string, hasId = false): Html =>
  number === null
    ? html`<td class="number"></td>`
    : html`<td class="number"${hasId ? html` id="${anchor}"` : null}><a href="#${anchor}" aria-label="${side} line ${number}">${number}</a></td>`;

const hunkCell = (row: DiffRow, columns: number): Html =>
  html`<td class="hunk" colspan="${columns}">@@ -${row.old} +${row.new} @@ ${row.text}</td>`;

/**
 * Rows of changes as a table: deleted and added lines below, or beside each other. Others have their turn after some rows.
 */
export async function diffTable(rows: readonly DiffRow[], { path, view, lines, below }: DiffTable): Promise<Html> {
  const digest = digestOf(path);
  const anchorOf = (row: DiffRow): string => `${digest}_${row.old ?? ''}_${row.new ?? ''}`;
  const belowRow = (part: Part, columns: number): Part =>
    part === null ? null : html`<tr><td class="notes" colspan="${columns}">${part}</td></tr>`;
  const inline = (row: DiffRow): Html => {
    if (row.kind === 'hunk') return html`<tr>${hunkCell(row, 4)}</tr>`;
    const anchor = anchorOf(row);
    return html`<tr id="${anchor}">${numberCell(anchor, row.old, 'Old')}${numberCell(anchor, row.new, 'New')}<td class="number ${row.kind}">${MARKS[row.kind]}</td><td class="${row.kind}">${textOf(lines, row)}</td></tr>${belowRow(below(row), 4)}`;
  };
  const half = (row: DiffRow | null, side: 'old' | 'new', hasId = false): Part =>
    row === null
      ? html`<td class="number"></td><td></td>`
      : html`${numberCell(anchorOf(row), row[side], side === 'old' ? 'Old' : 'New', hasId)}<td class="${row.kind}">${textOf(lines, row)}</td>`;
  const parallel = ({ left, right }: DiffRowPair): Html => {
    if (left?.kind === 'hunk') return html`<tr>${hunkCell(left, 4)}</tr>`;
    const first = (left ?? right)!;
    const notes = [left, right === left ? null : right].map((row) => row && below(row)).filter((part) => part !== null);
    return html`<tr id="${anchorOf(right ?? first)}">${half(left, 'old', left !== right && right !== null)}${half(right, 'new')}</tr>${belowRow(notes.length === 0 ? null : notes, 4)}`;
  };
  if (view === 'inline') return html`<table class="code">${await joined(rows, inline)}</table>`;
  const columns = html`<col class="number"><col><col class="number"><col>`;
  return html`<table class="code parallel"><colgroup>${columns}</colgroup>${await joined(diffRowPairs(rows), parallel)}</table>`;
}

/** HTML of all rows, made a few at a time. */
async function joined<T>(rows: readonly T[], rowHtml: (row: T) => Html): Promise<Html> {
  let text = '';
  for (const [index, row] of rows.entries()) {
    text += String(rowHtml(row));
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await turn();
  }
  return trusted(text);
}
