import type { TreeMap } from '../config/loaded.ts';
import { isMap, isScalar, isString, MAP, MAPS, must, PRESENT, STRING } from './checks.keyword.ts';
import { anyEntry, config, entry, exactlyOne, field, keys, type Reader, readEach, required } from './reader.ts';

const ENV = must(
  (value) => isMap(value) && Object.values(value).every(isScalar),
  'should be a hash of key value pairs',
);

const step: Reader<TreeMap> = entry(
  [
    keys('name', 'step', 'func', 'script', 'action', 'env', 'inputs'),
    required('name', STRING, (value) =>
      !isString(value) || /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(value) ? null : 'must be alphanumeric with underscores',
    ),
    exactlyOne('step', 'func', 'script', 'action'),
    field('script', STRING),
    field('action', STRING),
    field('env', ENV),
    field('inputs', MAP),
  ],
  (value) => value,
);

/** `run`: steps for the runner, stored as written. */
export const run: Reader<TreeMap[]> = anyEntry([config(PRESENT), config(MAPS)], (value, at) =>
  readEach(value as TreeMap[], step, at.child('step')),
);
