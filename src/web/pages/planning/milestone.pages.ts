import { ApiRefusal } from '../../core/api-client.ts';
import { type PageContext, PageNotFound, type PageRoute } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { pageOf, pagination } from '../parts.ts';
import { issuableRows } from './issuable-parts.ts';
import type { IssuableRow, MilestoneRow } from './planning.rows.ts';
import { numberOf, placeOf, textsOf } from './planning-place.ts';

/** Issues and merge requests of a milestone that are shown with it. */
const MAX_SHOWN = 50;

const stateOfMilestone = ({ state, expired }: MilestoneRow): Html =>
  state === 'closed'
    ? html`<span class="state bad">Closed</span>`
    : html`<span class="state ${expired ? 'warn' : 'good'}">${expired ? 'Past due' : 'Open'}</span>`;

const datesOf = ({ start_date: start, due_date: due }: MilestoneRow): Part =>
  [start && `from ${start}`, due && `due ${due}`].filter(Boolean).join(' · ') || 'No dates';

async function shownIn(c: PageContext, api: string, list: string, title: string): Promise<Html> {
  const kind = list.endsWith('/issues') ? 'issues' : 'merge_requests';
  const found = await c.api
    .list<IssuableRow>(`${api}/${kind}`, { milestone: title, with_labels_details: true, per_page: MAX_SHOWN })
    .catch((error: unknown) => {
      // The reader may see one of both only.
      if (error instanceof ApiRefusal && (error.status === 403 || error.status === 404)) return null;
      throw error;
    });
  if (found === null) return html``;
  const more = `${list}?${new URLSearchParams({ state: 'all', milestone: title })}`;
  return html`<h2>${kind === 'issues' ? 'Issues' : 'Merge requests'}</h2>${issuableRows(c, list, found.rows)}${
    found.hasNext ? html`<p><a href="${c.at(more)}">All of them</a></p>` : null
  }`;
}

/** Milestones of a project. */
export const milestonePages: PageRoute[] = [
  {
    method: 'GET',
    path: 'milestones',
    handle: async (c) => {
      const place = await placeOf(c, 'issues');
      const list = await c.api.list<MilestoneRow>(`${place.api}/milestones`, { page: pageOf(c), per_page: 50 });
      const body = html`<h1>Milestones</h1>${
        list.rows.length === 0
          ? html`<p class="quiet">There are none.</p>`
          : html`<ul class="rows">${list.rows.map(
              (
                row,
              ) => html`<li>${stateOfMilestone(row)} <a class="title" href="${c.at(place.path(`milestones/${row.iid}`))}">${row.title}</a>
<br><span class="quiet">${datesOf(row)}</span></li>`,
            )}</ul>`
      }${pagination(c, place.path('milestones'), list)}`;
      return { ...place.frame, title: `Milestones · ${place.project.name}`, body };
    },
  },
  {
    method: 'GET',
    path: 'milestones/:iid',
    handle: async (c) => {
      const place = await placeOf(c, 'issues');
      const iid = numberOf(c, 'iid');
      const { rows } = await c.api.list<MilestoneRow>(`${place.api}/milestones`, { iids: [iid] });
      const [row] = rows;
      if (row === undefined) throw new PageNotFound();
      const render = await textsOf(c, place);
      const description = await render(row.description);
      const body = html`<h1>${row.title}</h1>
<p>${stateOfMilestone(row)} <span class="quiet">${datesOf(row)}</span></p>
<div class="text">${description}</div>
${await shownIn(c, place.api, place.path('issues'), row.title)}
${await shownIn(c, place.api, place.path('merge_requests'), row.title)}`;
      return { ...place.frame, title: `${row.title} · ${place.project.name}`, body };
    },
  },
];
