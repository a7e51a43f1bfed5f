import { routes } from './api/index.ts';
import type { Deps } from './deps.ts';
import { registerLfsRoutes } from './git-http/lfs.ts';
import { rewriteGitUrl } from './git-http/paths.ts';
import { registerGitRoutes } from './git-http/routes.ts';
import { buildServer, type HttpServer } from './http/server.ts';

/** The whole server, for `main.ts` and for tests alike. It does not listen yet. */
export function buildApp(deps: Deps): HttpServer {
  return buildServer(deps, { routes, rewriteUrl: rewriteGitUrl, plugins: [registerGitRoutes, registerLfsRoutes] });
}
