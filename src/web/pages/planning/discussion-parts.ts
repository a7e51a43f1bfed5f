import type { ListPage } from '../../core/api-client.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { fileAnchor } from '../diffs/diff-table.ts';
import { moment } from '../parts.ts';
import { person } from './issuable-parts.ts';
import type { DiscussionRow, NoteRow } from './planning.rows.ts';
import { buttonForm, type Problem, problemNotice, textField } from './planning-forms.ts';
import type { RenderText } from './planning-place.ts';

/** Discussions of a page: as many as the API gives at once. */
export const MAX_DISCUSSIONS = 100;
/** Comments of one thread that are shown. */
const MAX_NOTES = 200;

/** A form of the page that was refused. */
export interface Refusal {
  problem: Problem;
  /** A comment, as it was typed, and the thread that it answers: empty for one that answers none. */
  comment?: { body: string; discussion: string };
}

/** What discussions are shown with. */
export interface DiscussionView {
  c: PageContext;
  render: RenderText;
  /** Path of the issue or merge request, which forms go below. */
  path: string;
  refusal: Refusal | null;
  /** Page of the activity. */
  page: number;
}

async function noteHtml({ c, render }: DiscussionView, note: NoteRow): Promise<Html> {
  const text = await render(note.body);
  if (note.system)
    return html`<div class="event quiet" id="note_${note.id}">${person(c, note.author)} <div class="text">${text}</div> ${moment(note.created_at)}</div>`;
  return html`<article class="box" id="note_${note.id}"><header><strong>${person(c, note.author)}</strong>
<a class="quiet" href="#note_${note.id}">${moment(note.created_at)}</a>${
    note.internal ? html` <span class="state warn">Internal</span>` : null
  }</header><div class="in text">${text}</div></article>`;
}

/** Where a thread is in the changes. */
function placeOfThread({ c, path }: DiscussionView, { position }: NoteRow): Part {
  if (position === undefined) return null;
  const line = position.new_line ?? position.old_line;
  return html`<p class="quiet">On <a href="${c.at(`${path}/diffs#${fileAnchor(position.new_path)}`)}">${position.new_path}${
    line ? html`, line ${line}` : null
  }</a></p>`;
}

/** What was typed into a form for comments, and why it was refused. */
function typedInto(refusal: Refusal | null, discussion: string): { problem: Problem | null; body: string } {
  if (refusal?.comment?.discussion !== discussion) return { problem: null, body: '' };
  return { problem: refusal.problem, body: refusal.comment.body };
}

function replyForm({ c, path, refusal, page }: DiscussionView, { id }: DiscussionRow): Html {
  const { problem, body } = typedInto(refusal, id);
  return html`<details${problem === null ? null : html` open`}><summary>Reply</summary>${problemNotice(problem)}
<form class="stack" method="post" action="${c.at(`${path}/notes`)}">${c.formToken}<input type="hidden" name="discussion" value="${id}"><input type="hidden" name="page" value="${page}">
${textField(`reply-${id}`, 'body', 'Reply', body, true)}<div><button>Reply</button></div></form></details>`;
}

/** A thread, or a single comment or event. @param hasPlace whether its place in the changes is told */
export async function discussionHtml(view: DiscussionView, discussion: DiscussionRow, hasPlace = true): Promise<Html> {
  const { c, path } = view;
  const notes: Html[] = [];
  for (const note of discussion.notes.slice(0, MAX_NOTES)) notes.push(await noteHtml(view, note));
  const [first] = discussion.notes;
  if (first === undefined || first.system) return html`${notes}`;
  const left = discussion.notes.length - notes.length;
  const isResolvable = discussion.notes.some(({ resolvable }) => resolvable);
  const isResolved = discussion.notes.every(({ resolvable, resolved }) => !resolvable || resolved === true);
  const hidden = {
    discussion: discussion.id,
    resolved: String(!isResolved),
    note: String(first.id),
    page: String(view.page),
  };
  const resolve = buttonForm(c, `${path}/resolve`, isResolved ? 'Reopen thread' : 'Resolve thread', hidden);
  return html`<section class="thread" aria-label="Thread of ${first.author.name}">${hasPlace ? placeOfThread(view, first) : null}
${isResolvable ? html`<p><span class="state ${isResolved ? 'good' : 'warn'}">${isResolved ? 'Resolved' : 'Open thread'}</span></p>` : null}
${notes}${left > 0 ? html`<p class="quiet">${left} later comments are not shown.</p>` : null}
${c.user === null ? null : html`<div class="actions">${replyForm(view, discussion)}${isResolvable ? resolve : null}</div>`}</section>`;
}

/**
 * Discussions in order, with links to those before and after them, and the form for a comment.
 * @param hasThreads whether there are threads that can be resolved
 */
export async function activityHtml(
  view: DiscussionView,
  list: ListPage<DiscussionRow>,
  hasThreads: boolean,
): Promise<Html> {
  const { c, path, refusal } = view;
  const shown: Html[] = [];
  for (const discussion of list.rows) shown.push(await discussionHtml(view, discussion));
  const link = (page: number, text: string) =>
    html`<a class="button" href="${c.at(`${path}?page=${page}`)}">${text}</a>`;
  const isPaged = list.page > 1 || list.hasNext;
  const { problem, body } = typedInto(refusal, '');
  return html`<h2>Activity</h2>${shown}${
    isPaged
      ? html`<nav class="actions" aria-label="Pages of the activity">${list.page > 1 ? link(list.page - 1, 'Earlier') : null}
<span class="quiet">Page ${list.page}</span>${list.hasNext ? link(list.page + 1, 'Later') : null}</nav>`
      : null
  }
${
  c.user === null
    ? null
    : html`${problemNotice(problem)}<form class="comment" method="post" action="${c.at(`${path}/notes`)}">${c.formToken}
${textField('comment', 'body', 'Comment', body, true)}<div class="actions"><button class="main">Comment</button>${hasThreads ? html`<button name="thread" value="true">Start thread</button>` : null}</div></form>`
}`;
}
