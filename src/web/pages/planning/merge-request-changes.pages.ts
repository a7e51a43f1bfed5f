import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import type { DiffRow } from '../../diff-lines/index.ts';
import { type DiffView, fileAnchor } from '../diffs/diff-table.ts';
import { type ChangedFile, fileDiffs } from '../diffs/file-diffs.ts';
import { moment, pageOf, pagination } from '../parts.ts';
import { discussionHtml, MAX_DISCUSSIONS, type Refusal } from './discussion-parts.ts';
import { fileOfForm, lineCommentPage, lineForm } from './line-comments.ts';
import { type MergeRequestPlace, mergeRequestHead, mergeRequestOf, mergeRequestTitle } from './merge-request-frame.ts';
import type { DiscussionRow } from './planning.rows.ts';
import { textsOf } from './planning-place.ts';

const FILES_PER_PAGE = 20;
/** Pages of discussions that are looked through for those of lines. */
const MAX_PAGES = 5;

interface CommitRow {
  id: string;
  short_id: string;
  title: string;
  author_name: string;
  authored_date: string;
}

/** Discussions of the changes as they are now, as HTML. */
interface Placed {
  discussion: DiscussionRow;
  html: Html;
}

async function placedDiscussions(
  c: PageContext,
  { api, row, path, place }: MergeRequestPlace,
  files: readonly ChangedFile[],
): Promise<Placed[]> {
  const render = await textsOf(c, place);
  const paths = new Set(files.map(({ new_path }) => new_path));
  const placed: Placed[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const list = await c.api.list<DiscussionRow>(`${api}/discussions`, { page, per_page: MAX_DISCUSSIONS });
    for (const discussion of list.rows) {
      const position = discussion.notes[0]?.position;
      if (position === undefined || position.head_sha !== row.diff_refs?.head_sha || !paths.has(position.new_path))
        continue;
      placed.push({
        discussion,
        html: await discussionHtml({ c, render, path, refusal: null, page }, discussion, false),
      });
    }
    if (!list.hasNext) break;
  }
  return placed;
}

const chosen = (
  placed: readonly Placed[],
  file: ChangedFile,
  isHere: (place: NonNullable<DiscussionRow['notes'][0]['position']>) => boolean,
): Part => {
  const here = placed.filter(({ discussion }) => {
    const position = discussion.notes[0]!.position!;
    return position.new_path === file.new_path && isHere(position);
  });
  return here.length === 0 ? null : here.map(({ html }) => html);
};

/** Whether a place is a line: the new number decides, if it has one. */
const isLine = (
  row: DiffRow,
  { position_type, old_line, new_line }: NonNullable<DiscussionRow['notes'][0]['position']>,
): boolean => {
  if (position_type !== 'text' || row.kind === 'hunk') return false;
  return new_line ? row.new === new_line : old_line ? row.new === null && row.old === old_line : false;
};

/** The changes of a page, or, with the refusal of a form, those of the file that the form is of. */
async function changesPage(c: PageContext, refusal: Refusal | null): Promise<Page> {
  const found = await mergeRequestOf(c);
  const { place, path, api } = found;
  const view: DiffView = c.query('view') === 'parallel' ? 'parallel' : 'inline';
  // A file that is shown alone is a page of one.
  const isAlone = refusal !== null || c.query('alone') === 'true';
  const page = refusal === null ? pageOf(c) : fileOfForm(c);
  const size = isAlone ? 1 : FILES_PER_PAGE;
  const list = await c.api.list<ChangedFile>(`${api}/diffs`, { page, per_page: size });
  const placed = await placedDiscussions(c, found, list.rows);
  const numberOfFile = (at: number) => (page - 1) * size + at + 1;
  const files = await fileDiffs(c, list.rows, {
    ...{ view, isAlone },
    alonePath: (at) => `${path}/diffs?view=${view}&alone=true&page=${numberOfFile(at)}`,
    above: (file) => chosen(placed, file, (position) => position.position_type !== 'text'),
    below: (file, row) => chosen(placed, file, (position) => isLine(row, position)),
    foot: (file, at) => (c.user === null ? null : lineForm(c, path, file, numberOfFile(at), refusal)),
  });
  const other = view === 'parallel' ? 'inline' : 'parallel';
  const kept = isAlone ? '&alone=true' : '';
  const body = html`${await mergeRequestHead(c, found, '/diffs')}
<div class="actions"><a class="button" href="${c.at(`${path}/diffs?view=${other}&page=${page}${kept}`)}">${other === 'parallel' ? 'Side by side' : 'One below the other'}</a>
${isAlone ? html`<a class="button" href="${c.at(`${path}/diffs?view=${view}`)}">All files</a>` : null}</div>
${
  list.rows.length === 0
    ? html`<p class="quiet">There are no changes.</p>`
    : html`<nav aria-label="Files"><ul>${list.rows.map((file) => html`<li><a href="#${fileAnchor(file.new_path)}">${file.new_path}</a></li>`)}</ul></nav>`
}${files}${pagination(c, `${path}/diffs`, list, `view=${view}${kept}`)}`;
  const status = refusal?.problem.status ?? 200;
  return { ...place.frame, title: `Changes · ${mergeRequestTitle(found)}`, body, status };
}

/** Commits and changes of a merge request. */
export const mergeRequestChangePages: PageRoute[] = [
  {
    method: 'GET',
    path: 'merge_requests/:iid/commits',
    handle: async (c) => {
      const found = await mergeRequestOf(c);
      const { place, path, api } = found;
      const list = await c.api.list<CommitRow>(`${api}/commits`, { page: pageOf(c), per_page: 50 });
      const body = html`${await mergeRequestHead(c, found, '/commits')}${
        list.rows.length === 0
          ? html`<p class="quiet">There are none.</p>`
          : html`<ul class="rows">${list.rows.map(
              (row) => html`<li><a class="title" href="${c.at(place.path(`commit/${row.id}`))}">${row.title}</a>
<br><span class="quiet"><span class="mono">${row.short_id}</span> · ${row.author_name} · ${moment(row.authored_date)}</span></li>`,
            )}</ul>`
      }${pagination(c, `${path}/commits`, list)}`;
      return { ...place.frame, title: `Commits · ${mergeRequestTitle(found)}`, body };
    },
  },
  { method: 'GET', path: 'merge_requests/:iid/diffs', handle: (c) => changesPage(c, null) },
  lineCommentPage(FILES_PER_PAGE, changesPage),
];
