import { routes as apiRoutes } from './api/index.ts';
import { lfsRoutes } from './git-server/http/lfs-routes.ts';
import type { Route } from './http/http.route.ts';

/** All declared routes, as in the OpenAPI document. */
export const routes: readonly Route[] = [...apiRoutes, ...lfsRoutes];
