import type { TObject, TSchema } from 'typebox';
import { invalidParameter } from '../../core/errors.ts';
import { parseInstant } from './dates.ts';

/** Rules over several parameters, as the platform words their failures (400). */
export interface ParamRules {
  mutuallyExclusive?: readonly (readonly string[])[];
  atLeastOne?: readonly (readonly string[])[];
  exactlyOne?: readonly (readonly string[])[];
}

type JsonSchema = TSchema & {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  'x-comma-separated'?: boolean;
  'x-message'?: string;
};

/** Marks a value that does not fit; the texts have been added to the failures. */
const INVALID = Symbol('invalid');

type Failures = string[];
type Coercer = (value: unknown, name: string, failures: Failures) => unknown;

const TRUE = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const FALSE = new Set(['false', '0', 'no', 'off', 'f', 'n']);

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fail(failures: Failures, text: string): typeof INVALID {
  failures.push(text);
  return INVALID;
}

function coerceBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const lower = text.toLowerCase();
  if (TRUE.has(lower)) return true;
  return FALSE.has(lower) ? false : undefined;
}

function coerceNumber(value: unknown, whole: boolean): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (
    typeof value === 'string' &&
    !(whole ? /^\s*[+-]?\d{1,18}\s*$/ : /^\s*[+-]?\d*\.?\d+([eE][+-]?\d+)?\s*$/).test(value)
  ) {
    return undefined;
  }
  const number = Number(value);
  return whole ? (Number.isSafeInteger(number) ? number : undefined) : Number.isFinite(number) ? number : undefined;
}

function compileString(schema: JsonSchema): Coercer {
  const { enum: values, format, minLength = 0, maxLength, pattern, 'x-message': message } = schema;
  const matches = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (value, name, failures) => {
    if (format === 'binary') return value;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') return fail(failures, `${name} is invalid`);
    if (minLength > 0 && text.trim() === '') return fail(failures, `${name} is empty`);
    if (values !== undefined && !values.includes(text)) return fail(failures, `${name} does not have a valid value`);
    if (maxLength !== undefined && text.length > maxLength) {
      return fail(failures, `${name} is too long (maximum is ${maxLength} characters)`);
    }
    if (matches !== undefined && !matches.test(text)) return fail(failures, message ?? `${name} is invalid`);
    if (format === 'date-time' || format === 'date') {
      if (text === '') return undefined;
      return parseInstant(text, format === 'date') ?? fail(failures, `${name} is invalid`);
    }
    return text;
  };
}

function compileNumber(schema: JsonSchema, whole: boolean): Coercer {
  const { enum: values, minimum, maximum } = schema;
  return (value, name, failures) => {
    const number = coerceNumber(value, whole);
    if (number === undefined) return fail(failures, `${name} is invalid`);
    const allowed =
      (values === undefined || values.includes(number)) &&
      (minimum === undefined || number >= minimum) &&
      (maximum === undefined || number <= maximum);
    return allowed ? number : fail(failures, `${name} does not have a valid value`);
  };
}

function compileArray(schema: JsonSchema): Coercer {
  const item = schema.items === undefined ? undefined : compile(schema.items);
  const numbers = schema.items?.type === 'integer';
  const { minItems = 0, maxItems = 10_000, 'x-comma-separated': commas = false } = schema;
  return (value, name, failures) => {
    let list: unknown[];
    if (Array.isArray(value)) list = value;
    else if (typeof value === 'string' && (commas || numbers)) {
      list = value === '' ? [] : value.split(',').map((part) => part.trim());
    } else if (isPlain(value) && Object.keys(value).every((key) => /^\d{1,6}$/.test(key))) {
      // Rails also takes a list as a hash of its positions.
      list = Object.keys(value)
        .sort((a, b) => Number(a) - Number(b))
        .map((key) => value[key]);
    } else if (typeof value === 'string' && value === '') list = [];
    else if (typeof value === 'string' && schema.items?.type === 'string') list = [value];
    else return fail(failures, `${name} is invalid`);
    // A lone empty element is how a form says "an empty list".
    if (list.length === 1 && (list[0] === '' || list[0] === null)) list = [];
    if (list.length > maxItems) return fail(failures, `${name} has too many elements (maximum is ${maxItems})`);
    if (list.length < minItems) return fail(failures, `${name} is empty`);
    if (item === undefined) return list;
    // Elements of a plain list are spoken of by the list's name, nested objects by their position.
    const nameOf = (index: number) => (schema.items?.type === 'object' ? `${name}[${index}]` : name);
    const results = list.map((element, index) => item(element, nameOf(index), failures));
    return results.includes(INVALID) ? INVALID : results;
  };
}

