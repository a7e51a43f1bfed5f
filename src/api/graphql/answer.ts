import { buildSchema, type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import type { BaseContext } from '../../http/route.ts';
import { resolveField } from './resolvers.ts';
import type { Json } from './rest.ts';
import { Rest } from './rest.ts';
import { SDL } from './sdl.ts';

const MAX_TOKENS = 3_000;

let schema: GraphQLSchema | undefined;

type Answer = { data?: Json | null; errors?: unknown[] };

/** The document of a question, or what is wrong with it. */
function read(query: string): DocumentNode | readonly GraphQLError[] {
  try {
    const document = parse(query, { maxTokens: MAX_TOKENS });
    const errors = validate(schema!, document);
    return errors.length > 0 ? errors : document;
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

function variablesOf(given: unknown): Json {
  if (typeof given !== 'string') return (given ?? {}) as Json;
  try {
    const parsed = JSON.parse(given === '' ? '{}' : given) as unknown;
    if (typeof parsed === 'object' && !Array.isArray(parsed)) return (parsed ?? {}) as Json;
  } catch {
    // Told below.
  }
  throw new GraphQLError('The variables are no JSON object.');
}

/** Answers a question in GraphQL with what the REST API says to its caller. */
export async function answer(
  { request }: BaseContext,
  input: { query?: string | null; operationName?: string | null; variables?: unknown },
): Promise<Answer> {
  if (!input.query) return { errors: [{ message: 'No query string was present' }] };
  schema ??= buildSchema(SDL);
  const document = read(input.query);
  if (!('kind' in document)) return { errors: document.map((error) => error.toJSON()) };
  let variableValues: Json;
  try {
    variableValues = variablesOf(input.variables);
  } catch (error) {
    return { errors: [(error as GraphQLError).toJSON()] };
  }
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: {},
    contextValue: new Rest(request),
    variableValues,
    ...(input.operationName ? { operationName: input.operationName } : {}),
    fieldResolver: resolveField as never,
  });
  return {
    ...(data === undefined ? {} : { data: data as Json | null }),
    ...(errors === undefined ? {} : { errors: errors.map(explain) }),
  };
}

/** What nobody expected is not shown. */
function explain(error: GraphQLError): unknown {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return error.toJSON();
  return { ...error.toJSON(), message: 'Internal server error' };
}
