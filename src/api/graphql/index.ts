import type { Area } from '../area.ts';
import { graphqlRoutes } from './graphql.routes.ts';

/** GraphQL, a second face of all the other areas. */
export const graphql: Area = {
  routes: [...graphqlRoutes],
};
