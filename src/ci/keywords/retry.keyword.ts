import type { Tree } from '../config/loaded.ts';
import { FAILURE_REASONS } from '../failure-reasons.ts';
import type { JobOptions } from '../pipeline-config.ts';
import { between, INTEGERS_OR_INTEGER, isMap, isString, oneOf, onlyOf, STRINGS_OR_STRING } from './checks.keyword.ts';
import { ConfigNode, own } from './config-node.ts';
import { anyEntry, config, entry, field, keys, type Reader } from './reader.ts';

type Retry = NonNullable<JobOptions['retry']>;

const MAX_RETRIES = 2;
const REASONS: readonly string[] = ['always', ...FAILURE_REASONS];

const simple: Reader<Retry> = anyEntry([config(between(0, MAX_RETRIES))], (value) => ({
  max: value as number,
  when: null,
  exitCodes: null,
}));

const full: Reader<Retry> = entry(
  [
    keys('max', 'when', 'exit_codes'),
    field('max', between(0, MAX_RETRIES)),
    field('when', STRINGS_OR_STRING, onlyOf(REASONS), (value) => (isString(value) ? oneOf(REASONS)(value) : null)),
    field('exit_codes', INTEGERS_OR_INTEGER),
  ],
  (value) => ({
    max: (own(value, 'max') as number | null) ?? 0,
    when: toList<string>(own(value, 'when')),
    exitCodes: toList<number>(own(value, 'exit_codes')),
  }),
);

/** Converts a single value or array to an array; null for no value. */
export function toList<T extends Tree>(value: Tree): T[] | null {
  if (value === null) return null;
  return (Array.isArray(value) ? value : [value]) as T[];
}

/** `retry`. Its errors do not name the job. */
export const retry: Reader<Retry> = (value, { problems }) => {
  const at = new ConfigNode(problems, 'retry');
  if (typeof value === 'number') return simple(value, at);
  return isMap(value) ? full(value, at) : at.says('config has to be either an integer or a hash');
};
