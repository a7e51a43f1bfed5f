import { GraphQLError } from 'graphql';

/** Characters of texts and names in all variables. */
const MAX_CHARACTERS = 100_000;
const MAX_VALUES = 5_000;

const tooLarge = () =>
  new GraphQLError(
    `The variables have more than ${MAX_CHARACTERS} characters or ${MAX_VALUES} values: split the query.`,
  );

/** @throws GraphQLError where they are more than a query takes */
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
 * The variables of a query, which are sent as an object or as its JSON.
 * @throws GraphQLError for what is neither, and for more than a query takes
 */
export function variablesOf(input: unknown): Record<string, unknown> {
  const variables = typeof input === 'string' ? parsed(input) : input;
  if (variables === null || (input === undefined && variables === undefined)) return {};
  if (typeof variables !== 'object' || Array.isArray(variables))
    throw new GraphQLError('The variables are no JSON object.');
  checkSize(variables);
  return variables as Record<string, unknown>;
}
