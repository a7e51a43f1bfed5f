import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { checkComplexity } from './limits/complexity.ts';
import { checkDepth } from './limits/depth.ts';
import { variablesOf } from './limits/graphql-limits.variables.ts';

const MAX_TOKENS = 3_000;
/** Compares all fields that are answered under one name with each other: only what is known to be small is given to it. */
const QUADRATIC = [OverlappingFieldsCanBeMergedRule];
const LINEAR = specifiedRules.filter((rule) => !QUADRATIC.includes(rule));

/** A query as it was sent. */
export interface GraphQLRequest {
  query: string;
  operationName: string | null;
  variables: unknown;
}

/** A query that may be answered. */
export interface PreparedQuery {
  document: DocumentNode;
  variableValues: Record<string, unknown>;
  /** What it costs, in the measure of its limit. */
  complexity: number;
}

/**
 * Reads a query, and refuses what costs too much before anything of it runs.
 * @param signedIn whether the caller has a token
 * @returns what is wrong with it, or what is to be answered
 */
export function prepareQuery(
  schema: GraphQLSchema,
  { query, operationName, variables }: GraphQLRequest,
  signedIn: boolean,
): readonly GraphQLError[] | PreparedQuery {
  try {
    const variableValues = variablesOf(variables);
    const document = parse(query, { maxTokens: MAX_TOKENS });
    checkDepth(document);
    const errors = validate(schema, document, LINEAR);
    if (errors.length > 0) return errors;
    const complexity = checkComplexity(schema, document, { operationName, variables: variableValues, signedIn });
    const overlapping = validate(schema, document, QUADRATIC);
    return overlapping.length > 0 ? overlapping : { document, variableValues, complexity };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    // The stack is exhausted by brackets in each other.
    if (error instanceof RangeError) return [new GraphQLError('Query is nested too deeply')];
    throw error;
  }
}
