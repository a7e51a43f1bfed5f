import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../api/index.ts';
import { routes } from '../../routes.ts';
import { type OpenApiDocument, type OperationObject, openApiDocument } from './openapi.document.ts';
import type { ParameterObject } from './parameters.ts';
import type { SchemaObject } from './schema-object.ts';

const BASE = 'https://forge.example';
const document = JSON.parse(JSON.stringify(openApiDocument(routes, BASE, await vocabulary()))) as OpenApiDocument;
const HOW =
  'say it in the declaration, or once in the vocabulary of its area (src/api/<area>/vocabulary) for every place where the name stands';

interface Body {
  content: Record<string, { schema: SchemaObject }>;
}

const choices = (schema: SchemaObject): SchemaObject[] =>
  ['anyOf', 'allOf', 'oneOf'].flatMap((keyword) => (schema[keyword] as SchemaObject[] | undefined) ?? []);
const isDescribed = (schema: SchemaObject): boolean =>
  schema.description !== undefined || choices(schema).some(isDescribed);

/** Whether a reader sees an example: of the schema itself, or of its parts. */
function hasExample(schema: SchemaObject): boolean {
  const { examples, $ref, items, format, type } = schema;
  const types = [type ?? []].flat();
  if (examples !== undefined || $ref !== undefined || format === 'binary') return true;
  if (types.length === 0 && choices(schema).length === 0) return true;
  if (types.includes('object') || types.join() === 'null') return true;
  return choices(schema).some(hasExample) || (items !== undefined && hasExample(items));
}

/** Properties of a schema without description or example. */
function* gaps(schema: SchemaObject, where: string): Generator<string> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!isDescribed(property)) yield `${where}.${name} has no description`;
    if (!hasExample(property)) yield `${where}.${name} has no example`;
    yield* gaps(property, `${where}.${name}`);
  }
  for (const choice of choices(schema)) yield* gaps(choice, where);
  if (schema.items !== undefined) yield* gaps(schema.items, where);
  if (typeof schema.additionalProperties === 'object') yield* gaps(schema.additionalProperties as SchemaObject, where);
}

/** Whether a body is raw content, which has no example. */
const isBytes = (body: unknown): boolean =>
  Object.values((body as Body).content).every(({ schema }) => Object.keys(schema).length === 0);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]): [string, OperationObject] => [`${method} ${path}`, operation]),
);

test('every operation and every parameter has a description, every parameter an example', () => {
  const problems = operations.flatMap(([name, { description, parameters, requestBody }]) => [
    ...(description === undefined ? [`${name} has no description`] : []),
    ...(parameters as ParameterObject[]).flatMap((parameter) => [
      ...(parameter.description === undefined ? [`${name}: ${parameter.name} has no description`] : []),
      ...(parameter.example === undefined && parameter.schema.type !== 'object'
        ? [`${name}: ${parameter.name} has no example`]
        : []),
    ]),
    ...(requestBody === undefined || isBytes(requestBody) || JSON.stringify(requestBody).includes('"example":')
      ? []
      : [`${name}: the body has no example`]),
  ]);
  assert.deepEqual(problems, [], HOW);
});

test('every property has a description and an example', () => {
  const components = Object.entries(document.components.schemas);
  const bodies = operations.flatMap(([name, { responses }]) =>
    Object.values(responses as Record<string, { content?: Record<string, { schema: SchemaObject }> }>).flatMap(
      ({ content = {} }) => Object.values(content).map(({ schema }): [string, SchemaObject] => [name, schema]),
    ),
  );
  const problems = [...components, ...bodies].flatMap(([name, schema]) => [...gaps(schema, name)]);
  assert.deepEqual(problems, [], HOW);
});

test('objects are called by words, not by numbers', () => {
  const numbered = Object.keys(document.components.schemas).filter((name) => /\d$/.test(name) && !/S3$/.test(name));
  assert.deepEqual(numbered, [], 'name the object in src/api/<area>/vocabulary/objects.ts, or give its schema a title');
});

test('every word of the vocabulary is used', async () => {
  const names = new Set<string>();
  JSON.stringify(document, (key, value: unknown) => {
    names.add(key);
    return value;
  });
  for (const [, { parameters }] of operations)
    for (const { name } of parameters as ParameterObject[]) for (const part of name.split(/[[\]]+/)) names.add(part);
  const unused = Object.keys((await vocabulary()).entries).filter((word) => !names.has(word.split('.').at(-1)!));
  assert.deepEqual(unused, []);
});
