import { encodePath } from '../../../core/core.paths.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part, trusted } from '../../core/template.ts';
import { moment } from '../parts.ts';
import type { ProjectFacts } from '../project-frame.ts';
import { person, stateOf } from './issuable-parts.ts';
import type { MergeRequestRow } from './planning.rows.ts';
import { numberOf, type Place, placeOf } from './planning-place.ts';

/** A merge request, and where it is. */
export interface MergeRequestPlace {
  place: Place;
  iid: number;
  row: MergeRequestRow;
  /** Path of its page. */
  path: string;
  /** Path in the API. */
  api: string;
}

/** The merge request of a page. @throws ApiRefusal, PageNotFound */
export async function mergeRequestOf(c: PageContext): Promise<MergeRequestPlace> {
  const iid = numberOf(c, 'iid');
  const place = await placeOf(c, 'merge_requests');
  const api = `${place.api}/merge_requests/${iid}`;
  return { place, iid, row: await c.api.get<MergeRequestRow>(api), path: place.path(`merge_requests/${iid}`), api };
}

/** Parts of a merge request: text, and path below its page. */
const PARTS = [
  ['Overview', ''],
  ['Commits', '/commits'],
  ['Changes', '/diffs'],
] as const;

async function sourceOf(c: PageContext, { row, place }: MergeRequestPlace): Promise<Html> {
  const { source_project_id: id, target_project_id, source_branch: branch } = row;
  if (id === target_project_id) return html`<a href="${c.at(place.path(`tree/${encodePath(branch)}`))}">${branch}</a>`;
  const fork = id === null ? null : await c.api.find<ProjectFacts>(`/projects/${id}`);
  if (fork === null) return html`<span class="mono">${branch}</span> of another project`;
  const { path_with_namespace: path } = fork;
  return html`<a href="${c.at(`/${path}/-/tree/${encodePath(branch)}`)}">${path}:${branch}</a>`;
}

/** What stands above each part of a merge request. @param part path of the part below its page */
export async function mergeRequestHead(c: PageContext, found: MergeRequestPlace, part: string): Promise<Html> {
  const { row, iid, path, place } = found;
  const counts: Record<string, Part> = { '/diffs': row.changes_count };
  const target = html`<a href="${c.at(place.path(`tree/${encodePath(row.target_branch)}`))}">${row.target_branch}</a>`;
  return html`<h1>${row.title} <span class="quiet">!${iid}</span></h1>
<p>${stateOf(row)} <span class="quiet">Opened ${moment(row.created_at)} by ${person(c, row.author)}: ${await sourceOf(c, found)} into ${target}</span></p>
<nav aria-label="Merge request"><ul class="tabs">${PARTS.map(
    ([text, below]) =>
      html`<li><a href="${c.at(path + below)}"${below === part ? trusted(' aria-current="page"') : null}>${text}${
        counts[below] ? html` <span class="count">${counts[below]}</span>` : null
      }</a></li>`,
  )}</ul></nav>`;
}

/** Title of a page of a merge request. */
export const mergeRequestTitle = ({ row, iid, place }: MergeRequestPlace): string =>
  `${row.title} (!${iid}) · ${place.project.name}`;
