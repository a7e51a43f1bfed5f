import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import type { HttpServices } from '../http/http.services.ts';
import type { PreparedRoute } from '../http/route-match.ts';
import type { PageRoute } from './core/page.ts';
import { servePage } from './core/serve-page.ts';
import { ASSETS, styleSheet } from './layout/assets.ts';
import { homePages } from './pages/home.pages.ts';
import { sessionPages } from './pages/session.pages.ts';
import { signInPages } from './pages/sign-in.pages.ts';

/** Bytes of a form. */
export const MAX_FORM = 1024 * 1024;
const YEAR_SECONDS = 31_536_000;

const pages: readonly PageRoute[] = [...homePages, ...signInPages, ...sessionPages];

/** The pages with fixed addresses. Those of projects and groups are found by `src/pages`. */
export function registerWeb(app: FastifyInstance, deps: Deps, services: HttpServices): void {
  const authorize = async (request: FastifyRequest, reply: FastifyReply) =>
    services.throttleAddress(request, reply, ['web']);
  const add = (method: 'GET' | 'POST', path: string, more: Pick<PreparedRoute, 'authorize' | 'handle'>) =>
    services.routes.add(method, path, () => ({
      ...{ method, url: path, bodyLimit: method === 'POST' ? MAX_FORM : 0, config: {}, parsesBody: method === 'POST' },
      ...more,
    }));
  for (const page of pages) {
    if (page.path === '/') {
      // The table of routes has no root.
      app.get('/', { onRequest: authorize }, (request, reply) => servePage(deps, services, request, reply, page, {}));
      continue;
    }
    add(page.method, page.path, {
      authorize: async (request, reply) => {
        await authorize(request, reply);
        if (page.signsIn === true) services.throttleSignIn(request, reply);
      },
      handle: (request, reply) =>
        servePage(deps, services, request, reply, page, request.params as Record<string, string>),
    });
  }
  add('GET', `${ASSETS}/:file`, {
    authorize,
    handle: async (request, reply) => {
      const text = styleSheet((request.params as { file: string }).file);
      if (text === undefined) throw notFound();
      return reply
        .header('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`)
        .type('text/css; charset=utf-8')
        .send(text);
    },
  });
}
