import type { TreeMap } from '../config/loaded.ts';
import { ARRAY, isMap, oneOf, STRING, shown, WORDS } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { eachOf, entry, field, keys, type Reader, type Rule } from './reader.ts';

const MAX_OPTIONS = 50;
const TYPES = ['array', 'boolean', 'number', 'string'];

const options: Rule = (value, at) => {
  const values = isMap(value) ? own(value, 'options') : null;
  if (!Array.isArray(values)) return;
  if (values.length > MAX_OPTIONS) at.config(`cannot define more than ${MAX_OPTIONS} options`);
  if (values.includes(null)) at.config('options array cannot contain null values');
};

const hasDefault: Rule = (value, at) => {
  if (isMap(value) && own(value, 'default') === null) at.lower('must have a default value');
};

const input: Reader<TreeMap> = entry(
  [
    field('description', WORDS),
    field('regex', STRING),
    field('type', (value) => (oneOf(TYPES)(value) === null ? null : `unknown value: ${shown(value)}`)),
    field('options', ARRAY),
    options,
    keys('default', 'description', 'options', 'regex', 'type'),
    hasDefault,
  ],
  (value) => ({ ...value, type: own(value, 'type') ?? 'string' }),
);

/** `inputs` of a job: values that can be set when it is played or retried. */
export const inputs: Reader<TreeMap> = (value, at) => {
  const entries = eachOf(input)(value, at);
  return entries && Object.fromEntries(entries);
};
