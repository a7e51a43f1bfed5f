import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { moment } from '../parts.ts';
import type { IssuableRow, LabelRow, MilestoneRow, Person } from './planning.rows.ts';

/** The path below this server of an address that the API gives. */
export const pathOf = ({ deps }: PageContext, url: string): string => url.slice(deps.externalUrl().length);

/** A link to somebody. */
export const person = ({ at }: PageContext, { username, name }: Person): Html =>
  html`<a href="${at(`/${username}`)}">${name}</a>`;

/** Links to people, in a line. */
export const people = (c: PageContext, list: readonly Person[]): Part =>
  list.map((one, index) => html`${index > 0 ? ', ' : ''}${person(c, one)}`);

const SHORT_COLOR = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i;

/** A label with its colour, as a link to what has it. @param list path of the list of issues or merge requests */
export function labelLink({ at, colorClass }: PageContext, list: string, { name, color }: LabelRow): Html {
  const long = color.replace(SHORT_COLOR, '#$1$1$2$2$3$3');
  return html`<a class="label" href="${at(`${list}?${new URLSearchParams({ label: name })}`)}"><span class="dot ${colorClass(long)}"></span>${name}</a>`;
}

const STATES = {
  opened: ['good', 'Open'],
  closed: ['bad', 'Closed'],
  merged: ['', 'Merged'],
  locked: ['warn', 'Merging'],
} as const;

/** The state of an issue or merge request. */
export function stateOf({ state, draft, confidential }: Pick<IssuableRow, 'state' | 'draft' | 'confidential'>): Html {
  const [kind, text] = STATES[state];
  return html`<span class="state ${kind}">${text}</span>${draft ? html` <span class="state">Draft</span>` : null}${
    confidential ? html` <span class="state warn">Confidential</span>` : null
  }`;
}

/** A link to a milestone. */
export const milestoneLink = (c: PageContext, { title, web_url }: MilestoneRow): Html =>
  html`<a href="${c.at(pathOf(c, web_url))}">${title}</a>`;

const mark = (row: IssuableRow): string => (row.references.full.includes('!') ? '!' : '#');

/** Rows of a list of issues or merge requests. @param list path of the list, for its labels */
export function issuableRows(c: PageContext, list: string, rows: readonly IssuableRow[]): Html {
  if (rows.length === 0) return html`<p class="quiet">There are none.</p>`;
  return html`<ul class="rows">${rows.map(
    (
      row,
    ) => html`<li>${row.state === 'opened' && !row.draft && !row.confidential ? null : html`${stateOf(row)} `}<a class="title" href="${c.at(pathOf(c, row.web_url))}">${row.title}</a>
${row.labels.map((label) => html` ${labelLink(c, list, label)}`)}
<br><span class="quiet">${mark(row)}${row.iid} · opened ${moment(row.created_at)} by ${person(c, row.author)}${
      row.milestone === null ? null : html` · ${milestoneLink(c, row.milestone)}`
    }${row.assignees.length === 0 ? null : html` · assigned to ${people(c, row.assignees)}`}${
      row.user_notes_count === 0
        ? null
        : ` · ${row.user_notes_count} ${row.user_notes_count === 1 ? 'comment' : 'comments'}`
    }</span></li>`,
  )}</ul>`;
}

/** What stands beside an issue or merge request. @param more further facts: names and values */
export function issuableFacts(
  c: PageContext,
  list: string,
  row: IssuableRow,
  more: readonly (readonly [name: string, value: Part])[] = [],
): Html {
  const facts: readonly (readonly [name: string, value: Part])[] = [
    ['Assignees', row.assignees.length === 0 ? null : people(c, row.assignees)],
    ['Labels', row.labels.length === 0 ? null : row.labels.map((label) => html`${labelLink(c, list, label)} `)],
    ['Milestone', row.milestone && milestoneLink(c, row.milestone)],
    ...more,
  ];
  return html`<dl class="facts">${facts.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value ?? html`<span class="quiet">None</span>`}</dd>`,
  )}</dl>`;
}
