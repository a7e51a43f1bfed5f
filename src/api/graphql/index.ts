import type { Area } from '../area.ts';
import { graphqlRoutes } from './graphql.routes.ts';

/** The GraphQL API, on top of all other areas. */
export const graphql: Area = {
  routes: [...graphqlRoutes],
};
