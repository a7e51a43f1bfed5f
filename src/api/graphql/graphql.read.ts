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
/**
 * Takes quadratic time: compares all fields with the same response name. Runs on documents only whose size is checked.
 */
const QUADRATIC = [OverlappingFieldsCanBeMergedRule];
const LINEAR = specifiedRules.filter((rule) => !QUADRATIC.includes(rule));

/** A query as it was sent. */
export interface GraphQLRequest {
  query: string;
  operationName: string | null;
  variables: unknown;
}

/** A validated query. */
export interface PreparedQuery {
  document: DocumentNode;
  variableValues: Record<string, unknown>;
  /** Complexity of the query. */
  complexity: number;
}

/**
 * Parses and validates a query, and refuses expensive ones before they run.
 * @param signedIn whether the caller has a token
 * @returns the errors, or the validated query
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
    // Nested brackets exhausted the stack.
    if (error instanceof RangeError) return [new GraphQLError('Query is nested too deeply')];
    throw error;
  }
}
