import type { Variable } from './variable.ts';

const MASK = '[MASKED]';

/** Masks the values of masked variables: each is replaced by `[MASKED]`, padded with `x` to its length in bytes. */
export function maskText(text: string, variables: Iterable<Variable>): string {
  const values = new Set<string>();
  for (const { masked, value } of variables) if (masked === true && value !== '') values.add(value);
  // Longer values first, because they may contain shorter ones.
  const ordered = [...values].sort((left, right) => right.length - left.length);
  return ordered.reduce((masked, value) => masked.replaceAll(value, () => maskOf(value)), text);
}

const maskOf = (value: string): string => MASK.padEnd(Buffer.byteLength(value), 'x').slice(0, Buffer.byteLength(value));
