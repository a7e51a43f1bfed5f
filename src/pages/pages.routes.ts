import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findNamespace, findProject } from '../access/lookup.ts';
import { groupPermissions, projectPermissions } from '../access/permissions.ts';
import { notFound } from '../core/core.errors.ts';
import { encodePath } from '../core/core.paths.ts';
import type { Deps } from '../deps.ts';
import { GIT_CREDENTIALS } from '../git-server/http/git-http.credentials.ts';
import { API_TOKENS } from '../http/api-tokens.ts';
import { callerOf, withChallenge } from '../http/http.credentials.ts';
import type { HttpServices } from '../http/http.services.ts';
import type { PreparedRoute } from '../http/route-match.ts';
import { isBrowser, serveHomePage, serveProjectPage } from '../web/place-pages.ts';
import { MAX_FORM } from '../web/web.routes.ts';
import { goGetPage } from './go-get.ts';
import { HOME } from './pages.rewrite.ts';
import { apiAddressOf } from './redirects.ts';

/** Pages that list something of a project. */
const LIST_PAGE = /^[a-z_]+\/?$/;

/** What all pages have in common as routes. */
const PAGE = { method: 'GET', bodyLimit: 0, config: {}, parsesBody: false } as const;

const redirect = (reply: FastifyReply, location: string, status = 302) => reply.redirect(location, status);

/** The web addresses that answers of the API contain: browsers get pages, and other clients are led to the API. */
export function registerPages(_app: FastifyInstance, deps: Deps, services: HttpServices): void {
  // The caller hardly matters for redirects: all requests are counted by address.
  const authorize = async (request: FastifyRequest, reply: FastifyReply) =>
    services.throttleAddress(request, reply, ['web']);
  const get = (path: string, url: string, handle: PreparedRoute['handle']) =>
    services.routes.add('GET', path, () => ({ ...PAGE, url, authorize, handle }));
  const api = (path: string) => `${deps.externalUrl()}/api/v4${path}`;

  get(`${HOME}/:path`, `${HOME}/:path`, async (request, reply) => {
    const { path } = request.params as { path: string };
    const query = request.query as Record<string, unknown>;
    const repository = /^(.+\/.+)\/info\/refs$/.exec(path)?.[1];
    // Git follows this redirect to the address with `.git` and continues there.
    if (repository !== undefined && typeof query.service === 'string') {
      const address = `${deps.externalUrl()}/${encodePath(repository)}.git/info/refs`;
      return redirect(reply, `${address}?service=${encodeURIComponent(query.service)}`, 301);
    }
    if (query['go-get'] === '1') {
      const page = await goGetPage(deps, request, path);
      if (page === null) throw notFound();
      return reply.type('text/html; charset=utf-8').send(page);
    }
    if (isBrowser(request)) return serveHomePage(deps, services, request, reply, path);
    const target = await homeOf(deps, request, path);
    if (target === null) throw notFound();
    return redirect(reply, api(target));
  });

  get('/:project/-/*page', '/:project/-/*', async (request, reply) => {
    const { project, page } = request.params as { project: string; page: string };
    if (isBrowser(request)) {
      const shown = await serveProjectPage(deps, services, request, reply, project, page);
      if (shown !== null) return shown;
    }
    // Only wikis have group pages with a counterpart.
    const ofGroup = page.startsWith('wikis') ? /^groups\/(.+)$/.exec(project)?.[1] : undefined;
    const text =
      ofGroup === undefined ? `projects/${encodeURIComponent(project)}` : `groups/${encodeURIComponent(ofGroup)}`;
    if (page === 'merge_requests/new') {
      const branch = (request.query as { merge_request?: { source_branch?: unknown } }).merge_request?.source_branch;
      return reply.type('text/plain; charset=utf-8').send(howToCreate(api(`/${text}`), branch));
    }
    const bytes = /^blob\/(.+)$/.exec(page)?.[1];
    if (bytes !== undefined) {
      return redirect(reply, `${deps.externalUrl()}/${encodePath(project)}/-/raw/${encodePath(bytes)}`);
    }
    const tree = /^tree\/(.+)$/.exec(page)?.[1];
    if (tree !== undefined) return redirect(reply, api(`/${text}/repository/tree?ref=${encodeURIComponent(tree)}`));
    const target = apiAddressOf(page);
    if (target === null) throw notFound();
    // Filters of a list have the same names in the API.
    const filters = LIST_PAGE.test(page) ? (request.url.split('?')[1] ?? '') : '';
    return redirect(reply, api(`/${text}${target}${filters === '' ? '' : `?${filters}`}`));
  });
  registerForms(deps, services, authorize);
}

/** Forms of the pages of projects. */
function registerForms(deps: Deps, services: HttpServices, authorize: PreparedRoute['authorize']): void {
  const url = '/:project/-/*';
  services.routes.add('POST', '/:project/-/*page', () => ({
    ...{ method: 'POST', url, bodyLimit: MAX_FORM, config: {}, parsesBody: true, authorize },
    handle: async (request, reply) => {
      const { project, page } = request.params as { project: string; page: string };
      const answer = await serveProjectPage(deps, services, request, reply, project, page);
      if (answer === null) throw notFound();
      return answer;
    },
  }));
}

/** Credentials of the API and of git. */
const CREDENTIALS = { ...GIT_CREDENTIALS, methods: [...API_TOKENS.methods, ...GIT_CREDENTIALS.methods] };

/** The API URL of the project, group or user with that path; null if the caller may not see one. */
async function homeOf(deps: Deps, request: FastifyRequest, path: string): Promise<string | null> {
  const caller = await withChallenge(CREDENTIALS, () => callerOf(deps, CREDENTIALS, request));
  const groupPath = /^groups\/(.+)$/.exec(path)?.[1] ?? path;
  if (path.includes('/') && groupPath === path) {
    const match = await findProject(deps, path);
    const seen =
      match !== undefined &&
      (await projectPermissions(deps, caller, match.project, match.namespace)).can('read_project');
    if (seen) return `/projects/${encodeURIComponent(path)}`;
  }
  // A number would be taken for an id.
  const namespace = /^\d+$/.test(groupPath) ? undefined : await findNamespace(deps, groupPath);
  if (namespace === undefined) return null;
  if (namespace.kind === 'user') return `/users?username=${encodeURIComponent(namespace.path)}`;
  const permissions = await groupPermissions(deps, caller, namespace);
  return permissions.can('read_group') ? `/groups/${encodeURIComponent(namespace.full_path)}` : null;
}

/** Instructions for the address that is printed after a push. */
function howToCreate(project: string, branch: unknown): string {
  const clean = typeof branch === 'string' ? branch.replace(/\p{Cc}/gu, '').slice(0, 255) : '';
  const name = clean === '' ? '<branch>' : clean;
  const quoted = `'${name.replaceAll("'", "'\\''")}'`;
  return [
    `To create a merge request for ${name}, push again with an option:`,
    '',
    `  git push -o merge_request.create origin ${quoted}`,
    '',
    'or, if there is nothing left to push, call the API:',
    '',
    `  curl -X POST -H "PRIVATE-TOKEN: $TOKEN" ${project}/merge_requests \\`,
    `    --data-urlencode source_branch=${quoted} -d target_branch=main --data-urlencode title=${quoted}`,
    '',
  ].join('\n');
}
