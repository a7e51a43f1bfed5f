import type { Route } from '../../../http/route.ts';
import { artifactReadRoutes } from './read-routes.ts';
import { artifactRunnerRoutes } from './runner-routes.ts';
import { artifactWriteRoutes } from './write-routes.ts';

/** What jobs leave: uploaded by runners, read by everybody who may. */
export const artifactRoutes: readonly Route[] = [
  ...artifactRunnerRoutes,
  ...artifactReadRoutes,
  ...artifactWriteRoutes,
];
