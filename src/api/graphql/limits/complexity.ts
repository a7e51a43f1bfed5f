import {
  type DocumentNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  Kind,
} from 'graphql';
import { type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import { MAX_PAGE } from '../graphql.connection.ts';

const MAX_COMPLEXITY = { anonymous: 250, signedIn: 300 };
/** Weight of each list node, relative to the cost of its fields. */
const ITEM_WEIGHT = 0.01;

const hasArgument = ({ args }: GraphQLField<unknown, unknown>, argumentName: string): boolean =>
  args.some(({ name }: GraphQLArgument) => name === argumentName);

/** Maximum page size of the list of a field; 0 if it is not a list. */
function pageSizeOf(field: GraphQLField<unknown, unknown>, args: Record<string, unknown>): number {
  const input = Object.values(args).reduce<number>(
    (longest, value) => (Array.isArray(value) ? Math.max(longest, value.length) : longest),
    0,
  );
  if (!getNamedType(field.type).name.endsWith('Connection') && !hasArgument(field, 'limit')) return input;
  const asked = [args.first, args.last, args.limit].filter((size) => typeof size === 'number' && size >= 0) as number[];
  return Math.max(input, Math.min(MAX_PAGE, ...asked));
}

const estimate = ({ field, args, childComplexity }: ComplexityEstimatorArgs): number => {
  const one = childComplexity + 1;
  return Math.ceil(one + one * ITEM_WEIGHT * pageSizeOf(field, args));
};

/**
 * Computes the complexity of a valid document: 1 for each field plus its own fields; lists add more by their page size.
 * @throws GraphQLError if it exceeds the limit, and for invalid variables
 */
export function checkComplexity(
  schema: GraphQLSchema,
  query: DocumentNode,
  {
    operationName,
    variables,
    signedIn,
  }: { operationName: string | null; variables: Record<string, unknown>; signedIn: boolean },
): number {
  const operations = query.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const complexity = getComplexity({
    schema,
    query,
    variables,
    estimators: [estimate],
    // A single operation needs no name.
    ...(operations.length > 1 && operationName !== null ? { operationName } : {}),
  });
  const limit = signedIn ? MAX_COMPLEXITY.signedIn : MAX_COMPLEXITY.anonymous;
  if (complexity > limit) {
    throw new GraphQLError(`Query has complexity of ${complexity}, which exceeds max complexity of ${limit}`);
  }
  return complexity;
}
