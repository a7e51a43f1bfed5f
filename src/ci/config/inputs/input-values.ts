import { evaluateExpression } from '../../expressions/expressions.evaluate.ts';
import { compilePattern } from '../../expressions/expressions.pattern.ts';
import { ExpressionError } from '../../expressions/lexer.ts';
import { parseExpression } from '../../expressions/parser.ts';
import type { Variable } from '../../variables/variable.ts';
import { isMap, newMap, type RawMap, type RawTree } from '../yaml/reference.ts';
import { textOf } from '../yaml/text-of.ts';
import { coerce, INPUT_TYPES, typeProblem } from './input-types.ts';

/** Values of inputs by name, and errors. */
export interface InputValues {
  values: Map<string, RawTree>;
  errors: string[];
}

/**
 * @param specs validated specifications
 * @param inputs JSON values; texts can represent numbers, booleans and lists
 */
export function inputValues(specs: RawMap, inputs: Readonly<Record<string, unknown>>): InputValues {
  const errors: string[] = [];
  const values = new Map<string, RawTree>();
  const unknown = Object.keys(inputs).filter((name) => !(name in specs));
  if (unknown.length > 0) errors.push(`unknown input arguments: ${unknown.join(', ')}`);
  for (const [name, spec] of Object.entries(specs)) {
    const own = spec === null ? newMap() : spec;
    const type = isMap(own) ? textOf(own.type ?? 'string') : '';
    if (!isMap(own) || !INPUT_TYPES.includes(type)) {
      errors.push(`unknown input specification for \`${name}\` (valid types: ${INPUT_TYPES.join(', ')})`);
      continue;
    }
    const value = Object.hasOwn(inputs, name) ? (inputs[name] as RawTree) : null;
    const chosen = byRules(own, (input) =>
      Object.hasOwn(inputs, input) ? (inputs[input] as RawTree) : values.get(input),
    );
    const problems = check(chosen, type, value);
    errors.push(...problems.map((problem) => `\`${name}\` input: ${problem}`));
    values.set(name, coerce(type, value ?? chosen.default ?? null));
  }
  return { values, errors };
}

/** The specification with the options and default of its first matching rule. */
function byRules(spec: RawMap, lookUp: (input: string) => RawTree | undefined): RawMap {
  const { rules = null } = spec;
  if (!Array.isArray(rules)) return spec;
  const rule = rules.find((rule) => isMap(rule) && (rule.if === undefined || holds(textOf(rule.if), lookUp)));
  if (rule === undefined || !isMap(rule)) return spec;
  const chosen: RawMap = Object.assign(newMap(), spec);
  for (const key of ['options', 'default']) if (rule[key] !== undefined) chosen[key] = rule[key]!;
  return chosen;
}

/** Conditions of inputs refer to inputs as `$[[ inputs.name ]]`, where those of jobs refer to variables. */
function holds(condition: string, lookUp: (input: string) => RawTree | undefined): boolean {
  const names: string[] = [];
  const expression = condition.replaceAll(
    /\$\[\[\s*inputs\.([^\s\]]+)\s*\]\]/g,
    (_, name: string) => `$INPUT_${names.push(name)}`,
  );
  const variables = new Map<string, Variable>();
  names.forEach((name, place) => {
    const value = lookUp(name) ?? null;
    if (value !== null) variables.set(`INPUT_${place + 1}`, { key: `INPUT_${place + 1}`, value: textOf(value) });
  });
  try {
    return evaluateExpression(parseExpression(expression), variables);
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

function check(spec: RawMap, type: string, value: RawTree): string[] {
  if (spec.default === undefined && value === null) return ['required value has not been provided'];
  const problems: string[] = [];
  if (spec.default !== undefined) problems.push(...validate(spec, type, coerce(type, spec.default), 'default'));
  if (value !== null) problems.push(...validate(spec, type, coerce(type, value), 'provided'));
  return problems;
}

function validate(spec: RawMap, type: string, value: RawTree, whose: 'default' | 'provided'): string[] {
  const problems: string[] = [];
  const notOf = typeProblem(type, value);
  if (notOf !== null) problems.push(`${whose} value is not ${notOf}`);
  const { options = null, regex } = spec;
  if (Array.isArray(options)) {
    if (type !== 'string' && type !== 'number') problems.push('Options can only be used with string and number inputs');
    else if (!options.some((option) => (type === 'string' ? textOf(option) : coerce(type, option)) === value)) {
      const list = type === 'string' ? 'list of allowed options' : 'list of the allowed options';
      problems.push(`\`${textOf(value)}\` cannot be used because it is not in the ${list}`);
    }
  }
  if (regex !== undefined) {
    if (type !== 'string') problems.push('RegEx validation can only be used with string inputs');
    else {
      const pattern = compilePattern(textOf(regex), '');
      if (pattern === null) problems.push('invalid regular expression');
      else if (!pattern.test(value as string)) problems.push(`${whose} value does not match required RegEx pattern`);
    }
  }
  return problems;
}
