import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { html } from '../../core/template.ts';
import { pageOf, pagination } from '../parts.ts';
import { activityHtml, MAX_DISCUSSIONS, type Refusal } from './discussion-parts.ts';
import { filterForm, filterQuery, filtersOf, keptFilters, type States } from './issuable-filters.ts';
import { issuableForm, issuableForms } from './issuable-forms.ts';
import { issuableFacts, issuableRows, people } from './issuable-parts.ts';
import { mergeRequestHead, mergeRequestOf, mergeRequestTitle } from './merge-request-frame.ts';
import { type Approvals, approvalWidget, type MergeSettings, mergeWidget } from './merge-widget.ts';
import type { DiscussionRow, IssuableRow, LabelRow } from './planning.rows.ts';
import { buttonForm, problemNotice } from './planning-forms.ts';
import { placeOf, textsOf } from './planning-place.ts';

const STATES: States = [
  ['opened', 'Open'],
  ['merged', 'Merged'],
  ['closed', 'Closed'],
  ['all', 'All'],
];

/** Labels with their colours, which only lists have. */
async function labelsOf(c: PageContext, api: string, iid: number): Promise<LabelRow[]> {
  const query = { iids: [iid], with_labels_details: true };
  const { rows } = await c.api.list<IssuableRow>(`${api}/merge_requests`, query);
  return rows[0]?.labels ?? [];
}

async function mergeRequestPage(c: PageContext, refusal: Refusal | null): Promise<Page> {
  const found = await mergeRequestOf(c);
  const { place, row, path, api, iid } = found;
  const page = pageOf(c);
  const [approvals, discussions, labels] = await Promise.all([
    c.api.find<Approvals>(`${api}/approvals`),
    c.api.list<DiscussionRow>(`${api}/discussions`, { page, per_page: MAX_DISCUSSIONS }),
    labelsOf(c, place.api, iid),
  ]);
  const render = await textsOf(c, place);
  const description = await render(row.description);
  const isOpen = row.state === 'opened';
  const state = buttonForm(c, `${path}/state`, isOpen ? 'Close merge request' : 'Reopen merge request', {
    state_event: isOpen ? 'close' : 'reopen',
  });
  const pipeline = row.head_pipeline ?? null;
  const body = html`${await mergeRequestHead(c, found, '')}
${problemNotice(refusal !== null && refusal.comment === undefined ? refusal.problem : null)}
<div class="columns"><div>
<div class="text">${description}</div>
${isOpen && approvals !== null ? approvalWidget(c, path, row.sha, approvals) : null}
${mergeWidget(c, path, row, place.project as MergeSettings)}
${c.user === null || !['opened', 'closed'].includes(row.state) ? null : html`<div class="actions">${state}</div>`}
${await activityHtml({ c, render, path, refusal, page }, discussions, true)}
</div><aside aria-label="Facts">${issuableFacts(c, place.path('merge_requests'), { ...row, labels }, [
    ['Reviewers', row.reviewers.length === 0 ? null : people(c, row.reviewers)],
    [
      'Pipeline',
      pipeline &&
        html`<a href="${c.at(place.path(`pipelines/${pipeline.id}`))}">#${pipeline.id}</a>: ${pipeline.status}`,
    ],
  ])}</aside></div>`;
  return { ...place.frame, title: mergeRequestTitle(found), body, status: refusal?.problem.status ?? 200 };
}

const form = (name: string, work: Parameters<typeof issuableForm>[3]): PageRoute =>
  issuableForm('merge_requests', name, mergeRequestPage, work);

/** The head that a form was about: the API refuses if there is another one by now. */
const shaOf = (c: PageContext): { sha?: string } => (c.field('sha') === '' ? {} : { sha: c.field('sha') });

/** Merge requests of a project. */
export const mergeRequestPages: PageRoute[] = [
  {
    method: 'GET',
    path: 'merge_requests',
    handle: async (c) => {
      const place = await placeOf(c, 'merge_requests');
      const filters = filtersOf(c, STATES);
      const path = place.path('merge_requests');
      const list = await c.api.list<IssuableRow>(`${place.api}/merge_requests`, {
        ...filterQuery(filters),
        ...{ with_labels_details: true, page: pageOf(c), per_page: 20 },
      });
      const body = html`<h1>Merge requests</h1>
${c.user === null ? null : html`<div class="actions"><a class="button main" href="${c.at(place.path('merge_requests/new'))}">New merge request</a></div>`}
${filterForm(c, path, filters, STATES)}
${issuableRows(c, path, list.rows)}${pagination(c, path, list, keptFilters(filters))}`;
      return { ...place.frame, title: `Merge requests · ${place.project.name}`, body };
    },
  },
  { method: 'GET', path: 'merge_requests/:iid', handle: (c) => mergeRequestPage(c, null) },
  ...issuableForms('merge_requests', mergeRequestPage),
  form('approve', (c, { api }) => {
    const password = c.field('approval_password');
    const json = { ...shaOf(c), ...(password === '' ? {} : { approval_password: password }) };
    return c.api.send('POST', `${api}/approve`, json);
  }),
  form('unapprove', (c, { api }) => c.api.send('POST', `${api}/unapprove`)),
  form('merge', (c, { api }) =>
    c.api.send('PUT', `${api}/merge`, {
      ...shaOf(c),
      squash: c.field('squash') === 'true',
      should_remove_source_branch: c.field('should_remove_source_branch') === 'true',
      ...(c.field('auto_merge') === 'true' ? { auto_merge: true } : {}),
    }),
  ),
  form('rebase', (c, { api }) => c.api.send('PUT', `${api}/rebase`)),
  form('cancel_auto_merge', (c, { api }) => c.api.send('POST', `${api}/cancel_merge_when_pipeline_succeeds`)),
];
