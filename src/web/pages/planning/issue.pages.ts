import { type Page, type PageContext, PageNotFound, type PageRoute } from '../../core/page.ts';
import { html } from '../../core/template.ts';
import { moment, pageOf, pagination } from '../parts.ts';
import { activityHtml, MAX_DISCUSSIONS, type Refusal } from './discussion-parts.ts';
import { filterForm, filterQuery, filtersOf, keptFilters, type States } from './issuable-filters.ts';
import { issuableForms } from './issuable-forms.ts';
import { issuableFacts, issuableRows, person, stateOf } from './issuable-parts.ts';
import type { DiscussionRow, IssueRow } from './planning.rows.ts';
import { buttonForm, problemNotice } from './planning-forms.ts';
import { numberOf, placeOf, textsOf } from './planning-place.ts';

const STATES: States = [
  ['opened', 'Open'],
  ['closed', 'Closed'],
  ['all', 'All'],
];

async function issuePage(c: PageContext, refusal: Refusal | null): Promise<Page> {
  const place = await placeOf(c, 'issues');
  const iid = numberOf(c, 'iid');
  const page = pageOf(c);
  // In lists labels have their colours.
  const [found, discussions] = await Promise.all([
    c.api.list<IssueRow>(`${place.api}/issues`, { iids: [iid], with_labels_details: true }),
    c.api.list<DiscussionRow>(`${place.api}/issues/${iid}/discussions`, { page, per_page: MAX_DISCUSSIONS }),
  ]);
  const [issue] = found.rows;
  if (issue === undefined) throw new PageNotFound();
  const path = place.path(`issues/${iid}`);
  const render = await textsOf(c, place);
  const isOpen = issue.state === 'opened';
  const state = buttonForm(c, `${path}/state`, isOpen ? 'Close issue' : 'Reopen issue', {
    state_event: isOpen ? 'close' : 'reopen',
  });
  const description = await render(issue.description);
  const body = html`<h1>${issue.title} <span class="quiet">#${iid}</span></h1>
${problemNotice(refusal !== null && refusal.comment === undefined ? refusal.problem : null)}
<p>${stateOf(issue)} <span class="quiet">Opened ${moment(issue.created_at)} by ${person(c, issue.author)}</span></p>
<div class="columns"><div>
<div class="text">${description}</div>
${c.user === null ? null : html`<div class="actions">${state}</div>`}
${await activityHtml({ c, render, path, refusal, page }, discussions, false)}
</div><aside aria-label="Facts">${issuableFacts(c, place.path('issues'), issue, [['Due date', issue.due_date]])}</aside></div>`;
  return {
    ...place.frame,
    title: `${issue.title} (#${iid}) · ${place.project.name}`,
    body,
    status: refusal?.problem.status ?? 200,
  };
}

/** Issues of a project. */
export const issuePages: PageRoute[] = [
  {
    method: 'GET',
    path: 'issues',
    handle: async (c) => {
      const place = await placeOf(c, 'issues');
      const filters = filtersOf(c, STATES);
      const path = place.path('issues');
      const list = await c.api.list<IssueRow>(`${place.api}/issues`, {
        ...filterQuery(filters),
        ...{ with_labels_details: true, page: pageOf(c), per_page: 20 },
      });
      const body = html`<h1>Issues</h1>
<div class="actions">${c.user === null ? null : html`<a class="button main" href="${c.at(place.path('issues/new'))}">New issue</a>`}
<a class="button" href="${c.at(place.path('labels'))}">Labels</a> <a class="button" href="${c.at(place.path('milestones'))}">Milestones</a></div>
${filterForm(c, path, filters, STATES)}
${issuableRows(c, path, list.rows)}${pagination(c, path, list, keptFilters(filters))}`;
      return { ...place.frame, title: `Issues · ${place.project.name}`, body };
    },
  },
  { method: 'GET', path: 'issues/:iid', handle: (c) => issuePage(c, null) },
  ...issuableForms('issues', issuePage),
];
