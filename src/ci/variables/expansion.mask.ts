import type { Variable } from './variable.ts';

const MASK = '[MASKED]';

/** A text without the values of masked variables: in their place stands `[MASKED]`, filled up with `x` to their length in bytes. */
export function maskText(text: string, variables: Iterable<Variable>): string {
  const values = new Set<string>();
  for (const { masked, value } of variables) if (masked === true && value !== '') values.add(value);
  // A longer one may hold a shorter one.
  const ordered = [...values].sort((left, right) => right.length - left.length);
  return ordered.reduce((masked, value) => masked.replaceAll(value, () => maskOf(value)), text);
}

const maskOf = (value: string): string => MASK.padEnd(Buffer.byteLength(value), 'x').slice(0, Buffer.byteLength(value));
