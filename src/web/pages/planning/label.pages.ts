import type { PageRoute } from '../../core/page.ts';
import { html } from '../../core/template.ts';
import { pageOf, pagination } from '../parts.ts';
import { labelLink } from './issuable-parts.ts';
import type { LabelRow } from './planning.rows.ts';
import { placeOf } from './planning-place.ts';

/** Labels of a project and of the groups above it. */
export const labelPages: PageRoute[] = [
  {
    method: 'GET',
    path: 'labels',
    handle: async (c) => {
      const place = await placeOf(c, 'issues');
      const list = await c.api.list<LabelRow>(`${place.api}/labels`, { page: pageOf(c), per_page: 50 });
      const [issues, mergeRequests] = [place.path('issues'), place.path('merge_requests')];
      const linkTo = (path: string, label: LabelRow, text: string) =>
        html`<a href="${c.at(`${path}?${new URLSearchParams({ label: label.name })}`)}" aria-label="${text} with ${label.name}">${text}</a>`;
      const body = html`<h1>Labels</h1>${
        list.rows.length === 0
          ? html`<p class="quiet">There are none.</p>`
          : html`<ul class="rows">${list.rows.map(
              (
                label,
              ) => html`<li>${labelLink(c, issues, label)}${label.description ? html` ${label.description}` : null}
<br>${linkTo(issues, label, 'Issues')} · ${linkTo(mergeRequests, label, 'Merge requests')}</li>`,
            )}</ul>`
      }${pagination(c, place.path('labels'), list)}`;
      return { ...place.frame, title: `Labels · ${place.project.name}`, body };
    },
  },
];
