import type { TObject } from 'typebox';
import { invalidParameter } from '../../core/core.errors.ts';
import { isDatabaseText } from '../../core/database-text.ts';
import {
  type Coercer,
  coerceBoolean,
  compileNumber,
  compileString,
  type Failures,
  fail,
  INVALID,
  type JsonSchema,
} from './params.scalars.ts';
import { SpooledText } from './request-body.ts';
import { UploadedFile } from './uploaded-file.ts';

/** Rules over several parameters, with the platform's messages (400). */
export interface ParamRules {
  mutuallyExclusive?: readonly (readonly string[])[];
  atLeastOne?: readonly (readonly string[])[];
  exactlyOne?: readonly (readonly string[])[];
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof UploadedFile) &&
  !(value instanceof SpooledText);

/** Any JSON value whose texts can be stored in a database. */
const coerceAny: Coercer = (value, name, failures) =>
  isDatabaseText(value) ? value : fail(failures, `${name} is invalid`);

function compileArray(schema: JsonSchema): Coercer {
  const item = schema.items === undefined ? coerceAny : compile(schema.items);
  const numbers = schema.items?.type === 'integer';
  const { minItems = 0, maxItems = 10_000, 'x-comma-separated': commas = false } = schema;
  return (value, name, failures) => {
    let list: unknown[];
    if (Array.isArray(value)) list = value;
    else if (typeof value === 'string' && (commas || numbers)) {
      list = value === '' ? [] : value.split(',').map((part) => part.trim());
    } else if (isPlain(value) && Object.keys(value).every((key) => /^\d{1,6}$/.test(key))) {
      // Rails also accepts a list as a hash of indices.
      list = Object.keys(value)
        .sort((a, b) => Number(a) - Number(b))
        .map((key) => value[key]);
    } else if (typeof value === 'string' && value === '') list = [];
    else if (typeof value === 'string' && schema.items?.type === 'string') list = [value];
    // A single number is a list of one.
    else if (typeof value === 'number' && (numbers || schema.items?.type === 'string')) list = [value];
    else return fail(failures, `${name} is invalid`);
    // A form sends an empty list as a single empty element.
    if (list.length === 1 && (list[0] === '' || list[0] === null)) list = [];
    if (list.length > maxItems) return fail(failures, `${name} has too many elements (maximum is ${maxItems})`);
    if (list.length < minItems) return fail(failures, `${name} is empty`);
    // Messages use the name of a plain list for its elements, and the index for nested objects.
    const nameOf = (index: number) => (schema.items?.type === 'object' ? `${name}[${index}]` : name);
    const results = list.map((element, index) => item(element, nameOf(index), failures));
    return results.includes(INVALID) ? INVALID : results;
  };
}

function compileObject(schema: JsonSchema): Coercer {
  if (schema.properties === undefined) return compileRecord(schema);
  const fields = compileFields(schema);
  return (value, name, failures) => {
    if (!isPlain(value)) return fail(failures, `${name} is invalid`);
    const before = failures.length;
    const result = readFields(fields, value, (key) => `${name}[${key}]`, failures);
    return failures.length > before ? INVALID : result;
  };
}

/** A hash with arbitrary keys; its values are checked against their schema, if there is one. */
function compileRecord(schema: JsonSchema): Coercer {
  const [pattern] = Object.values(schema.patternProperties ?? {});
  const values = pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  const coerce = values === undefined ? coerceAny : compile(values);
  const { maxProperties = Number.POSITIVE_INFINITY } = schema;
  return (value, name, failures) => {
    if (!isPlain(value)) return fail(failures, `${name} is invalid`);
    if (Object.keys(value).length > maxProperties) {
      return fail(failures, `${name} has too many elements (maximum is ${maxProperties})`);
    }
    const entries = Object.entries(value).map(([key, item]) => [key, coerce(item, name, failures)] as const);
    return entries.some(([, item]) => item === INVALID) ? INVALID : Object.fromEntries(entries);
  };
}

/** A union: the first schema that accepts the value. */
function compileUnion(schemas: readonly JsonSchema[]): Coercer {
  const coercers = schemas.map(compile);
  return (value, name, failures) => {
    for (const coerce of coercers) {
      const coerced = coerce(value, name, []);
      if (coerced !== INVALID) return coerced;
    }
    return fail(failures, `${name} is invalid`);
  };
}

function compile(schema: JsonSchema): Coercer {
  if (schema.anyOf !== undefined) return compileUnion(schema.anyOf);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const nullable = types.includes('null');
  const type = types.find((each) => each !== 'null');
  const inner = compileType(schema, type);
  if (!nullable) return inner;
  return (value, name, failures) => {
    if (value === null || (value === '' && type !== 'string')) return null;
    if (value === '' && schema.format !== undefined && schema.format !== 'password') return null;
    // An empty text is null, unless it is an allowed value.
    if (value === '' && schema.enum !== undefined && !schema.enum.includes('')) return null;
    return inner(value, name, failures);
  };
}

