import type { RawTree } from '../yaml/reference.ts';
import { textOf } from '../yaml/text-of.ts';

export const INPUT_TYPES = ['array', 'boolean', 'number', 'string'];

/** Converts a value to a type; a value that does not fit is returned unchanged. */
export function coerce(type: string, value: RawTree): RawTree {
  if (type === 'string') return textOf(value);
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as RawTree;
  } catch {
    return value;
  }
}

/** @returns the text after "provided value is not"; null if the value has the type */
export function typeProblem(type: string, value: RawTree): string | null {
  if (type === 'number') return typeof value === 'number' ? null : 'a number';
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'a boolean';
  return type === 'array' && !Array.isArray(value) ? 'an array' : null;
}
