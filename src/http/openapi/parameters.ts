import type { TObject, TSchema } from 'typebox';
import type { Route } from '../http.route.ts';
import { propertiesOf } from '../http.schema.ts';
import type { ParamRules } from '../params/coerce.ts';
import { withPlan } from './openapi.plan.ts';
import { ruleConstraints } from './openapi.rules.ts';
import type { SchemaBook } from './openapi.schemas.ts';
import type { SchemaObject } from './schema-object.ts';

type InputSchema = TSchema & {
  type?: string | string[];
  description?: string;
  deprecated?: boolean;
  items?: InputSchema;
  properties?: Record<string, InputSchema>;
  required?: string[];
  'x-comma-separated'?: boolean;
};

export interface ParameterObject {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  deprecated?: boolean;
  example?: unknown;
  style?: string;
  explode?: boolean;
  schema: SchemaObject;
}

const isKind = (schema: InputSchema, kind: string): boolean =>
  schema.type === kind || (Array.isArray(schema.type) && schema.type.includes(kind));

/** A parameter whose description is moved out of its schema. */
function parameter(
  book: SchemaBook,
  place: 'path' | 'query',
  name: string,
  schema: InputSchema,
  required: boolean,
): ParameterObject {
  const { description: own, deprecated, ...rest } = schema;
  const plain = /(\w+)\]?(?:\[\])?$/.exec(name)?.[1] ?? name;
  const description = withPlan(own ?? book.words.description('', plain), schema as SchemaObject);
  const example = book.words.example('', plain, schema as SchemaObject);
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === true ? { deprecated } : {}),
    ...(example === undefined ? {} : { example }),
    schema: book.write(rest as TSchema, name),
  };
}

/** A property of the input, named as in a query string. */
function* queryParameter(
  book: SchemaBook,
  name: string,
  schema: InputSchema,
  required: boolean,
): Generator<ParameterObject> {
  if (isKind(schema, 'array')) {
    const commas = schema['x-comma-separated'] === true;
    const style = { style: 'form', explode: !commas };
    yield { ...parameter(book, 'query', commas ? name : `${name}[]`, schema, required), ...style };
  } else if (isKind(schema, 'object') && schema.properties !== undefined) {
    const inside = new Set(schema.required ?? []);
    for (const [key, member] of Object.entries(schema.properties)) {
      yield* queryParameter(book, `${name}[${key}]`, member, required && inside.has(key));
    }
  } else if (isKind(schema, 'object')) {
    yield { ...parameter(book, 'query', name, schema, required), style: 'deepObject', explode: true };
  } else yield parameter(book, 'query', name, schema, required);
}

/** Path parameters in the order of the path. */
export function pathParameters(book: SchemaBook, path: string, schemas: Record<string, TSchema>): ParameterObject[] {
  return [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => {
    const schema = (schemas[name!] ?? { type: 'string' }) as InputSchema;
    return parameter(book, 'path', name!, schema, true);
  });
}

/** The input as parameters of the query string. */
export function queryParameters(book: SchemaBook, input: TObject): ParameterObject[] {
  const required = new Set(input.required as string[] | undefined);
  return Object.entries(propertiesOf(input)).flatMap(([name, schema]) => [
    ...queryParameter(book, name, schema as InputSchema, required.has(name)),
  ]);
}

/** Files can only be sent in a multipart body; elsewhere their content is a text. */
function withoutFiles(schema: InputSchema): InputSchema {
  if (schema.properties === undefined) {
    const { format, ...rest } = schema as InputSchema & { format?: string };
    const items = schema.items === undefined ? {} : { items: withoutFiles(schema.items) };
    return { ...(format === 'binary' ? rest : schema), ...items } as InputSchema;
  }
  const members = Object.entries(schema.properties).map(([key, member]) => [key, withoutFiles(member)]);
  return { ...schema, properties: Object.fromEntries(members) } as InputSchema;
}

/** An example of a valid body: the required parameters, or else the first one. */
function exampleOf(book: SchemaBook, input: TObject, rules: ParamRules): object {
  const choices = [...(rules.exactlyOne ?? []), ...(rules.atLeastOne ?? [])].flatMap(([first]) => first ?? []);
  const properties = Object.entries(propertiesOf(input));
  const requiredNames = [...((input.required as string[] | undefined) ?? []), ...choices];
  const shown = requiredNames.length > 0 ? requiredNames : properties.slice(0, 1).map(([name]) => name);
  const values = properties
    .filter(([name]) => shown.includes(name))
    .map(([name, schema]) => [name, book.words.example('', name, schema as SchemaObject)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** A raw body. */
export const bytesBody = ({ contentType, description }: NonNullable<Route['options']['body']>): object => ({
  description,
  required: true,
  content: { [contentType]: { schema: {} } },
});

/**
 * The input as a body in all encodings.
 * @param mediaType the only encoding, for routes with a JSON media type of their own
 */
export function requestBody(
  book: SchemaBook,
  input: TObject,
  rules: ParamRules,
  { hint, context }: { hint: string; context: string },
  mediaType?: string,
): object {
  const ruled = { ...input, ...ruleConstraints(rules, Object.keys(propertiesOf(input))) } as InputSchema;
  const bare = withoutFiles(ruled);
  const plain = { schema: book.write(bare, hint, context), example: exampleOf(book, input, rules) };
  const hasFiles = JSON.stringify(bare) !== JSON.stringify(ruled);
  return {
    description: 'Each parameter may also be sent in the query string.',
    ...((input.required as string[] | undefined)?.length ? { required: true } : {}),
    content:
      mediaType === undefined
        ? {
            'application/json': plain,
            'application/x-www-form-urlencoded': plain,
            'multipart/form-data': { schema: book.write(ruled, hasFiles ? `${hint} form` : hint, context) },
          }
        : { [mediaType]: plain },
  };
}
