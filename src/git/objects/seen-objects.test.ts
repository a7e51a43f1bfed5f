import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { RepositoryPool } from '../repository/index.ts';
import { SeenObjects } from './seen-objects.ts';

const idOf = (n: number): string => createHash('sha1').update(String(n)).digest('hex');

test('what was read lately is known by its id, what was read long ago is not', () => {
  const lately = new SeenObjects();
  const known = (from: number, to: number): number => {
    let count = 0;
    for (let n = from; n < to; n += 1) count += lately.testAndAdd(idOf(n)) ? 1 : 0;
    return count;
  };
  assert.equal(known(0, 10_000), 0);
  assert.equal(lately.testAndAdd(idOf(9_999)), true);
  const newest = known(9_900, 10_000);
  assert.ok(newest > 80, String(newest));
  const oldest = known(0, 1_000);
  assert.ok(oldest < 10, String(oldest));
  assert.equal(lately.testAndAdd('f'.repeat(64)), false);
  assert.equal(lately.testAndAdd('f'.repeat(64)), true);
});

test('objects are kept from the second reading on', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const oid = commit({ file: 'content\n' });
  const blob = git(['rev-parse', `${oid}:file`]);
  const pool = new RepositoryPool();
  t.after(() => pool.close());
  const { objects } = pool.get('one', dir);
  const commits = [await objects.commit(oid), await objects.commit(oid), await objects.commit(oid)];
  assert.deepEqual(commits[0], commits[1]);
  assert.notEqual(commits[0], commits[1]);
  assert.equal(commits[1], commits[2]);
  const read = async () => (await objects.read(blob, 100))!.data!;
  const blobs = [await read(), await read(), await read(), await read()] as const;
  assert.deepEqual(blobs.map(String), Array(4).fill('content\n'));
  assert.notEqual(blobs[0], blobs[2]);
  assert.equal(blobs[2], blobs[3]);
});
