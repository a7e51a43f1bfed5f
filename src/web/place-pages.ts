import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import type { HttpServices } from '../http/http.services.ts';
import { matchPage } from './core/match-page.ts';
import type { PageRoute } from './core/page.ts';
import { servePage } from './core/serve-page.ts';
import { codePages } from './pages/code/code-pages.ts';
import { pipelinePages } from './pages/pipelines/pipeline.pages.ts';
import { placeHomePage } from './pages/places/place-home.pages.ts';
import { planningPages } from './pages/planning/planning.pages.ts';

/**
 * Pages of a project, with `params.project` as its full path and paths relative to `/<project>/-/`.
 * The first one that matches is shown.
 */
export const projectPages: readonly PageRoute[] = [...codePages, ...planningPages, ...pipelinePages];

/** Whether a request comes from a browser, which shows pages; other clients are led to the API. */
export const isBrowser = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /(?:^|,)\s*text\/html\b/i.test(headers.accept ?? '');

/** Serves a page of a project; null if there is none at that address. */
export async function serveProjectPage(
  deps: Deps,
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
  project: string,
  page: string,
): Promise<FastifyReply | null> {
  const match = matchPage(projectPages, request.method === 'HEAD' ? 'GET' : request.method, page);
  if (match === null) return null;
  return servePage(deps, services, request, reply, match.route, { ...match.params, project });
}

/** Serves the page of a project, a group or a user. */
export function serveHomePage(
  deps: Deps,
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<FastifyReply> {
  return servePage(deps, services, request, reply, placeHomePage, { path });
}
