import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BoundedCache } from './bounded-cache.ts';
import { CacheBudget } from './cache-budget.ts';

const size = (bytes: number) => bytes;
const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `key ${from + n}`);
const present = (cache: BoundedCache<string, number>, names: readonly string[]) =>
  names.filter((name) => cache.get(name) !== undefined).length;

describe('one cache', () => {
  test('keeps, replaces and forgets', () => {
    const all = new CacheBudget(1_000, 500);
    const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
    cache.set('a', 10);
    cache.set('b', 20);
    cache.set('a', 30);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [30, 20, undefined]);
    assert.deepEqual([cache.size, cache.bytes, all.bytes], [2, 50, 50]);
    cache.delete('a');
    cache.delete('c');
    assert.deepEqual([cache.size, cache.bytes, all.bytes, all.probationBytes], [1, 20, 20, 20]);
  });

  test('stays within its share, and does not keep what is too large', () => {
    const all = new CacheBudget(10_000, 10_000);
    const cache = new BoundedCache<string, number>({ bytes: 1_000, maxEntryShare: 0.3 }, size, { budget: all });
    for (const key of keys(0, 50)) cache.set(key, 100);
    assert.deepEqual([cache.size, cache.bytes], [10, 1_000]);
    assert.equal(present(cache, keys(40, 50)), 10);
    cache.set('key 49', 301);
    assert.equal(cache.get('key 49'), undefined);
    assert.equal(all.bytes, 900);
  });

  test('gives up first what was asked for longest ago', () => {
    const all = new CacheBudget(10_000, 10_000);
    const cache = new BoundedCache<string, number>({ bytes: 300 }, size, { budget: all });
    for (const key of ['a', 'b', 'c']) cache.set(key, 100);
    assert.equal(cache.get('a'), 100);
    cache.set('d', 100);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
      [100, undefined, 100, 100],
    );
  });
});

describe('several caches', () => {
  test('hold no more together than they may', () => {
    const all = new CacheBudget(1_000, 400);
    const [one, other] = [
      new BoundedCache<string, number>({ bytes: 900 }, size, { budget: all }),
      new BoundedCache<string, number>({ bytes: 900 }, size, { budget: all }),
    ];
    for (let round = 0; round < 5; round += 1) {
      for (const key of keys(0, 30)) {
        one.set(`${key} of one`, 50);
        other.set(`${key} of other ${round}`, 50);
        assert.ok(one.bytes + other.bytes <= 1_000);
        assert.equal(one.bytes + other.bytes, all.bytes);
        assert.ok(all.probationBytes <= 400);
      }
    }
  });

  test('give up by their shares', () => {
    const all = new CacheBudget(1_000, 400);
    const large = new BoundedCache<string, number>({ bytes: 900 }, size, { budget: all });
    const small = new BoundedCache<string, number>({ bytes: 300 }, size, { budget: all });
    for (const key of keys(0, 50)) {
      large.set(`${key} of large`, 10);
      small.set(`${key} of small`, 10);
    }
    assert.deepEqual([large.bytes, small.bytes], [300, 100]);
  });

  test('give back what nobody has asked for in ten minutes', () => {
    const all = new CacheBudget(1_000, 500);
    const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
    for (const key of ['a', 'b', 'c']) cache.set(key, 10);
    for (let minute = 0; minute < 20; minute += 1) {
      cache.get('b');
      all.sweep();
    }
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), all.bytes], [undefined, 10, undefined, 10]);
    for (let minute = 0; minute < 20; minute += 1) all.sweep();
    assert.deepEqual([cache.size, all.bytes, all.probationBytes], [0, 0, 0]);
  });
});

test('all but what is dear can be released, and is kept anew then', () => {
  const all = new CacheBudget(1_000, 400);
  const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
  const dear = new BoundedCache<string, number>({ bytes: 1_000, isCostly: true }, size, { budget: all });
  for (const key of keys(0, 30)) {
    cache.set(key, 10);
    dear.set(key, 5);
  }
  cache.get('key 0');
  all.release();
  assert.deepEqual([cache.size, cache.bytes, dear.size, all.bytes, all.probationBytes], [0, 0, 30, 150, 0]);
  cache.set('key 0', 10);
  assert.deepEqual([cache.get('key 0'), all.bytes], [10, 160]);
  dear.delete('key 0');
  for (const key of keys(1, 30)) dear.delete(key);
  all.release();
  assert.deepEqual([cache.size, all.bytes], [0, 0]);
});

describe('what was asked for again', () => {
  test('stays while much comes by once', () => {
    const all = new CacheBudget(1_000, 400);
    const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
    for (const key of keys(0, 20)) cache.set(key, 10);
    for (const key of keys(20, 30)) cache.set(key, 10);
    assert.equal(present(cache, keys(0, 20)), 20);
    for (const key of keys(100, 1_000)) cache.set(key, 10);
    assert.equal(present(cache, keys(0, 20)), 20);
    assert.equal(all.probationBytes, 400);
  });

  test('is not what the same request asks for several times', () => {
    const all = new CacheBudget(1_000, 400);
    const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
    for (const key of keys(0, 1_000)) {
      cache.set(key, 10);
      cache.get(key);
      cache.get(key);
    }
    assert.equal(all.bytes, 400);
  });

  test('is also what comes once more soon after it was given up', () => {
    const all = new CacheBudget(1_000, 100);
    const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
    for (let round = 0; round < 2; round += 1) for (const key of keys(0, 50)) cache.set(key, 10);
    assert.equal(present(cache, keys(0, 50)), 50);
  });

  test('is what is dear from the beginning, also where it takes much', () => {
    const all = new CacheBudget(1_000, 100);
    const dear = new BoundedCache<string, number>({ bytes: 4_000, isCostly: true }, size, { budget: all });
    const cache = new BoundedCache<string, number>({ bytes: 1_000 }, size, { budget: all });
    dear.set('dear', 700);
    for (let round = 0; round < 3; round += 1) for (const key of keys(0, 50)) cache.set(key, 10);
    assert.equal(dear.get('dear'), 700);
    assert.ok(cache.bytes <= 300);
    cache.set('large', 60);
    assert.equal(cache.get('large'), undefined);
  });
});
