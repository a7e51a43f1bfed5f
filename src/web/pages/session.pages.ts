import { endSession, sessionsOf } from '../../access/user-sessions.ts';
import { PageNotFound, type PageRoute } from '../core/page.ts';
import { html } from '../core/template.ts';
import { moment } from './parts.ts';

const PATH = '/-/user_settings/active_sessions';

/** Sessions of the user: where they are signed in. */
export const sessionPages: PageRoute[] = [
  {
    method: 'GET',
    path: PATH,
    signedIn: true,
    handle: async ({ deps, session, formToken, at }) => {
      const { row: own, user } = session!;
      const rows = await sessionsOf(deps, user.id);
      const body = html`<h1>Active sessions</h1>
<p>Browsers in which you are signed in. Sessions end when you change your password.</p>
<ul class="rows">${rows.map(
        (row) => html`<li>
<strong>${row.ip}</strong>${row.id === own.id ? html` <span class="state good">This browser</span>` : null}<br>
<span class="quiet">${row.user_agent}</span><br>
<span class="quiet">Signed in ${moment(row.created_at)}, last used ${moment(row.last_used_at)}</span>
${
  row.id === own.id
    ? null
    : html`<form class="actions" method="post" action="${at(`${PATH}/${row.id}`)}">${formToken}<button>Revoke</button></form>`
}</li>`,
      )}</ul>`;
      return { title: 'Active sessions', body };
    },
  },
  {
    method: 'POST',
    path: `${PATH}/:id`,
    signedIn: true,
    handle: async ({ deps, session, params }) => {
      const rows = await sessionsOf(deps, session!.user.id);
      const row = rows.find(({ id }) => String(id) === params.id);
      if (row === undefined) throw new PageNotFound();
      await endSession(deps, row);
      return { redirect: PATH };
    },
  },
];
