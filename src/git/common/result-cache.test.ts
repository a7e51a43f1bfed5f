import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inScope } from '../../core/request-scope.ts';
import { GitError } from './git.errors.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

test('calls at the same time share one computation, later ones its result', async () => {
  const cache = new ResultCache<{ value: number }>('git_log_counts', () => 10, 10_000);
  let computed = 0;
  const compute = async () => {
    computed += 1;
    return { value: computed };
  };
  const results = await Promise.all([cache.get('a', compute), cache.get('a', compute), cache.get('b', compute)]);
  assert.deepEqual(results, [{ value: 1 }, { value: 1 }, { value: 2 }]);
  assert.equal(await cache.get('a', compute), results[0]);
  assert.equal(cache.peek('c'), undefined);
});

test('a failure is not kept', async () => {
  const cache = new ResultCache<{ value: number }>('git_log_counts', () => 10, 10_000);
  await assert.rejects(
    cache.get('a', () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.deepEqual(await cache.get('a', async () => ({ value: 1 })), { value: 1 });
});

test('what costs too much is not tried again at once', async () => {
  const cache = new ResultCache<{ value: number }>('git_log_counts', () => 10, 10_000);
  let tried = 0;
  const compute = async () => {
    tried += 1;
    throw new GitError('timeout', 'took too long');
  };
  await assert.rejects(cache.get('a', compute), { code: 'timeout' });
  await assert.rejects(cache.get('a', compute), { code: 'timeout' });
  assert.equal(tried, 1);
  await assert.rejects(cache.get('b', compute), { code: 'timeout' });
  assert.equal(tried, 2);
});

test('who leaves does not take the result from others who wait for it', async () => {
  const cache = new ResultCache<{ value: number }>('git_log_counts', () => 10, 10_000);
  const gone = new AbortController();
  const first = inScope({ caller: 'ann', signal: gone.signal }, () =>
    cache.get('a', () => {
      const { promise, reject } = Promise.withResolvers<{ value: number }>();
      gone.signal.addEventListener('abort', () => reject(new GitError('aborted', 'left')));
      return promise;
    }),
  );
  const second = inScope({ caller: 'bob' }, () => cache.get('a', async () => ({ value: 2 })));
  gone.abort();
  await assert.rejects(first, { code: 'aborted' });
  assert.deepEqual(await second, { value: 2 });
});

test('stays within its bytes', async () => {
  const cache = new ResultCache<{ size: number }>('git_log_counts', ({ size }) => size, 10_000);
  for (let index = 0; index < 100; index += 1) cache.put(`key ${index}`, { size: 1_000 });
  cache.put('large', { size: 5_000 });
  const cachedResults = Array.from({ length: 100 }, (_, index) => cache.peek(`key ${index}`)).filter(Boolean);
  assert.ok(cachedResults.length > 0 && cachedResults.length < 10);
  assert.equal(cache.peek('large'), undefined);
});

test('keys do not run into each other', () => {
  assert.notEqual(cacheKey('a', 'b,c'), cacheKey('a,b', 'c'));
  assert.notEqual(cacheKey('a"', 'b'), cacheKey('a', '"b'));
});
