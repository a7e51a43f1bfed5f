import type { Tree } from '../config/loaded.ts';
import { ExpressionError } from '../expressions/lexer.ts';
import { parseExpression } from '../expressions/parser.ts';
import type { ChangesRule, ExistsRule } from '../pipeline-config.ts';
import { type Check, isMap, isString, STRING, STRINGS, tooMany } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { anyEntry, config, entry, field, keys, type Reader, requiredKeys, when } from './reader.ts';

/** Maximum number of paths in `changes` and `exists`. */
const MAX_PATHS = 50;

/** A condition such as `$CI_COMMIT_BRANCH == "main"`. */
export const EXPRESSION: Check = (value) => {
  if (!isString(value)) return 'invalid expression syntax';
  try {
    parseExpression(value);
    return null;
  } catch (error) {
    if (error instanceof ExpressionError) return 'invalid expression syntax';
    throw error;
  }
};

const simpleChanges: Reader<ChangesRule> = anyEntry([config(STRINGS), config(tooMany(MAX_PATHS))], (value) => ({
  paths: value as string[],
  compareTo: null,
}));

const complexChanges: Reader<ChangesRule> = entry(
  [
    keys('paths', 'compare_to'),
    requiredKeys('paths'),
    field('paths', STRINGS, tooMany(MAX_PATHS)),
    field('compare_to', STRING),
  ],
  (value) => ({
    paths: (own(value, 'paths') as string[] | null) ?? [],
    compareTo: own(value, 'compare_to') as string | null,
  }),
);

/** `rules:changes`. */
export const changes: Reader<ChangesRule> = (value, at) => {
  if (Array.isArray(value)) return simpleChanges(value, at);
  return isMap(value) ? complexChanges(value, at) : at.says('should be an array or a hash');
};

const simpleExists: Reader<ExistsRule> = anyEntry([config(arrayOfPaths), config(tooMany(MAX_PATHS))], (value) => ({
  paths: isString(value) ? [value] : (value as string[]),
  project: null,
  ref: null,
}));

function arrayOfPaths(value: Tree): string | null {
  return isString(value) ? null : STRINGS(value);
}

const complexExists: Reader<ExistsRule> = entry(
  [
    keys('paths', 'project', 'ref'),
    requiredKeys('paths'),
    when((value) => own(value, 'ref') !== null, requiredKeys('project')),
    field('paths', STRINGS, tooMany(MAX_PATHS)),
    field('project', STRING),
    field('ref', STRING),
  ],
  (value) => ({
    paths: (own(value, 'paths') as string[] | null) ?? [],
    project: own(value, 'project') as string | null,
    ref: own(value, 'ref') as string | null,
  }),
);

/** `rules:exists`. */
export const exists: Reader<ExistsRule> = (value, at) => {
  if (isString(value) || Array.isArray(value)) return simpleExists(value, at);
  return isMap(value) ? complexExists(value, at) : at.says('should be a string, an array of strings, or a hash');
};
