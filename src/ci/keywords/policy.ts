import type { Tree } from '../config/loaded.ts';
import { isPattern, readPattern } from '../expressions/expressions.pattern.ts';
import type { RefPolicy } from '../pipeline-config.ts';
import { type Check, isMap, isString, must, PRESENT, STRINGS, shown } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { anyEntry, config, entry, field, keys, type Reader } from './reader.ts';
import { EXPRESSION } from './rule-clauses.ts';

const isRef = (value: Tree) => isString(value) && (!isPattern(value) || readPattern(value) !== null);

const REFS = must(
  (value) => Array.isArray(value) && value.every(isRef),
  'should be an array of strings or regular expressions using re2 syntax',
);

const EXPRESSIONS: Check = (value) =>
  Array.isArray(value) && value.some((each) => EXPRESSION(each) !== null) ? 'invalid expression syntax' : null;

const ACTIVE: Check = (value) => (value === 'active' ? null : `unknown value: ${shown(value)}`);

const list: Reader<RefPolicy> = anyEntry([config(REFS)], (value) => ({
  refs: value as string[],
  variables: null,
  changes: null,
  kubernetes: null,
}));

const map: Reader<RefPolicy> = entry(
  [
    config(PRESENT),
    keys('refs', 'kubernetes', 'variables', 'changes'),
    field('refs', REFS),
    field('kubernetes', ACTIVE),
    field('variables', STRINGS, EXPRESSIONS),
    field('changes', STRINGS),
  ],
  (value) => ({
    refs: own(value, 'refs') as string[] | null,
    variables: own(value, 'variables') as string[] | null,
    changes: own(value, 'changes') as string[] | null,
    kubernetes: own(value, 'kubernetes') as 'active' | null,
  }),
);

/** `only` or `except`. */
export const policy: Reader<RefPolicy> = (value, at) => {
  if (Array.isArray(value)) return list(value, at);
  return isMap(value) ? map(value, at) : at.says('has to be either an array of conditions or a hash');
};

const DEFAULT_REFS = ['branches', 'tags'];

/** `only`; without refs it applies to branches and tags. */
export const only: Reader<RefPolicy> = (value, at) => {
  const refPolicy = policy(value, at);
  return refPolicy && { ...refPolicy, refs: refPolicy.refs ?? DEFAULT_REFS };
};

/** `only` of a job without rules. */
export const DEFAULT_ONLY: RefPolicy = { refs: DEFAULT_REFS, variables: null, changes: null, kubernetes: null };
