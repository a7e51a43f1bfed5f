import type { Route } from '../../../http/http.route.ts';
import { integrationEndpoints } from './integrations.endpoints.ts';

/** Integrations of groups and projects (part 2, section 4.2); those of projects also by their deprecated URL. */
export const integrationRoutes: readonly Route[] = [
  ...integrationEndpoints('group'),
  ...integrationEndpoints('project'),
  ...integrationEndpoints('project', 'services'),
];
