import type { ListPage } from '../core/api-client.ts';
import type { PageContext } from '../core/page.ts';
import { type Html, html, type Part } from '../core/template.ts';

/** A time, as people read it: to the minute, in UTC. */
export function moment(iso: string): Html {
  const time = new Date(iso);
  return html`<time datetime="${time.toISOString()}">${time.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** Links to the page before and after this one of a list, which keep the other parameters. */
export function pagination({ at }: PageContext, path: string, list: ListPage<unknown>, keep = ''): Part {
  const link = (page: number, text: string) =>
    html`<a class="button" href="${at(`${path}?page=${page}${keep === '' ? '' : `&${keep}`}`)}">${text}</a>`;
  if (list.page === 1 && !list.hasNext) return null;
  return html`<nav class="actions" aria-label="Pages">${list.page > 1 ? link(list.page - 1, 'Previous page') : null}
<span class="quiet">Page ${list.page}</span>${list.hasNext ? link(list.page + 1, 'Next page') : null}</nav>`;
}

/** The page of a list that is asked for. */
export function pageOf({ query }: PageContext): number {
  const sent = query('page') ?? '1';
  return /^[1-9]\d{0,6}$/.test(sent) ? Number(sent) : 1;
}
