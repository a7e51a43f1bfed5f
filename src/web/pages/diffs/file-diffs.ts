import { setImmediate as turn } from 'node:timers/promises';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { type DiffRow, diffRows } from '../../diff-lines/index.ts';
import { type DiffView, diffTable, fileAnchor } from './diff-table.ts';
import { highlightedRows } from './highlighted-rows.ts';

/** Rows and characters of all files of a page, and of a file that is shown alone. */
const MAX = { rows: 3_000, text: 384 * 1024 };
const MAX_ALONE = { rows: 10_000, text: 1024 * 1024 };
/** Characters of the diff of one of several files, and of a line. */
const MAX_FILE = 128 * 1024;
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
  /** Path of a page with one of the files alone, if there are such. @param at its place among those of this page */
  alonePath?(at: number): string;
  /** Path of the page of a file. */
  filePath?(file: ChangedFile): string | null;
  /** What stands above the lines of a file, and below one of them. */
  above?(file: ChangedFile): Part;
  below?(file: ChangedFile, row: DiffRow): Part;
  /** What stands below all lines of a file. @param at its place among those of this page */
  foot?(file: ChangedFile, at: number): Part;
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
export async function fileDiffs(c: PageContext, files: readonly ChangedFile[], options: DiffOptions): Promise<Html> {
  const left = { ...(options.isAlone ? MAX_ALONE : MAX) };
  const boxes: Html[] = [];
  for (const [index, file] of files.entries()) {
    boxes.push(await fileBox(c, file, index, options, left));
    // Others have their turn between files.
    await turn();
  }
  return html`${boxes}`;
}

async function fileBox(
  { at }: PageContext,
  file: ChangedFile,
  index: number,
  options: DiffOptions,
  left: typeof MAX,
): Promise<Html> {
  const { new_path: path } = file;
  const anchor = fileAnchor(path);
  const page = options.filePath?.(file) ?? null;
  return html`<section class="box" id="${anchor}" aria-label="${path}"><header><a class="mono" href="#${anchor}">${path}</a> ${factsOf(file)}${
    page === null ? null : html`<a href="${at(page)}" aria-label="View file ${path}">View file</a>`
  }</header>
${options.above?.(file)}${await linesOf(at, file, index, options, left)}${options.foot?.(file, index)}</section>`;
}

async function linesOf(
  at: PageContext['at'],
  file: ChangedFile,
  index: number,
  { view, isAlone, alonePath, below }: DiffOptions,
  left: typeof MAX,
): Promise<Html> {
  const { diff, new_path: path } = file;
  if (file.too_large || file.collapsed || (isAlone && diff.length > left.text))
    return html`<p class="in quiet">These changes are too large to be shown.</p>`;
  const rows = diff.length > left.text ? [] : diffRows(diff);
  const isTooLarge = diff.length > Math.min(MAX_FILE, left.text) || rows.length > left.rows;
  if (isTooLarge && !isAlone)
    return html`<p class="in">These changes are too large to be shown here.${
      alonePath === undefined
        ? null
        : html` <a href="${at(alonePath(index))}" aria-label="Show them alone: ${path}">Show them alone</a>`
    }</p>`;
  if (rows.length === 0) return html`<p class="in quiet">There are no lines to be shown.</p>`;
  const shown = rows.slice(0, left.rows).map(shortened);
  left.rows -= shown.length;
  left.text -= diff.length;
  const rest = rows.length - shown.length;
  const lines = await highlightedRows(file, shown);
  const table = await diffTable(shown, { path, view, lines, below: (row) => below?.(file, row) ?? null });
  return html`${table}${rest > 0 ? html`<p class="in quiet">${rest} further lines are not shown.</p>` : null}`;
}
