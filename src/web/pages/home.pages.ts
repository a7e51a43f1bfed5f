import type { PageContext, PageRoute } from '../core/page.ts';
import { html, type Part } from '../core/template.ts';
import { moment, pageOf, pagination } from './parts.ts';

interface ProjectRow {
  path_with_namespace: string;
  name_with_namespace: string;
  description: string | null;
  last_activity_at: string;
  star_count: number;
}

interface IssuableRow {
  title: string;
  updated_at: string;
  references: { full: string };
  web_url: string;
}

const projectRows = ({ at }: PageContext, rows: readonly ProjectRow[]): Part =>
  rows.length === 0
    ? html`<p class="quiet">There are none yet.</p>`
    : html`<ul class="rows">${rows.map(
        (row) => html`<li><a class="title" href="${at(`/${row.path_with_namespace}`)}">${row.name_with_namespace}</a>
${row.description ? html`<br>${row.description}` : null}
<br><span class="quiet">Active ${moment(row.last_activity_at)} · ${row.star_count} ${row.star_count === 1 ? 'star' : 'stars'}</span></li>`,
      )}</ul>`;

/** The path below this server of an address that the API gives. */
const pathOf = ({ deps }: PageContext, url: string): string => url.slice(deps.externalUrl().length);

const waiting = (c: PageContext, title: string, rows: readonly IssuableRow[]): Part =>
  rows.length === 0
    ? null
    : html`<h2>${title}</h2><ul class="rows">${rows.map(
        (row) => html`<li><a class="title" href="${c.at(pathOf(c, row.web_url))}">${row.title}</a>
<br><span class="quiet">${row.references.full} · updated ${moment(row.updated_at)}</span></li>`,
      )}</ul>`;

/** What waits for the user, what is there, and what this server is. */
export const homePages: PageRoute[] = [
  {
    method: 'GET',
    path: '/',
    handle: async (c) => {
      const { api, user } = c;
      if (user === null) return { redirect: '/explore' };
      const few = { state: 'opened', scope: 'all', per_page: 10, order_by: 'updated_at' };
      const [reviews, assigned, issues, projects] = await Promise.all([
        api.list<IssuableRow>('/merge_requests', { ...few, reviewer_username: user.username }),
        api.list<IssuableRow>('/merge_requests', { ...few, assignee_id: user.id }),
        api.list<IssuableRow>('/issues', { ...few, assignee_id: user.id }),
        api.list<ProjectRow>('/projects', { membership: true, order_by: 'last_activity_at', per_page: 20 }),
      ]);
      const body = html`<h1>Home</h1>
${waiting(c, 'Your review is asked for', reviews.rows)}
${waiting(c, 'Merge requests assigned to you', assigned.rows)}
${waiting(c, 'Issues assigned to you', issues.rows)}
<h2>Your projects</h2>${projectRows(c, projects.rows)}`;
      return { title: 'Home', body };
    },
  },
  {
    method: 'GET',
    path: '/explore',
    handle: async (c) => {
      const list = await c.api.list<ProjectRow>('/projects', {
        order_by: 'last_activity_at',
        page: pageOf(c),
        per_page: 20,
      });
      const body = html`<h1>Projects</h1>${projectRows(c, list.rows)}${pagination(c, '/explore', list)}`;
      return { title: 'Projects', body };
    },
  },
  {
    method: 'GET',
    path: '/help',
    handle: async ({ deps, at }) => {
      const url = deps.externalUrl();
      const body = html`<h1>Help</h1>
<p>This is Stithy, a source host. It speaks the GitLab REST API v4 as version ${deps.config.reportedVersion.text}.</p>
<h2>Clone</h2><pre class="box"><code class="in">git clone ${url}/GROUP/PROJECT.git</code></pre>
<p>Git asks for your username, and for your password or a personal access token.</p>
<h2>API</h2><p>It is at <code>${url}/api/v4</code>; its <a href="${at('/-/api')}">reference</a> lists every address.</p>
<pre class="box"><code class="in">curl -H "PRIVATE-TOKEN: $TOKEN" ${url}/api/v4/user</code></pre>`;
      return { title: 'Help', body };
    },
  },
];
