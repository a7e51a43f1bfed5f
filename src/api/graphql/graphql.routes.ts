import { Type } from 'typebox';
import { route } from '../../http/http.route.ts';
import { Nullable } from '../../http/http.schema.ts';
import { anyone } from '../api.access.ts';

const MAX_QUERY = 100_000;

/** GraphQL queries about users, projects, groups, issues and merge requests. */
export const graphqlRoutes = [
  route({
    method: 'POST',
    root: true,
    path: '/api/graphql',
    operationId: 'queryGraphql',
    tag: 'GraphQL',
    summary: 'Execute a GraphQL query',
    description:
      'Gives the same data as the REST API to the same caller; fields that the caller may not read are null. The schema is available by introspection. ' +
      'The maximum depth is 20; the maximum complexity is 250, or 300 with a token: each field counts 1 plus ' +
      'its own fields, and a list adds 1 % for each node on its page.',
    access: anyone,
    duringMaintenance: true,
    scopes: ['read_api', 'read_user'],
    expensive: true,
    input: Type.Object({
      query: Type.Optional(Nullable(Type.String({ maxLength: MAX_QUERY, description: 'The query.' }))),
      operationName: Type.Optional(
        Nullable(Type.String({ description: 'Name of the operation to execute, if the query has several.' })),
      ),
      variables: Type.Optional(
        Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String(), Type.Null()], {
          description: 'Values of the variables, as an object or as a JSON string.',
        }),
      ),
    }),
    success: {
      status: 200,
      schema: Type.Object({
        data: Type.Optional(
          Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'Result of the query.' })),
        ),
        errors: Type.Optional(Type.Array(Type.Unknown(), { description: 'Errors of the query.' })),
      }),
    },
    handler: async (c) => {
      // Loaded by the first query to keep the start fast: few servers receive GraphQL queries.
      const { executeGraphql: response } = await import('./execute-graphql.ts');
      return response(c, c.input);
    },
  }),
];
