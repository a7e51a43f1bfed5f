import { setImmediate as turn } from 'node:timers/promises';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { type DiffRow, diffRows } from '../../diff-lines/index.ts';
import { type DiffView, diffTable, fileAnchor } from './diff-table.ts';

/** Rows of all files of a page, and of a file that is shown alone. */
const MAX_ROWS = 3_000;
const MAX_ALONE = 20_000;
/** Characters of a line that are shown. */
const MAX_LINE = 5_000;

/** A changed file, as the API has it. */
export interface ChangedFile {
  old_path: string;
  new_path: string;
  a_mode: string;
  b_mode: string;
  new_file: boolean;
  renamed_file: boolean;
  deleted_file: boolean;
  too_large?: boolean;
  collapsed?: boolean;
  diff: string;
}

/** What the files of a page are shown with. */
export interface DiffOptions {
  view: DiffView;
  /** Whether the page shows one file only. */
  isAlone: boolean;
  /** Path of a page with one of the files alone. @param at its place among those of this page */
  alonePath(at: number): string;
  /** What stands above the lines of a file, and below one of them. */
  above?(file: ChangedFile): Part;
  below?(file: ChangedFile, row: DiffRow): Part;
}

function factsOf({ new_file, deleted_file, renamed_file, old_path, a_mode, b_mode }: ChangedFile): Part {
  if (new_file) return html`<span class="state good">Added</span>`;
  if (deleted_file) return html`<span class="state bad">Deleted</span>`;
  const isModeChanged = a_mode !== b_mode;
  return html`${renamed_file ? html`<span class="quiet">renamed from ${old_path}</span>` : null}${
    isModeChanged ? html` <span class="quiet">mode ${a_mode} → ${b_mode}</span>` : null
  }`;
}

const shortened = (row: DiffRow): DiffRow =>
  row.text.length > MAX_LINE ? { ...row, text: `${row.text.slice(0, MAX_LINE)} …`, changed: [] } : row;

/** Changed files one below the other. Those for which the page is too long are named, with a link to each alone. */
export async function diffFiles(
  { at }: PageContext,
  files: readonly ChangedFile[],
  options: DiffOptions,
): Promise<Html> {
  const { view, isAlone, alonePath, above, below } = options;
  let left = isAlone ? MAX_ALONE : MAX_ROWS;
  const boxes: Html[] = [];
  for (const [index, file] of files.entries()) {
    const rows = diffRows(file.diff);
    const isShown = isAlone || rows.length <= left;
    const shown = isShown ? rows.slice(0, left).map(shortened) : [];
    left -= shown.length;
    const table = diffTable(shown, { path: file.new_path, view, below: (row) => below?.(file, row) ?? null });
    const alone = html`<a href="${at(alonePath(index))}" aria-label="Show ${file.new_path} alone">Show it alone</a>`;
    const rest = rows.length - shown.length;
    boxes.push(html`<section class="box" id="${fileAnchor(file.new_path)}" aria-label="${file.new_path}"><header><strong>${file.new_path}</strong> ${factsOf(file)}</header>
${above?.(file)}${
  rows.length === 0
    ? html`<p class="in quiet">${file.too_large || file.collapsed ? 'These changes are too large to be shown.' : 'There are no lines to show.'}</p>`
    : isShown
      ? html`${table}${rest > 0 ? html`<p class="in quiet">${rest} further lines are not shown.</p>` : null}`
      : html`<p class="in">These changes have ${rows.length} lines. ${alone}</p>`
}</section>`);
    // Others have their turn between files.
    await turn();
  }
  return html`${boxes}`;
}
