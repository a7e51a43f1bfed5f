import { evaluateExpression } from '../expressions/expressions.evaluate.ts';
import { ExpressionError } from '../expressions/lexer.ts';
import { parseExpression } from '../expressions/parser.ts';
import type { Rule } from '../pipeline-config.ts';
import type { VariableLookup } from '../variables/variable.ts';
import type { RuleFiles } from './rule-files.ts';
import type { VariableScope } from './scope.ts';

/**
 * The first rule whose conditions all hold; null if there is none. A rule without conditions always matches.
 * @throws RuleError, ExpansionError
 */
export async function firstMatch(rules: readonly Rule[], scope: VariableScope, files: RuleFiles): Promise<Rule | null> {
  for (const rule of rules) {
    if (rule.if !== null && !isTrue(rule.if, scope)) continue;
    if (rule.changes !== null && !(await files.changed(rule.changes, scope))) continue;
    if (rule.exists !== null && !(await files.exists(rule.exists, scope))) continue;
    return rule;
  }
  return null;
}

/** Whether an expression is true; false for an invalid one. */
export function isTrue(text: string, values: VariableLookup): boolean {
  try {
    return evaluateExpression(parseExpression(text), values);
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}
