import { isBoolean, onlyOf, STRINGS } from './checks.keyword.ts';
import { anyEntry, config, entry, keys, type Reader } from './reader.ts';

/** Inherited defaults and top-level variables: all, none, or the named ones. */
export interface Inherit {
  default: boolean | string[];
  variables: boolean | string[];
}

const part = (names: readonly string[] | null): Reader<boolean | string[]> => {
  const named: Reader<boolean | string[]> = anyEntry(
    [config(STRINGS), ...(names === null ? [] : [config(onlyOf(names))])],
    (value) => value as string[],
  );
  return (value, at) => {
    if (isBoolean(value)) return value;
    return Array.isArray(value) ? named(value, at) : at.says('should be a bool or array of strings');
  };
};

/** `inherit`. @param defaults keywords of `default` */
export function inherit(defaults: readonly string[]): Reader<Inherit> {
  const ofDefault = part(defaults);
  const ofVariables = part(null);
  return entry([keys('default', 'variables')], (value, at) => ({
    default: at.read(value, 'default', ofDefault) ?? true,
    variables: at.read(value, 'variables', ofVariables) ?? true,
  }));
}

/** Whether a job inherits a keyword of `default`. */
export function inherits(name: string, inherited: Inherit | null): boolean {
  if (inherited === null) return true;
  return Array.isArray(inherited.default) ? inherited.default.includes(name) : inherited.default;
}
