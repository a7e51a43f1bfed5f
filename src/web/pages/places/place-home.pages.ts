import type { ListPage } from '../../core/api-client.ts';
import { ApiRefusal } from '../../core/api-client.ts';
import { type Page, type PageContext, PageNotFound, type PageRoute } from '../../core/page.ts';
import { html } from '../../core/template.ts';
import { pageOf, pagination } from '../parts.ts';
import { apiPathOf, type ProjectFacts } from '../project-frame.ts';
import { type GroupFacts, groupHome, placeRows } from './group-home.ts';
import { projectHome } from './project-home.ts';

interface UserFacts {
  id: number;
  username: string;
  name: string;
  bio?: string | null;
}

async function userHome(c: PageContext, username: string): Promise<Page> {
  const user = await userOf(c, username);
  const projects = await c.api.list<{
    id: number;
    name: string;
    description: string | null;
    path_with_namespace: string;
  }>(`/users/${user.id}/projects`, { per_page: 20, page: pageOf(c), order_by: 'last_activity_at' });
  const body = html`<h1>${user.name}</h1><p class="quiet">@${user.username}</p>${user.bio ? html`<p>${user.bio}</p>` : null}
<h2>Projects</h2>${placeRows(c, projects.rows)}${pagination(c, `/${user.username}`, projects)}`;
  return { title: user.name, body, trail: [{ text: user.username, path: `/${user.username}` }] };
}

/** @throws PageNotFound if there is none, or the visitor may not see users */
async function userOf({ api }: PageContext, username: string): Promise<UserFacts> {
  let found: ListPage<UserFacts>;
  try {
    found = await api.list<UserFacts>('/users', { username });
  } catch (error) {
    if (error instanceof ApiRefusal && [401, 403].includes(error.status)) throw new PageNotFound();
    throw error;
  }
  const [user] = found.rows;
  if (user === undefined) throw new PageNotFound();
  return (await api.find<UserFacts>(`/users/${user.id}`)) ?? user;
}

/** The page at `/<path>` of a project, a group or a user. */
export const placeHomePage: PageRoute = {
  method: 'GET',
  path: '/:path',
  handle: async (c) => {
    const path = c.params.path!;
    // The address to clone from, pasted into a browser.
    const cloned = /^(\w[\w.-]*(?:\/\w[\w.-]*)+)\.git$/.exec(path)?.[1];
    if (cloned !== undefined) return { redirect: `/${cloned}` };
    const groupPath = /^groups\/(.+)$/.exec(path)?.[1];
    if (groupPath === undefined && path.includes('/')) {
      const project = await c.api.find<ProjectFacts>(apiPathOf(path));
      if (project !== null) return projectHome(c, project);
    }
    const name = groupPath ?? path;
    // A number would be taken for an id.
    if (/^\d+$/.test(name)) throw new PageNotFound();
    const group = await c.api.find<GroupFacts>(`/groups/${encodeURIComponent(name)}`, { with_projects: false });
    if (group !== null) return groupHome(c, group);
    if (groupPath !== undefined || path.includes('/')) throw new PageNotFound();
    return userHome(c, path);
  },
};
