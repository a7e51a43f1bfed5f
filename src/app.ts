import { routes } from './api/index.ts';
import type { Deps } from './deps.ts';
import { buildServer, type HttpServer } from './http/server.ts';

/** The whole server, for `main.ts` and for tests alike. It does not listen yet. */
export function buildApp(deps: Deps): HttpServer {
  return buildServer(deps, routes);
}
