import { layerOf } from '../../evaluation/evaluation.layer.ts';
import { firstMatch } from '../../evaluation/evaluation.rules.ts';
import { RuleError, RuleFiles } from '../../evaluation/rule-files.ts';
import { ExpansionBudget, VariableScope } from '../../evaluation/scope.ts';
import { ExpressionError } from '../../expressions/lexer.ts';
import { parseExpression } from '../../expressions/parser.ts';
import type { Rule } from '../../pipeline-config.ts';
import { ExpansionError } from '../../variables/expand.ts';
import { ConfigError } from '../config-error.ts';
import { isMap, type RawMap, type RawTree } from '../yaml/reference.ts';
import { textOf } from '../yaml/text-of.ts';
import type { Loading, Scope } from './loading.ts';

const KEYS = ['if', 'exists', 'when', 'changes'];
const MAX_PATHS = 50;
const fail = (problem: string) => new ConfigError(`include:${problem}`);

/** Evaluates the rules of includes in one file. */
export class IncludeRules {
  private readonly scope: VariableScope;
  private readonly files: RuleFiles;

  constructor(scope: Scope, loading: Loading) {
    this.scope = new VariableScope([layerOf(scope.variables.values())], new ExpansionBudget());
    this.files = new RuleFiles(loading.sources, scope.context);
  }

  /** Whether an include with these rules applies. @throws ConfigError for invalid rules */
  async allow(rules: RawTree | undefined): Promise<boolean> {
    if (rules === undefined || rules === null) return true;
    if (!Array.isArray(rules)) throw fail('rules config should be an array');
    const read = rules.flat(10).map(readRule);
    try {
      const match = await firstMatch(read, this.scope, this.files);
      return match !== null && match.when !== 'never';
    } catch (error) {
      if (error instanceof RuleError || error instanceof ExpansionError) throw fail(error.message);
      throw error;
    }
  }
}

function readRule(rule: RawTree): Rule {
  if (!isMap(rule)) throw fail('rule config should be a hash');
  const keys = Object.keys(rule);
  if (keys.length === 0) throw fail("rule config can't be blank");
  const unknown = keys.filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw fail(`rule config contains unknown keys: ${unknown.join(', ')}`);
  const { when = null } = rule;
  if (when !== null && when !== 'always' && when !== 'never') throw fail(`rule when unknown value: ${textOf(when)}`);
  return {
    if: readCondition(rule.if ?? null),
    changes: readChanges(rule.changes ?? null),
    exists: readExists(rule.exists ?? null),
    when,
    startIn: null,
    allowFailure: null,
    variables: [],
    needs: null,
    interruptible: null,
    autoCancel: null,
  };
}

function readCondition(condition: RawTree): string | null {
  if (condition === null) return null;
  if (typeof condition !== 'string') throw fail('rule if invalid expression syntax');
  try {
    parseExpression(condition);
  } catch (error) {
    if (error instanceof ExpressionError) throw fail('rule if invalid expression syntax');
    throw error;
  }
  return condition;
}

function readPaths(paths: RawTree | undefined, at: string): string[] {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw fail(`${at} should be an array of strings`);
  if (paths.length > MAX_PATHS) throw fail(`${at} has too many entries (maximum ${MAX_PATHS})`);
  return paths as string[];
}

function readText(map: RawMap, key: string, at: string): string | null {
  const { [key]: value = null } = map;
  if (value !== null && typeof value !== 'string') throw fail(`${at} ${key.replace('_', ' ')} should be a string`);
  return value;
}

function readChanges(changes: RawTree): Rule['changes'] {
  const at = 'rule:changes';
  if (changes === null) return null;
  if (Array.isArray(changes)) return { paths: readPaths(changes, `${at} config`), compareTo: null };
  if (!isMap(changes)) throw fail(`${at} should be an array or a hash`);
  const unknown = Object.keys(changes).filter((key) => key !== 'paths' && key !== 'compare_to');
  if (unknown.length > 0) throw fail(`${at} config contains unknown keys: ${unknown.join(', ')}`);
  if (changes.paths === undefined) throw fail(`${at} config missing required keys: paths`);
  return { paths: readPaths(changes.paths, `${at} paths`), compareTo: readText(changes, 'compare_to', at) };
}

function readExists(exists: RawTree): Rule['exists'] {
  const at = 'rule:exists';
  if (exists === null) return null;
  if (typeof exists === 'string') return { paths: [exists], project: null, ref: null };
  if (Array.isArray(exists)) return { paths: readPaths(exists, `${at} config`), project: null, ref: null };
  if (!isMap(exists)) throw fail(`${at} should be a string, an array of strings, or a hash`);
  const unknown = Object.keys(exists).filter((key) => !['paths', 'project', 'ref'].includes(key));
  if (unknown.length > 0) throw fail(`${at} config contains unknown keys: ${unknown.join(', ')}`);
  if (exists.paths === undefined) throw fail(`${at} config missing required keys: paths`);
  const project = readText(exists, 'project', at);
  const ref = readText(exists, 'ref', at);
  if (ref !== null && project === null) throw fail(`${at} config missing required keys: project`);
  return { paths: readPaths(exists.paths, `${at} paths`), project, ref };
}