function compileObject(schema: JsonSchema): Coercer {
  if (schema.properties === undefined) {
    return (value, name, failures) => (isPlain(value) ? { ...value } : fail(failures, `${name} is invalid`));
  }
  const fields = compileFields(schema);
  return (value, name, failures) => {
    if (!isPlain(value)) return fail(failures, `${name} is invalid`);
    const before = failures.length;
    const result = readFields(fields, value, (key) => `${name}[${key}]`, failures);
    return failures.length > before ? INVALID : result;
  };
}

function compile(schema: JsonSchema): Coercer {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const nullable = types.includes('null');
  const type = types.find((each) => each !== 'null');
  const inner = compileType(schema, type);
  if (!nullable) return inner;
  return (value, name, failures) => {
    if (value === null || (value === '' && type !== 'string')) return null;
    if (value === '' && schema.format !== undefined) return null;
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
    default:
      return (value) => value;
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

function compileFields(schema: JsonSchema): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const types = Array.isArray(property.type) ? property.type : [property.type];
    return {
      key,
      required: required.has(key),
      filled: (property.minLength ?? 0) > 0,
      scalar: ['integer', 'number', 'boolean'].includes(types[0] ?? '') || property.format?.startsWith('date') === true,
      nullable: types.includes('null'),
      coerce: compile(property),
      fallback: property.default,
    };
  });
}

function readFields(
  fields: readonly Field[],
  source: Record<string, unknown>,
  nameOf: (key: string) => string,
  failures: Failures,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { key, required, filled, scalar, nullable, coerce, fallback } of fields) {
    let value = Object.hasOwn(source, key) ? source[key] : undefined;
    // An empty text is no number, no truth and no date: the platform reads it as "not given".
    if (value === '' && scalar && !nullable) value = undefined;
    if (value === null && !nullable) value = undefined;
    if (value === undefined) {
      if (required && !Object.hasOwn(source, key)) {
        failures.push(filled ? `${nameOf(key)} is missing, ${nameOf(key)} is empty` : `${nameOf(key)} is missing`);
      } else if (required) failures.push(`${nameOf(key)} is empty`);
      else if (fallback !== undefined) result[key] = structuredClone(fallback);
      continue;
    }
    const coerced = coerce(value, nameOf(key), failures);
    if (coerced !== INVALID && coerced !== undefined) result[key] = coerced;
  }
  return result;
}

function checkRules(rules: ParamRules, source: Record<string, unknown>, failures: Failures): void {
  const given = (names: readonly string[]) => names.filter((name) => Object.hasOwn(source, name));
  for (const names of rules.mutuallyExclusive ?? []) {
    const both = given(names);
    if (both.length > 1) failures.push(`${both.join(', ')} are mutually exclusive`);
  }
  for (const names of rules.atLeastOne ?? []) {
    if (given(names).length === 0) {
      failures.push(`${names.join(', ')} are missing, at least one parameter must be provided`);
    }
  }
  for (const names of rules.exactlyOne ?? []) {
    const some = given(names);
    if (some.length === 0) failures.push(`${names.join(', ')} are missing, exactly one parameter must be provided`);
    else if (some.length > 1) failures.push(`${some.join(', ')} are mutually exclusive`);
  }
}

/**
 * Makes a reader of parameters out of their description: it takes what any of the encodings delivered, turns texts
 * into the declared types, fills in defaults, drops what is not declared, and words failures as the platform does
 * (`ref is missing, ref is empty`; several are joined in the order of declaration).
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
    checkRules(rules, source, failures);
    if (failures.length > 0) throw invalidParameter([...new Set(failures)].slice(0, 20).join(', '));
    return result;
  };
}
