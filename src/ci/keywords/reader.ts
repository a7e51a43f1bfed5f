import type { Tree, TreeMap } from '../config/loaded.ts';
import { type Check, isMap, MAP, PRESENT } from './checks.keyword.ts';
import { type ConfigNode, own, type Reader } from './config-node.ts';

export type { Reader };
export type ReadBy<R> = R extends Reader<infer T> ? T | null : never;

/** A rule for the value at a place itself. */
export type Rule = (config: Tree, at: ConfigNode) => void;

/** A map that must satisfy all rules before its content is read. */
export function entry<T>(rules: readonly Rule[], read: (config: TreeMap, at: ConfigNode) => T | null): Reader<T> {
  const whole = anyEntry(rules, (value, at) => read(value as TreeMap, at));
  return (value, at) => (isMap(value) ? whole(value, at) : at.config(MAP(value)!));
}

/** Like `entry`, for any value. */
export function anyEntry<T>(rules: readonly Rule[], read: (config: Tree, at: ConfigNode) => T | null): Reader<T> {
  return (value, at) => {
    const before = at.problems.count;
    for (const rule of rules) rule(value, at);
    return at.problems.count > before ? null : read(value, at);
  };
}

/** A value that is used unchanged after its checks, which determine its type. */
export const checked = <T extends Tree>(...checks: readonly Check[]): Reader<T> =>
  anyEntry(
    checks.map((check) => config(check)),
    (value) => value as T,
  );

/** Rule: the value satisfies the checks. */
export const config =
  (check: Check): Rule =>
  (value, at) => {
    const text = check(value);
    if (text !== null) at.config(text);
  };

const fieldOf = (value: Tree, key: string) => (isMap(value) ? own(value, key) : null);

/** Rule: a field satisfies the checks, if present. */
export const field =
  (key: string, ...checks: readonly Check[]): Rule =>
  (value, at) => {
    const items = fieldOf(value, key);
    if (items !== null) tell(checks, items, key, at);
  };

/** Rule: a field is present and satisfies the checks. */
export const required =
  (key: string, ...checks: readonly Check[]): Rule =>
  (value, at) =>
    tell([...checks, PRESENT], fieldOf(value, key), key, at);

function tell(checks: readonly Check[], value: Tree, key: string, at: ConfigNode): void {
  for (const check of checks) {
    const text = check(value);
    if (text !== null) at.field(key, text);
  }
}

const keysOf = (value: Tree) => (isMap(value) ? Object.keys(value) : []);

/** Rule: the map has allowed keys only. */
export const keys =
  (...allowed: readonly string[]): Rule =>
  (value, at) => {
    const unknown = keysOf(value).filter((key) => !allowed.includes(key));
    if (unknown.length > 0) at.config(`contains unknown keys: ${list(unknown)}`);
  };

/** Rule: the map has at most one of the keys. */
export const exclusive =
  (...all: readonly string[]): Rule =>
  (value, at) => {
    const items = keysOf(value).filter((key) => all.includes(key));
    if (items.length > 1) at.config(`these keys cannot be used together: ${list(items)}`);
  };

export const exactlyOne =
  (...all: readonly string[]): Rule =>
  (value, at) => {
    if (keysOf(value).filter((key) => all.includes(key)).length !== 1) {
      at.config(`must use exactly one of these keys: ${list(all)}`);
    }
  };

export const requiredKeys =
  (...all: readonly string[]): Rule =>
  (value, at) => {
    const items = keysOf(value);
    const missing = all.filter((key) => !items.includes(key));
    if (missing.length > 0) at.config(`missing required keys: ${list(missing)}`);
  };

/** @param when condition on the value for the rules to apply */
export const when =
  (condition: (config: TreeMap) => boolean, ...rules: readonly Rule[]): Rule =>
  (value, at) => {
    if (isMap(value) && condition(value)) for (const rule of rules) rule(value, at);
  };

/** Each value of a map by key. */
export const eachOf =
  <T>(reader: Reader<T>): Reader<[string, T][]> =>
  (value, at) => {
    if (!isMap(value)) return at.config(MAP(value)!);
    const items: [string, T][] = [];
    for (const [key, each] of Object.entries(value)) {
      if (at.problems.full) break;
      const one = reader(each, at.child(key));
      if (one !== null) items.push([key, one]);
    }
    return items;
  };

/** Each item of an array; invalid ones are omitted. */
export function readEach<T>(values: readonly Tree[], reader: Reader<T>, at: ConfigNode): T[] {
  const items: T[] = [];
  for (const value of values) {
    if (at.problems.full) break;
    const read = reader(value, at);
    if (read !== null) items.push(read);
  }
  return items;
}

const SHOWN = 50;
/** Names in an error text; of very many only the first ones. */
export const list = (names: readonly string[]): string =>
  names.length > SHOWN ? `${names.slice(0, SHOWN).join(', ')}, ...` : names.join(', ');
