import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keyOfFiles, runnerCaches } from './cache-keys.ts';
import type { Cache } from './pipeline-config.ts';

const CACHE: Cache = {
  key: 'default',
  paths: ['vendor'],
  untracked: false,
  policy: 'pull-push',
  when: 'on_success',
  unprotect: false,
  fallbackKeys: [],
};
const SHARED = { clearedTimes: 0, separated: false, protectedRef: false };

test('a key of files is made of what they are, in whatever order they are found', () => {
  const digest = createHash('sha1').update('a1-b2').digest('hex');
  const key = { files: ['Gemfile.lock', 'sub/package.json'], filesCommits: false, prefix: null };
  assert.equal(keyOfFiles(key, ['b2', 'a1'], 0), `0_Gemfile_sub_package-${digest}`);
  assert.equal(keyOfFiles({ ...key, prefix: '$CI_JOB_NAME' }, ['a1', 'b2'], 1), `$CI_JOB_NAME-${digest}`);
});

test('where no file is found the key is the default', () => {
  assert.equal(keyOfFiles({ files: ['Gemfile.lock'], filesCommits: true, prefix: 'rspec' }, [], 0), 'rspec-default');
});

test('caches are told apart by clearing and by protection', () => {
  const cache = { ...CACHE, key: 'gems', fallbackKeys: ['old'] };
  const keys = (scope: object, changes: Partial<Cache> = {}) => {
    const [found] = runnerCaches([{ ...cache, ...changes }], new Map(), { ...SHARED, ...scope });
    return [found?.key, ...(found?.fallback_keys ?? [])];
  };
  assert.deepEqual(keys({}), ['gems', 'old']);
  assert.deepEqual(keys({ clearedTimes: 2 }), ['gems-2', 'old-2']);
  assert.deepEqual(keys({ separated: true }), ['gems-non_protected', 'old-non_protected']);
  assert.deepEqual(keys({ separated: true, protectedRef: true, clearedTimes: 1 }), [
    'gems-1-protected',
    'old-1-protected',
  ]);
  assert.deepEqual(keys({ separated: true, protectedRef: true }, { unprotect: true }), ['gems', 'old']);
});

test('the runner gets the key that was worked out for files', () => {
  const cache: Cache = {
    ...CACHE,
    key: { files: ['a'], filesCommits: false, prefix: null },
    policy: 'pull',
    when: 'always',
  };
  assert.deepEqual(
    runnerCaches([CACHE, cache, cache], new Map([[1, '1_a-f00']]), SHARED).map(({ key }) => key),
    ['default', '1_a-f00', '2_a-default'],
  );
  assert.deepEqual(runnerCaches([cache], new Map(), SHARED)[0], {
    key: '0_a-default',
    untracked: false,
    paths: ['vendor'],
    policy: 'pull',
    when: 'always',
    fallback_keys: [],
  });
});
