import type { Variable } from '../../ci/variables/variable.ts';

/**
 * A variable that everybody may see; absent where there is no value. It is a fact and no text to be expanded: what people
 * write into a commit message or the name of a branch refers to nothing. Null bytes are left out: no environment holds them.
 */
export function known(key: string, value: string | number | null | undefined): Variable[] {
  if (value === null || value === undefined) return [];
  const text = String(value).replaceAll('\0', '');
  return [{ key, value: text, public: true, ...(/[$%]/.test(text) ? { raw: true } : {}) }];
}

/** Variables that everybody may see, in their order. Those without a value are left out. */
export const all = (values: Readonly<Record<string, string | number | null | undefined>>): Variable[] =>
  Object.entries(values).flatMap(([key, value]) => known(key, value));

/** A secret: hidden in logs, never shown by the runner. */
export const secret = (key: string, value: string): Variable => ({ key, value, masked: true, public: false });

/** `true` or `false`. */
export const flag = (value: boolean): string => String(value);

/** An instant as variables have it: `2026-01-31T09:05:00Z`. */
export const instant = (text: string): string => `${text.slice(0, 19)}Z`;
