import { buildSchema, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import type { BaseContext } from '../../http/http.route.ts';
import { type PreparedQuery, prepareQuery } from './graphql.read.ts';
import { QueryBudget } from './limits/budget.ts';
import { resolveField } from './resolvers.ts';
import type { Json } from './rest.ts';
import { Rest } from './rest.ts';
import { SDL } from './sdl.ts';

/** Bytes of memory reserved for each point of complexity of a query. */
const POINT_BYTES = 128 * 1024;

let schema: GraphQLSchema | undefined;

type Answer = { data?: Json | null; errors?: unknown[] };

/**
 * Executes a GraphQL query with data of the REST API, with the rights of the caller.
 * @throws ApiError 429; 503 while memory is short
 */
export async function executeGraphql(
  c: BaseContext,
  input: { query?: string | null; operationName?: string | null; variables?: unknown },
): Promise<Answer> {
  const { query, operationName, variables } = input;
  if (!query) return { errors: [{ message: 'No query string was present' }] };
  schema ??= buildSchema(SDL);
  const signedIn = c.caller.credential.kind !== 'none';
  const read = prepareQuery(schema, { query, operationName: operationName || null, variables }, signedIn);
  if (!('document' in read)) return { errors: read.map((error) => error.toJSON()) };
  await c.hold(read.complexity * POINT_BYTES);
  const budget = new QueryBudget(c.signal);
  try {
    return await run(c, schema, read, operationName || null, budget);
  } catch (error) {
    const { reason } = budget.signal;
    if (reason instanceof GraphQLError) return { errors: [reason.toJSON()] };
    // Nobody reads the response any more.
    if (c.signal.aborted) return { errors: [{ message: 'The client closed the connection.' }] };
    throw error;
  } finally {
    budget.dispose();
  }
}

async function run(
  c: BaseContext,
  schema: GraphQLSchema,
  { document, variableValues }: PreparedQuery,
  operationName: string | null,
  budget: QueryBudget,
): Promise<Answer> {
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: {},
    contextValue: new Rest(c, budget),
    variableValues,
    operationName,
    fieldResolver: resolveField as never,
    abortSignal: budget.signal,
  });
  return {
    ...(data === undefined ? {} : { data: data as Json | null }),
    ...(errors === undefined ? {} : { errors: errors.map(explain) }),
  };
}

/** Formats an error; hides details of unexpected ones. */
function explain(error: GraphQLError): unknown {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return error.toJSON();
  return { ...error.toJSON(), message: 'Internal server error' };
}
