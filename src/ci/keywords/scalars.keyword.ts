import { parseDuration } from '../ci.durations.ts';
import { compilePattern } from '../expressions/expressions.pattern.ts';
import { BOOLEAN, DURATION, durationUpTo, isString, isStrings, must, STRING, STRINGS } from './checks.keyword.ts';
import { anyEntry, checked, config, type Reader } from './reader.ts';

/** Maximum job timeout: a month. */
const LONGEST_JOB = 2_629_746;
const TAGS_BELOW = 50;

/** `stage`. */
export const stage = checked<string>(STRING);

/** `interruptible`. */
export const interruptible = checked<boolean>(BOOLEAN);

/** `timeout`, in seconds. */
export const timeout: Reader<number> = anyEntry([config(DURATION), config(durationUpTo(LONGEST_JOB))], (value) =>
  parseDuration(value as string),
);

/** `tags`: required tags of the runner. */
export const tags: Reader<string[]> = anyEntry(
  [
    config(STRINGS),
    config(
      must(
        (value) => !isStrings(value) || value.length < TAGS_BELOW,
        `must be less than the limit of ${TAGS_BELOW} tags`,
      ),
    ),
  ],
  (value) => value as string[],
);

const WRITTEN_PATTERN = /^\/(.*)\/([ismU]*)$/s;

/** `coverage`: the pattern without slashes, with its flags inside. */
export const coverage: Reader<string> = (value, at) => {
  const [, source, flags] = (isString(value) && WRITTEN_PATTERN.exec(value)) || [];
  if (source === undefined || compilePattern(source, flags!) === null) {
    return at.config('must be a regular expression with re2 syntax');
  }
  return flags === '' ? source : `(?${flags})${source}`;
};
