import { GraphQLError } from 'graphql';

/** Maximum number of characters of strings and names in all variables. */
const MAX_CHARACTERS = 100_000;
const MAX_VALUES = 5_000;

const tooLarge = () =>
  new GraphQLError(
    `The variables have more than ${MAX_CHARACTERS} characters or ${MAX_VALUES} values. Split the query.`,
  );

/** @throws GraphQLError if they exceed a limit */
function checkSize(variables: object): void {
  let characters = 0;
  let values = 0;
  const left: unknown[] = [variables];
  while (left.length > 0) {
    const value = left.pop();
    values += 1;
    if (typeof value === 'string') characters += value.length;
    if (values + left.length > MAX_VALUES || characters > MAX_CHARACTERS) throw tooLarge();
    if (typeof value !== 'object' || value === null) continue;
    for (const name in value) {
      if (!Array.isArray(value)) characters += name.length;
      left.push((value as Record<string, unknown>)[name]);
      if (left.length > MAX_VALUES) throw tooLarge();
    }
  }
}

function parsed(text: string): unknown {
  if (text.length > 2 * MAX_CHARACTERS) throw tooLarge();
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the variables of a query, given as an object or as a JSON string.
 * @throws GraphQLError if they are neither, or exceed a limit
 */
export function variablesOf(input: unknown): Record<string, unknown> {
  const variables = typeof input === 'string' ? parsed(input) : input;
  if (variables === null || (input === undefined && variables === undefined)) return {};
  if (typeof variables !== 'object' || Array.isArray(variables))
    throw new GraphQLError('The variables are not a JSON object.');
  checkSize(variables);
  return variables as Record<string, unknown>;
}
