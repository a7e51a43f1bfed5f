import type { RawTree } from './reference.ts';

/** A value as text inside another text. Never throws, unlike `String` for maps without a prototype. */
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
