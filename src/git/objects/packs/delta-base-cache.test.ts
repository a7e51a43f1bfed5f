import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/support/random-objects.ts';
import { type Bases, DeltaBaseCache } from './delta-base-cache.ts';

test('what is kept is what was set, and lately used is kept longer', () => {
  const random = new Random(1);
  const cache = new DeltaBaseCache(256 * 1024);
  const files = Array.from({ length: 3 }, (): Bases => new Map());
  const content = (file: number, offset: number) =>
    Buffer.alloc(((offset * 7919 + file) % 9) * ((offset * 31) % 1_000), `${file} ${offset};`);
  let hits = 0;
  for (let round = 0; round < 50_000; round += 1) {
    if (round % 5_000 === 4_999) {
      cache.release();
      assert.deepEqual(
        files.map(({ size }) => size),
        [0, 0, 0],
      );
      cache.set(files[0]!, 1_000, 'blob', content(0, 1_000));
    }
    const file = random.below(files.length);
    const offset = random.below(200);
    const known = cache.get(files[file]!, offset);
    if (known === undefined) cache.set(files[file]!, offset, 'tree', content(file, offset));
    else {
      hits += 1;
      assert.deepEqual(known.data, content(file, offset));
    }
    // One is asked for again and again.
    const often = cache.get(files[0]!, 1_000);
    if (round > 0) assert.ok(often?.data.equals(content(0, 1_000)), String(round));
    else cache.set(files[0]!, 1_000, 'blob', content(0, 1_000));
  }
  assert.ok(hits > 1_000, String(hits));
  assert.ok(files.reduce((sum, { size }) => sum + size, 0) <= 256 * 2);
});

test('what is too large is not kept, and what is small is kept in bounded number', () => {
  const cache = new DeltaBaseCache(64 * 1024);
  const file: Bases = new Map();
  cache.set(file, 1, 'blob', Buffer.alloc(3_000));
  assert.equal(cache.get(file, 1), undefined);
  for (let offset = 0; offset < 10_000; offset += 1) cache.set(file, offset, 'tree', Buffer.alloc(offset % 2));
  assert.equal(file.size, 128);
  assert.deepEqual(cache.get(file, 9_999), { type: 'tree', data: Buffer.alloc(1) });
});
