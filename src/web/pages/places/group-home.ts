import type { Page, PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { pageOf, pagination } from '../parts.ts';

/** A group as the API answers it. */
export interface GroupFacts {
  id: number;
  name: string;
  full_path: string;
  description: string | null;
  visibility: string;
}

interface Row {
  id: number;
  name: string;
  description: string | null;
  full_path?: string;
  path_with_namespace?: string;
}

/** Subgroups that are listed: further ones are found by the API. */
const MAX_SUBGROUPS = 100;

/** Links to projects or groups, with their descriptions. */
export const placeRows = ({ at }: PageContext, rows: readonly Row[]): Html =>
  rows.length === 0
    ? html`<p class="quiet">There are none.</p>`
    : html`<ul class="rows">${rows.map(
        (row) =>
          html`<li><a class="title" href="${at(`/${row.path_with_namespace ?? row.full_path}`)}">${row.name}</a>${
            row.description ? html`<br>${row.description}` : null
          }</li>`,
      )}</ul>`;

/** The page of a group. */
export async function groupHome(c: PageContext, group: GroupFacts): Promise<Page> {
  const path = `/groups/${group.id}`;
  const [subgroups, projects] = await Promise.all([
    c.api.list<Row>(`${path}/subgroups`, { per_page: MAX_SUBGROUPS, order_by: 'name' }),
    c.api.list<Row>(`${path}/projects`, {
      per_page: 20,
      page: pageOf(c),
      order_by: 'last_activity_at',
      with_shared: false,
    }),
  ]);
  const inner: Part = subgroups.rows.length === 0 ? null : html`<h2>Subgroups</h2>${placeRows(c, subgroups.rows)}`;
  const body = html`<h1>${group.name}</h1>${group.description ? html`<p>${group.description}</p>` : null}
<p><span class="label">${group.visibility}</span></p>${inner}
<h2>Projects</h2>${placeRows(c, projects.rows)}${pagination(c, `/${group.full_path}`, projects)}`;
  const parts = group.full_path.split('/');
  const trail = parts.map((text, at) => ({ text, path: `/${parts.slice(0, at + 1).join('/')}` }));
  return { title: group.name, body, trail };
}
