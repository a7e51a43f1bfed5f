import type { Variable } from '../../ci/variables/variable.ts';

/**
 * A public variable; absent without a value. It is raw, so that references in commit messages or branch names are not
 * expanded. NUL bytes are removed, since environment variables cannot contain them.
 */
export function publicVariable(key: string, value: string | number | null | undefined): Variable[] {
  if (value === null || value === undefined) return [];
  const text = String(value).replaceAll('\0', '');
  return [{ key, value: text, public: true, ...(/[$%]/.test(text) ? { raw: true } : {}) }];
}

/** Public variables in order, without those that have no value. */
export const publicVariables = (values: Readonly<Record<string, string | number | null | undefined>>): Variable[] =>
  Object.entries(values).flatMap(([key, value]) => publicVariable(key, value));

/** A secret variable: masked in logs, never shown by the runner. */
export const secretVariable = (key: string, value: string): Variable => ({ key, value, masked: true, public: false });

/** `true` or `false`. */
export const flag = (value: boolean): string => String(value);

/** An instant in the format of variables: `2026-01-31T09:05:00Z`. */
export const instant = (text: string): string => `${text.slice(0, 19)}Z`;