function compileType(schema: JsonSchema, type: string | undefined): Coercer {
  switch (type) {
    case 'string':
      return compileString(schema);
    case 'integer':
      return compileNumber(schema, true);
    case 'number':
      return compileNumber(schema, false);
    case 'boolean':
      return (value, name, failures) => coerceBoolean(value) ?? fail(failures, `${name} is invalid`);
    case 'array':
      return compileArray(schema);
    case 'object':
      return compileObject(schema);
    case 'null':
      return (value, name, failures) => (value === null || value === '' ? null : fail(failures, `${name} is invalid`));
    default:
      return coerceAny;
  }
}

interface Field {
  key: string;
  required: boolean;
  filled: boolean;
  scalar: boolean;
  nullable: boolean;
  coerce: Coercer;
  fallback: unknown;
}

/** Types that an empty text is not a value of. */
const SCALARS = new Set(['integer', 'number', 'boolean']);

function compileFields(schema: JsonSchema): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const alternatives = property.anyOf ?? [property];
    const types = alternatives.flatMap(({ type }) => type ?? []);
    const kinds = types.filter((type) => type !== 'null');
    return {
      key,
      required: required.has(key),
      filled: (property.minLength ?? 0) > 0,
      scalar:
        (kinds.length > 0 && kinds.every((type) => SCALARS.has(type))) || property.format?.startsWith('date') === true,
      nullable: types.includes('null'),
      coerce: compile(property),
      fallback: property.default,
    };
  });
}

/** The value sent for a field; undefined if it counts as absent. */
function sentValue({ key, scalar, nullable }: Field, source: Record<string, unknown>): unknown {
  const value = Object.hasOwn(source, key) ? source[key] : undefined;
  // An empty text is not a number, boolean or date: the platform treats it as absent.
  const nothing = value === null || (value === '' && scalar);
  return nothing && !nullable ? undefined : value;
}

function readFields(
  fields: readonly Field[],
  source: Record<string, unknown>,
  nameOf: (key: string) => string,
  failures: Failures,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of fields) {
    const { key, required, filled, coerce, fallback } = field;
    const value = sentValue(field, source);
    if (value === undefined) {
      if (required && !Object.hasOwn(source, key)) {
        failures.push(filled ? `${nameOf(key)} is missing, ${nameOf(key)} is empty` : `${nameOf(key)} is missing`);
      } else if (required) failures.push(`${nameOf(key)} is empty`);
      else if (fallback !== undefined)
        result[key] = typeof fallback === 'object' ? structuredClone(fallback) : fallback;
      continue;
    }
    const coerced = coerce(value, nameOf(key), failures);
    if (coerced !== INVALID && coerced !== undefined) result[key] = coerced;
  }
  return result;
}

function checkRules(
  rules: ParamRules,
  fields: readonly Field[],
  source: Record<string, unknown>,
  failures: Failures,
): void {
  const sentAmong = (names: readonly string[]) =>
    names.filter((name) => fields.some((field) => field.key === name && sentValue(field, source) !== undefined));
  for (const names of rules.mutuallyExclusive ?? []) {
    const both = sentAmong(names);
    if (both.length > 1) failures.push(`${both.join(', ')} are mutually exclusive`);
  }
  for (const names of rules.atLeastOne ?? []) {
    // A name with a null value counts as given.
    if (!names.some((name) => Object.hasOwn(source, name))) {
      failures.push(`${names.join(', ')} are missing, at least one parameter must be provided`);
    }
  }
  for (const names of rules.exactlyOne ?? []) {
    const some = sentAmong(names);
    if (some.length === 0) failures.push(`${names.join(', ')} are missing, exactly one parameter must be provided`);
    else if (some.length > 1) failures.push(`${some.join(', ')} are mutually exclusive`);
  }
}

/**
 * Compiles a schema to a parser of parameters: it accepts the result of any encoding, converts texts to the declared
 * types, applies defaults, drops undeclared parameters, and words failures like the platform (`ref is missing, ref is
 * empty`; several are joined in the order of declaration).
 * @returns a function that throws ApiError 400
 */
export function compileParams(
  schema: TObject,
  rules: ParamRules = {},
): (source: Record<string, unknown>) => Record<string, unknown> {
  const fields = compileFields(schema as JsonSchema);
  return (source) => {
    const failures: Failures = [];
    const result = readFields(fields, source, (key) => key, failures);
    checkRules(rules, fields, source, failures);
    if (failures.length > 0) throw invalidParameter([...new Set(failures)].slice(0, 20).join(', '));
    return result;
  };
}
