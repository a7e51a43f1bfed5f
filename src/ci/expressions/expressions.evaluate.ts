import type { VariableLookup } from '../variables/variable.ts';
import { isPattern, type Pattern, readPattern } from './expressions.pattern.ts';
import type { Expression } from './parser.ts';

/** Value of an expression: null for an undefined variable. */
type Value = string | boolean | null | Pattern;

/**
 * Evaluates an expression. A text is true if it is not empty; `&&` and `||` test whether a value is defined, even if it
 * is empty.
 */
export function evaluateExpression(expression: Expression, values: VariableLookup): boolean {
  const value = valueIn(expression, values);
  return typeof value === 'string' ? value.trim() !== '' : value !== null && value !== false;
}

function valueIn(expression: Expression, values: VariableLookup): Value {
  switch (expression.kind) {
    case 'variable':
      return values.get(expression.name)?.value ?? null;
    case 'text':
      return expression.text;
    case 'null':
      return null;
    case 'pattern':
      return expression.pattern;
  }
  const left = valueIn(expression.left, values);
  const right = () => valueIn(expression.right, values);
  switch (expression.operator) {
    case '&&':
      return left === null || left === false ? left : right();
    case '||':
      return left === null || left === false ? right() : left;
    case '==':
      return same(left, right());
    case '!=':
      return !same(left, right());
    case '=~':
      return fits(left, right());
    case '!~':
      return !fits(left, right());
  }
}

const textOf = (value: Value): string => (value === null ? '' : typeof value === 'object' ? value.text : String(value));

const same = (left: Value, right: Value): boolean =>
  isObject(left) && isObject(right) ? left.text === right.text : left === right;

const isObject = (value: Value): value is Pattern => typeof value === 'object' && value !== null;

/** A text on the right that is not a pattern matches if it contains the left side. */
function fits(left: Value, right: Value): boolean {
  if (right === null || right === false) return false;
  const text = textOf(left);
  if (isObject(right)) return right.test(text);
  const written = textOf(right);
  return isPattern(written) ? (readPattern(written)?.test(text) ?? false) : written.includes(text);
}
