import type { Query } from '../../../http/inject-request.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';

const MAX_LENGTH = 255;
/** Fields of the form, with the parameter of the API and the text of the label. */
const FIELDS = [
  ['search', 'search', 'Search'],
  ['label', 'labels', 'Label'],
  ['author', 'author_username', 'Author'],
  ['assignee', 'assignee_username', 'Assignee'],
  ['milestone', 'milestone', 'Milestone'],
] as const;

/** States of a list, with what they are called. */
export type States = readonly (readonly [state: string, text: string])[];

/** What a list of issues or merge requests is narrowed to. */
export interface Filters {
  state: string;
  fields: ReadonlyMap<string, string>;
}

/** The filters that the address of a page has. @param states the first is the one without a choice */
export function filtersOf(c: PageContext, states: States): Filters {
  const sent = c.query('state');
  const state = states.find(([name]) => name === sent) ?? states[0]!;
  const fields = FIELDS.map(([name]) => [name, (c.query(name) ?? '').trim().slice(0, MAX_LENGTH)] as const);
  return { state: state[0], fields: new Map(fields.filter(([, value]) => value !== '')) };
}

/** The filters as parameters of the API. */
export function filterQuery({ state, fields }: Filters): Query {
  const query: Record<string, string> = { state };
  for (const [name, parameter] of FIELDS) {
    const value = fields.get(name)?.replace(/^[@~]/, '');
    if (value !== undefined) query[parameter] = value;
  }
  return query;
}

/** The filters as a part of an address. */
export const keptFilters = ({ state, fields }: Filters): string =>
  new URLSearchParams([['state', state], ...fields]).toString();

/** Links to the states of a list, and a form with the other filters. */
export function filterForm({ at }: PageContext, path: string, filters: Filters, states: States): Html {
  const stateLink = ([state, text]: States[number]) =>
    html`<li><a href="${at(`${path}?${keptFilters({ ...filters, state })}`)}"${
      state === filters.state ? trusted(' aria-current="true"') : null
    }>${text}</a></li>`;
  return html`<nav aria-label="States"><ul class="tabs">${states.map(stateLink)}</ul></nav>
<form class="filters" role="search" method="get" action="${at(path)}">
<input type="hidden" name="state" value="${filters.state}">
${FIELDS.map(
  ([name, , text]) => html`<div><label for="filter-${name}">${text}</label>
<input id="filter-${name}" name="${name}" value="${filters.fields.get(name) ?? ''}" maxlength="${MAX_LENGTH}" autocapitalize="none"></div>`,
)}
<div><button>Filter</button></div>
</form>`;
}
