import type { Route } from '../../../http/http.route.ts';
import { artifactReadRoutes } from './artifacts.read-routes.ts';
import { artifactRunnerRoutes } from './artifacts.runner-routes.ts';
import { artifactWriteRoutes } from './artifacts.write-routes.ts';

/** Artifacts of jobs: runners upload them, users read them. */
export const artifactRoutes: readonly Route[] = [
  ...artifactRunnerRoutes,
  ...artifactReadRoutes,
  ...artifactWriteRoutes,
];
