import type { ListPage } from '../../core/api-client.ts';
import { ApiRefusal } from '../../core/api-client.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { pageOf, pagination } from '../parts.ts';
import { apiPathOf, type ProjectFacts } from '../project-frame.ts';
import { readContent, renderFile } from './file-content.ts';
import { type PageRef, placePath } from './page-ref.ts';

/** An entry of a folder. */
interface Entry {
  id: string;
  name: string;
  path: string;
  type: 'tree' | 'blob' | 'commit';
}

const PAGE_SIZE = 100;
const README = /^readme(?:\.(?:md|markdown|mdown|mkdn?|txt))?$/i;
const RANK = { tree: 0, commit: 1, blob: 2 };

/** A page of a folder; null if there is none. */
export async function folderOf(c: PageContext, ref: string, path: string): Promise<ListPage<Entry> | null> {
  try {
    return await c.api.list<Entry>(`${apiPathOf(c.params.project!)}/repository/tree`, {
      ...{ ref, path, per_page: PAGE_SIZE },
      page: pageOf(c),
    });
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return null;
    throw error;
  }
}

/** From the root to a place in the repository; the last one is where the page is. */
export function breadcrumbs({ at }: PageContext, project: ProjectFacts, { ref, path }: PageRef): Html {
  const parts = path === '' ? [] : path.split('/');
  const last = parts.length - 1;
  return html`<nav aria-label="Path"><p class="mono"><a href="${at(placePath(project, 'tree', ref, ''))}">${project.name}</a>${parts.map(
    (part, index) =>
      html` / ${
        index === last
          ? html`<strong>${part}</strong>`
          : html`<a href="${at(placePath(project, 'tree', ref, parts.slice(0, index + 1).join('/')))}">${part}</a>`
      }`,
  )}</p></nav>`;
}

/** The entries of a folder, folders first. */
export function folderList(c: PageContext, project: ProjectFacts, { ref, path }: PageRef, list: ListPage<Entry>): Html {
  const rows = [...list.rows].sort((one, other) => RANK[one.type] - RANK[other.type]);
  const upper = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const name = ({ type, name, path: entry, id }: Entry) =>
    type === 'commit'
      ? html`${name} <span class="quiet">@ ${id.slice(0, 8)}</span>`
      : html`<a href="${c.at(placePath(project, type, ref, entry))}">${name}${type === 'tree' ? '/' : null}</a>`;
  return html`<ul class="rows">${
    path === ''
      ? null
      : html`<li><a href="${c.at(placePath(project, 'tree', ref, upper))}">.. <span class="quiet">upper folder</span></a></li>`
  }${rows.map((entry) => html`<li>${name(entry)}</li>`)}${rows.length === 0 && path === '' ? html`<li class="quiet">There are no files.</li>` : null}</ul>
${pagination(c, placePath(project, 'tree', ref, path), list)}`;
}

/** The README of a folder, if it has one. */
export async function readmeOf(
  c: PageContext,
  project: ProjectFacts,
  place: PageRef,
  list: ListPage<Entry>,
): Promise<Part> {
  const entry = list.rows.find(({ type, name }) => type === 'blob' && README.test(name));
  if (entry === undefined) return null;
  const { kind, text } = await readContent(c, place.ref, entry.path);
  if (kind !== 'text') return null;
  return html`<section class="box" aria-label="${entry.name}"><header><a href="${c.at(placePath(project, 'blob', place.ref, entry.path))}">${entry.name}</a></header>
<div class="in text">${await renderFile(c, place.ref, entry.path, text)}</div></section>`;
}
