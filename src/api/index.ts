import type { Route } from '../http/route.ts';
import { versionRoutes } from './version/routes.ts';

/** Every resource of the API, one line each. */
export const routes: readonly Route[] = [...versionRoutes];
