import type { ParamRules } from '../params/coerce.ts';

type Constraint = Record<string, unknown>;

const required = (names: readonly string[]): Constraint => ({ required: [...names] });

/** All pairs of the names. */
function* pairs(names: readonly string[]): Generator<[string, string]> {
  for (const [index, first] of names.entries()) for (const second of names.slice(index + 1)) yield [first, second];
}

/**
 * Rules over several parameters as constraints of an object schema.
 * @param all names of all its properties
 */
export function ruleConstraints(rules: ParamRules, all: readonly string[]): Constraint {
  const constraints: Constraint[] = [];
  for (const names of rules.atLeastOne ?? []) {
    const any = all.every((name) => names.includes(name));
    constraints.push(any ? { minProperties: 1 } : { anyOf: names.map((name) => required([name])) });
  }
  for (const names of rules.exactlyOne ?? []) constraints.push({ oneOf: names.map((name) => required([name])) });
  for (const names of rules.mutuallyExclusive ?? []) {
    for (const pair of pairs(names)) constraints.push({ not: required(pair) });
  }
  const [only, ...others] = constraints;
  return others.length === 0 ? (only ?? {}) : { allOf: constraints };
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const MAX = 12;

/** The rules as sentences. */
export function ruleSentences(rules: ParamRules): string[] {
  return [
    ...(rules.atLeastOne ?? []).map((names) =>
      names.length > MAX ? 'At least one attribute must be given.' : `At least one of ${listed(names)} must be given.`,
    ),
    ...(rules.exactlyOne ?? []).map((names) => `Exactly one of ${listed(names)} must be given.`),
    ...(rules.mutuallyExclusive ?? []).map((names) => `Only one of ${listed(names)} can be given.`),
  ];
}
