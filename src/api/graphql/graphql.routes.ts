import { Type } from 'typebox';
import { route } from '../../http/http.route.ts';
import { Nullable } from '../../http/http.schema.ts';
import { anyone } from '../api.access.ts';

const MAX_QUERY = 100_000;

/** Questions in GraphQL about users, projects, groups, issues and merge requests; introspection tells which. */
export const graphqlRoutes = [
  route({
    method: 'POST',
    root: true,
    path: '/api/graphql',
    operationId: 'queryGraphql',
    tag: 'GraphQL',
    summary: 'Ask in GraphQL',
    description:
      'Answers what the REST API says to the same caller: what may not be seen is null. The schema is told by introspection. ' +
      'Fields stand in each other 20 deep at most, and a query has a complexity of 250, of 300 with a token: a field is one and ' +
      'what is asked of it, a list a hundredth more for each thing on its page.',
    access: anyone,
    duringMaintenance: true,
    scopes: ['read_api', 'read_user'],
    expensive: true,
    input: Type.Object({
      query: Type.Optional(Nullable(Type.String({ maxLength: MAX_QUERY, description: 'The query.' }))),
      operationName: Type.Optional(Nullable(Type.String({ description: 'Which of several operations is meant.' }))),
      variables: Type.Optional(
        Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String(), Type.Null()], {
          description: 'Values of the variables, as an object or as its JSON.',
        }),
      ),
    }),
    success: {
      status: 200,
      schema: Type.Object({
        data: Type.Optional(
          Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'What was asked for.' })),
        ),
        errors: Type.Optional(Type.Array(Type.Unknown(), { description: 'What could not be answered, and why.' })),
      }),
    },
    handler: async (c) => {
      // Loaded by the first query: few servers are ever asked one, and every start would pay for it.
      const { executeGraphql: response } = await import('./execute-graphql.ts');
      return response(c, c.input);
    },
  }),
];
