import type { TSchema } from 'typebox';
import { parseInstant } from './dates.ts';
import { SpooledText } from './request-body.ts';
import { UploadedFile } from './uploaded-file.ts';

/** The JSON Schema keywords that coercion uses. */
export type JsonSchema = TSchema & {
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
  maxProperties?: number;
  default?: unknown;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  patternProperties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  const?: unknown;
  'x-comma-separated'?: boolean;
  'x-message'?: string;
  'x-spooled'?: boolean;
};

/** Result for an invalid value, whose message was added to the failures. */
export const INVALID = Symbol('invalid');

export type Failures = string[];
export type Coercer = (value: unknown, name: string, failures: Failures) => unknown;

const TRUE = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const FALSE = new Set(['false', '0', 'no', 'off', 'f', 'n']);

const WHOLE = /^\s*[+-]?\d{1,18}\s*$/;
/** All parts are bounded, so that every text is refused quickly. */
const DECIMAL = /^\s*[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?\s*$/;

/** Records a failure. @returns INVALID */
export function fail(failures: Failures, text: string): typeof INVALID {
  failures.push(text);
  return INVALID;
}

/** A boolean as the platform reads it (`yes`, `1`, `on` ...); undefined for anything else. */
export function coerceBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const lower = text.toLowerCase();
  if (TRUE.has(lower)) return true;
  return FALSE.has(lower) ? false : undefined;
}

function coerceNumber(value: unknown, whole: boolean): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (typeof value === 'string' && !(whole ? WHOLE : DECIMAL).test(value)) return undefined;
  const number = Number(value);
  return whole ? (Number.isSafeInteger(number) ? number : undefined) : Number.isFinite(number) ? number : undefined;
}

/** Compiles the coercion of a text: length, pattern, allowed values, or date format. */
export function compileString(schema: JsonSchema): Coercer {
  const { format, minLength = 0, maxLength, pattern, 'x-message': message, 'x-spooled': spooled = false } = schema;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const matches = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (value, name, failures) => {
    if (format === 'binary' && value instanceof UploadedFile) return value;
    if (value instanceof SpooledText) {
      if (spooled) return value;
      value = value.read();
      if (value === null) return fail(failures, `${name} is too long`);
    }
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') return fail(failures, `${name} is invalid`);
    // PostgreSQL stores no null bytes in texts; content of files is stored elsewhere.
    if (format !== 'binary' && text.includes('\0')) return fail(failures, `${name} is invalid`);
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

/** Compiles the coercion of a number within its bounds. @param whole whether to refuse fractions */
export function compileNumber(schema: JsonSchema, whole: boolean): Coercer {
  const { minimum, maximum } = schema;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
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
