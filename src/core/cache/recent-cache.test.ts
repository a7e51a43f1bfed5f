import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentCache } from './recent-cache.ts';

test('a value is read once, until it is forgotten', async () => {
  const cache = new RecentCache();
  let reads = 0;
  const read = () => cache.get('key', async () => (reads += 1));
  assert.equal(await read(), 1);
  assert.equal(await read(), 1);
  cache.invalidate();
  assert.equal(await read(), 2);
});

test('what was being read while something changed is not remembered', async () => {
  const cache = new RecentCache();
  let value = 'old';
  const { promise: changed, resolve: change } = Promise.withResolvers<void>();
  const early = cache.get('key', async () => {
    const read = value;
    await changed;
    return read;
  });
  value = 'new';
  cache.invalidate();
  change();
  assert.equal(await early, 'old');
  assert.equal(await cache.get('key', async () => value), 'new');
});

test('a failure is told, and read again', async () => {
  const cache = new RecentCache();
  await assert.rejects(
    cache.get('key', () => Promise.reject(new Error('no database'))),
    /no database/,
  );
  assert.equal(await cache.get('key', async () => 1), 1);
});
