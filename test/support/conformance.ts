import assert from 'node:assert/strict';
import type { Response } from 'light-my-request';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import type { Route } from '../../src/http/http.route.ts';
import { refusalsOf } from '../../src/http/openapi/openapi.responses.ts';
import { routes } from '../../src/routes.ts';
import { benchRoutes } from '../../src/test-bench/index.ts';

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

const segments = (path: string) => path.split('/').filter(Boolean);

/** The route that answers; HEAD is answered by GET where the path has no route of its own for it. */
const findRoute = (method: string, path: string): Route | undefined =>
  bestRoute(method, path) ?? (method === 'HEAD' ? bestRoute('GET', path) : undefined);

interface Pattern {
  route: Route;
  parts: readonly string[];
  /** Whether the last part takes the rest of the path. */
  open: boolean;
  literals: number;
}

const patternOf = (route: Route): Pattern => {
  const parts = segments(route.options.path);
  const literals = parts.filter((part) => !/^[:*]/.test(part)).length;
  return { route, parts, literals, open: parts.at(-1)?.startsWith('*') === true };
};

const patterns = Map.groupBy([...routes, ...benchRoutes].map(patternOf), ({ route }) => route.options.method);

function bestRoute(method: string, path: string): Route | undefined {
  const requested = segments(path.split('?')[0]!);
  let best: Pattern | undefined;
  for (const pattern of patterns.get(method as Route['options']['method']) ?? []) {
    const { parts, open, literals } = pattern;
    if (open ? requested.length < parts.length : requested.length !== parts.length) continue;
    if (best !== undefined && literals <= best.literals) continue;
    if (parts.every((part, index) => part[0] === ':' || part[0] === '*' || part === requested[index])) best = pattern;
  }
  return best?.route;
}

/** Keys of the value that its schema does not name: they would leak without being described. */
function* undeclared(schema: Schema, value: unknown, at: string): Generator<string> {
  if (Array.isArray(value)) {
    if (schema.items !== undefined)
      for (const [index, item] of value.entries()) yield* undeclared(schema.items, item, `${at}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const alternatives = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (alternatives !== undefined) {
    const problems = alternatives.map((alternative) => [...undeclared(alternative, value, at)]);
    if (!problems.some((list) => list.length === 0)) yield* problems[0] ?? [];
    return;
  }
  if (schema.properties === undefined) return;
  for (const [key, item] of Object.entries(value)) {
    const property = schema.properties[key];
    if (property !== undefined) yield* undeclared(property, item, `${at}.${key}`);
    else if (schema.additionalProperties === undefined) yield `${at}.${key}`;
  }
}

const validators = new WeakMap<TSchema, Validator>();

/** The first errors of a value. */
function errorsOf(schema: TSchema, value: unknown) {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator.Check(value) ? [] : Value.Errors(schema, value).slice(0, 3);
}

/**
 * Holds an answer against what its route declares: status, be it of a success or a refusal, schema, no undeclared key; and every refusal has a
 * message that is a non-empty string.
 */
export function checkAnswer(method: string, path: string, response: Response): void {
  const route = findRoute(method, path);
  if (route !== undefined && response.statusCode >= 400 && response.statusCode < 500) {
    const declared = refusalsOf(route);
    assert.ok(declared.includes(response.statusCode), `${method} ${path}: ${response.statusCode} is not declared`);
  }
  const json =
    /^application\/(?:[\w.-]+\+)?json/.test(String(response.headers['content-type'] ?? '')) && response.body !== '';
  if (response.statusCode >= 400 && json) {
    const { message } = response.json<{ message?: unknown }>();
    assert.ok(typeof message === 'string' && message !== '', `${method} ${path}: message of ${response.body}`);
    return;
  }
  if (route === undefined || response.statusCode >= 300) return;
  const { otherSuccess } = route.options;
  const success = response.statusCode === otherSuccess?.status ? otherSuccess : route.options.success;
  assert.equal(response.statusCode, success.status, `${method} ${path}: declared status`);
  if (!('schema' in success) || !json) return;
  const body: unknown = response.json();
  const problems = [...undeclared(success.schema as Schema, body, 'body')];
  assert.deepEqual(problems, [], `${method} ${path}: keys without a schema`);
  const first = errorsOf(success.schema as TSchema, body).map((error) => JSON.stringify(error));
  assert.deepEqual(first, [], `${method} ${path}: answer does not fit its schema`);
}
