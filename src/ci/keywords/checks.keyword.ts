import { parseDuration, parseExpiry } from '../ci.durations.ts';
import type { Tree, TreeMap } from '../config/loaded.ts';

/** Returns the error of a value, as a text that follows the name of its place; null if it is valid. */
export type Check = (value: Tree) => string | null;

export const isMap = (value: Tree): value is TreeMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isString = (value: Tree): value is string => typeof value === 'string';
export const isBoolean = (value: Tree): value is boolean => typeof value === 'boolean';
export const isInteger = (value: Tree): value is number => Number.isInteger(value);
export const isScalar = (value: Tree): value is string | number | boolean =>
  isString(value) || isBoolean(value) || typeof value === 'number';
export const isStrings = (value: Tree): value is string[] => Array.isArray(value) && value.every(isString);
export const isMaps = (value: Tree): value is TreeMap[] => Array.isArray(value) && value.every(isMap);

export function isBlank(value: Tree): boolean {
  if (isString(value)) return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || (isMap(value) && Object.keys(value).length === 0);
}

/** A check with a condition and its error text. */
export const must =
  (fits: (value: Tree) => boolean, text: string): Check =>
  (value) =>
    fits(value) ? null : text;

export const STRING = must(isString, 'should be a string');
export const BOOLEAN = must(isBoolean, 'should be a boolean value');
export const MAP = must(isMap, 'should be a hash');
export const ARRAY = must(Array.isArray, 'should be an array');
export const STRINGS = must(isStrings, 'should be an array of strings');
export const MAPS = must(isMaps, 'should be an array of hashes');
export const STRINGS_OR_STRING = must(
  (value) => isString(value) || isStrings(value),
  'should be an array of strings or a string',
);
export const MAP_OR_STRING = must((value) => isMap(value) || isString(value), 'should be a hash or a string');
export const MAP_OR_BOOLEAN = must((value) => isMap(value) || isBoolean(value), 'should be a hash or a boolean value');
export const INTEGERS_OR_INTEGER = must(
  (value) => isInteger(value) || (Array.isArray(value) && value.every(isInteger)),
  'should be an array of integers or an integer',
);
export const PRESENT = must((value) => !isBlank(value), "can't be blank");
export const ABSENT = must(isBlank, 'must be blank');
export const SCALAR = must(isScalar, 'must be a scalar');
export const WORDS = must((value) => isString(value) || isInteger(value), 'must be an alphanumeric string');

export const oneOf = (values: readonly string[], text = 'is not included in the list'): Check =>
  must((value) => isString(value) && values.includes(value), text);

/** An array with allowed items only. */
export const onlyOf =
  (values: readonly string[]): Check =>
  (value) => {
    const unknown = Array.isArray(value) ? value.filter((each) => !isString(each) || !values.includes(each)) : [];
    return unknown.length === 0 ? null : `contains unknown values: ${unknown.map(shown).join(', ')}`;
  };

/** A string or array of limited length. */
export const maxLength = (max: number, text: string): Check =>
  must((value) => !(isString(value) || Array.isArray(value)) || lengthOf(value) <= max, text);

export const tooLong = (max: number): Check => maxLength(max, `is too long (maximum is ${max} characters)`);
export const tooMany = (max: number): Check => maxLength(max, `has too many entries (maximum ${max})`);

const lengthOf = (value: string | Tree[]) => (isString(value) ? [...value].length : value.length);

export const DURATION = must((value) => isString(value) && parseDuration(value) !== null, 'should be a duration');
export const EXPIRY = must((value) => isString(value) && parseExpiry(value) !== null, 'should be a duration');

/** @param max seconds */
export const durationUpTo = (max: number): Check =>
  must(
    (value) => isString(value) && (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= max,
    'should not exceed the limit',
  );

/** An integer within bounds. */
export const between =
  (least: number, max: number): Check =>
  (value) => {
    if (typeof value !== 'number') return 'is not a number';
    if (!isInteger(value)) return 'must be an integer';
    if (value < least) return `must be greater than or equal to ${least}`;
    return value > max ? `must be less than or equal to ${max}` : null;
  };

/** A value in an error text. */
export function shown(value: Tree): string {
  if (value === null) return '';
  const text = isString(value) ? value : JSON.stringify(value);
  return text.length > 255 ? `${text.slice(0, 255)}...` : text;
}
