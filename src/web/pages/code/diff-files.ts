import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { escapeHtml } from '../../../core/html.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part, trusted } from '../../core/template.ts';
import { type DiffRow, diffRows, markRanges } from '../../diff-lines/index.ts';
import { highlightLines } from '../../highlight/index.ts';
import type { ProjectFacts } from '../project-frame.ts';
import { placePath } from './page-ref.ts';

/** The diff of a file as the API answers it. */
export interface FileDiff {
  diff: string;
  collapsed: boolean;
  too_large: boolean;
  new_path: string;
  old_path: string;
  a_mode: string;
  b_mode: string;
  new_file: boolean;
  renamed_file: boolean;
  deleted_file: boolean;
}

/** What a page shows of diffs: characters and lines of one file, and of all of them. */
const MAX = { file: { characters: 128 * 1024, lines: 2_000 }, page: { characters: 384 * 1024, lines: 6_000 } };
const MARKS = { hunk: '', context: ' ', delete: '-', add: '+' };

/** Name of the place on a page where the diff of a file begins. */
export const diffAnchor = (path: string): string => `diff-${createHash('sha1').update(path).digest('hex')}`;

/** Commits on both sides of diffs. */
interface Sides {
  /** Null if there is none: all files are new. */
  before: string | null;
  after: string;
}

/** The diffs of files, one after the other: what is too large only by its name. */
export async function diffFiles(
  c: PageContext,
  project: ProjectFacts,
  diffs: readonly FileDiff[],
  sides: Sides,
): Promise<Html[]> {
  const shown: Html[] = [];
  const left = { ...MAX.page };
  for (const diff of diffs) {
    const lines = linesOf(diff.diff);
    const isShown =
      diff.diff.length <= Math.min(MAX.file.characters, left.characters) &&
      lines <= Math.min(MAX.file.lines, left.lines);
    if (isShown) {
      left.characters -= diff.diff.length;
      left.lines -= lines;
    }
    shown.push(await fileDiff(c, project, diff, sides, isShown));
    // Others have their turn between the files.
    await nextTurn();
  }
  return shown;
}

/** Counts lines, as far as it matters. */
function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= MAX.file.lines; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

async function fileDiff(
  c: PageContext,
  project: ProjectFacts,
  diff: FileDiff,
  sides: Sides,
  isShown: boolean,
): Promise<Html> {
  const { new_path: path, old_path: oldPath, deleted_file: isDeleted } = diff;
  const anchor = diffAnchor(path);
  const at = isDeleted ? sides.before : sides.after;
  const name = oldPath === path ? path : `${oldPath} → ${path}`;
  return html`<section class="box" id="${anchor}" aria-label="${name}"><header><a class="mono" href="#${anchor}">${name}</a>${kindOf(diff)}${
    at === null
      ? null
      : html`<a href="${c.at(placePath(project, 'blob', at, isDeleted ? oldPath : path))}">View file</a>`
  }</header>
${await contentOf(diff, anchor, isShown)}</section>`;
}

function kindOf({ new_file, deleted_file, renamed_file, a_mode: before, b_mode: after }: FileDiff): Part {
  if (new_file) return html`<span class="state good">Added</span>`;
  if (deleted_file) return html`<span class="state bad">Deleted</span>`;
  return html`${renamed_file ? html`<span class="state">Renamed</span>` : null}${
    before === after ? null : html`<span class="quiet">${before} → ${after}</span>`
  }`;
}

async function contentOf(diff: FileDiff, anchor: string, isShown: boolean): Promise<Html> {
  if (diff.too_large || diff.collapsed || !isShown)
    return html`<p class="in quiet">This diff is too large to be shown.</p>`;
  const rows = diffRows(diff.diff);
  if (rows.length === 0) return html`<p class="in quiet">There are no lines to be shown.</p>`;
  const lines = await highlighted(diff, rows);
  return html`<table class="code"><tbody>${trusted(rows.map((row, index) => rowHtml(row, lines[index]!, anchor)).join('\n'))}</tbody></table>`;
}

function rowHtml(row: DiffRow, line: string, anchor: string): string {
  if (row.kind === 'hunk')
    return `<tr class="hunk"><td class="number">…</td><td class="number">…</td><td>${escapeHtml(row.text)}</td></tr>`;
  const id = `${anchor}-${row.old ?? ''}-${row.new ?? ''}`;
  const link = (text: number) => `<a href="#${id}">${text}</a>`;
  const old = row.old === null ? '' : row.new === null ? link(row.old) : row.old;
  const own = row.new === null ? '' : link(row.new);
  const end = row.isWithoutEnd ? ' <span class="quiet">(no newline at the end)</span>' : '';
  return `<tr id="${id}" class="${row.kind}"><td class="number">${old}</td><td class="number">${own}</td><td>${MARKS[row.kind]} ${markRanges(line, row.changed)}${end}</td></tr>`;
}

/** HTML of each row: the lines of the old and of the new file are highlighted as far as the diff shows them. */
async function highlighted({ old_path, new_path }: FileDiff, rows: readonly DiffRow[]): Promise<string[]> {
  const [before, after] = await Promise.all([
    sideOf(
      rows.filter(({ kind }) => kind === 'delete' || kind === 'context'),
      old_path,
    ),
    sideOf(
      rows.filter(({ kind }) => kind === 'add' || kind === 'context'),
      new_path,
    ),
  ]);
  let [old, own] = [0, 0];
  return rows.map(({ kind }) => {
    if (kind === 'hunk') return '';
    if (kind === 'delete') return before[old++]!;
    if (kind === 'context') old += 1;
    return after[own++]!;
  });
}

function sideOf(rows: readonly DiffRow[], path: string): Promise<string[]> {
  const text = rows.map((row) => row.text).join('\n');
  return highlightLines(createHash('sha256').update(text).digest('base64'), text, { path });
}
