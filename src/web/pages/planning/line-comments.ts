import { ApiRefusal } from '../../core/api-client.ts';
import type { PageContext, PageRoute } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';
import { diffRows } from '../../diff-lines/index.ts';
import type { ChangedFile } from '../diffs/file-diffs.ts';
import type { Refusal } from './discussion-parts.ts';
import { type FormTarget, issuableForm, type RenderRefusedForm } from './issuable-forms.ts';
import type { DiscussionRow, MergeRequestRow } from './planning.rows.ts';
import { problemNotice, textField, textOf } from './planning-forms.ts';

/** A number that a form sent; 0 for anything else. */
const numberIn = (c: PageContext, name: string): number =>
  /^[1-9]\d{0,8}$/.test(c.field(name)) ? Number(c.field(name)) : 0;

/** The place of the file of a form among the changed ones, from 1; 1 for none. */
export const fileOfForm = (c: PageContext): number => numberIn(c, 'at') || 1;

/**
 * The form that starts a thread on a line of a file.
 * @param path of the merge request
 * @param at place of the file among all changed ones, from 1
 * @param refusal of this form, which is filled with what was typed then
 */
export function lineForm(c: PageContext, path: string, file: ChangedFile, at: number, refusal: Refusal | null): Html {
  const id = `line-${at}`;
  const isOld = refusal === null ? file.deleted_file : c.field('side') === 'old';
  const option = (value: string, text: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen ? trusted(' selected') : null}>${text}</option>`;
  return html`<details class="in"${refusal === null ? null : trusted(' open')}><summary>Comment on a line of ${file.new_path}</summary>
${problemNotice(refusal?.problem ?? null)}<form class="stack" method="post" action="${c.at(`${path}/line_notes`)}">${c.formToken}
<input type="hidden" name="at" value="${at}"><input type="hidden" name="path" value="${file.new_path}">
<div><label for="${id}-side">Side</label><select id="${id}-side" name="side">${option('new', 'New lines', !isOld)}${option('old', 'Old lines', isOld)}</select></div>
<div><label for="${id}-number">Line</label><input id="${id}-number" name="line" type="number" min="1" value="${refusal === null ? '' : c.field('line')}" required></div>
${textField(`${id}-body`, 'body', 'Comment', refusal === null ? '' : textOf(c, 'body'), true)}
<div><button>Comment on line</button></div></form></details>`;
}

async function startThread(c: PageContext, { api }: FormTarget, filesPerPage: number): Promise<string> {
  const at = fileOfForm(c);
  const [{ diff_refs }, { rows: files }] = await Promise.all([
    c.api.get<MergeRequestRow>(api),
    c.api.list<ChangedFile>(`${api}/diffs`, { page: at, per_page: 1 }),
  ]);
  const [file] = files;
  if (file === undefined || file.new_path !== c.field('path'))
    throw new ApiRefusal(409, 'The changes have become others meanwhile.');
  const side = c.field('side') === 'old' ? 'old' : 'new';
  const line = numberIn(c, 'line');
  const row = diffRows(file.diff).find((row) => row.kind !== 'hunk' && row[side] === line);
  if (row === undefined) throw new ApiRefusal(422, 'The changes have no such line.');
  const { old_path, new_path } = file;
  const thread = await c.api.send<DiscussionRow>('POST', `${api}/discussions`, {
    body: textOf(c, 'body'),
    position: { ...diff_refs, position_type: 'text', old_path, new_path, old_line: row.old, new_line: row.new },
  });
  const note = thread.notes?.[0];
  return `/diffs?page=${Math.ceil(at / filesPerPage)}${note === undefined ? '' : `#note_${note.id}`}`;
}

/** Starts threads on lines. @param filesPerPage of the page of changes */
export const lineCommentPage = (filesPerPage: number, show: RenderRefusedForm): PageRoute =>
  issuableForm('merge_requests', 'line_notes', show, (c, target) => startThread(c, target, filesPerPage));
