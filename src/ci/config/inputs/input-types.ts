import type { RawTree } from '../yaml/reference.ts';

export const INPUT_TYPES = ['array', 'boolean', 'number', 'string'];

/** A value as text, as it stands in the middle of other text. */
export function textOf(value: RawTree | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return `[${value.map((each) => (each === null ? 'null' : inspect(each))).join(', ')}]`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const inspect = (value: RawTree): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : typeof value === 'object' && value !== null && !Array.isArray(value)
      ? JSON.stringify(value)
      : textOf(value);

/** A value in the form of a type; one that is none of it stays as it is. */
export function coerce(type: string, value: RawTree): RawTree {
  if (type === 'string') return textOf(value);
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as RawTree;
  } catch {
    return value;
  }
}

/** @returns what is wrong: the words after "provided value is not" */
export function typeProblem(type: string, value: RawTree): string | null {
  if (type === 'number') return typeof value === 'number' ? null : 'a number';
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'a boolean';
  return type === 'array' && !Array.isArray(value) ? 'an array' : null;
}
