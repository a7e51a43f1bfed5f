import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gitFixture } from '../../test/support/git-fixture.ts';
import { LatelyRead } from './lately-read.ts';
import { RepositoryPool } from './repository.ts';

const idOf = (n: number): string => createHash('sha1').update(String(n)).digest('hex');

test('what was read lately is known by its id, of the newest in any case', () => {
  const lately = new LatelyRead();
  for (let n = 0; n < 1_000; n += 1) assert.equal(lately.again(idOf(n)), false);
  let known = 0;
  for (let n = 0; n < 1_000; n += 1) known += lately.again(idOf(n)) ? 1 : 0;
  assert.ok(known > 850, String(known));
  assert.equal(lately.again(idOf(999)), true);
  assert.equal(lately.again('f'.repeat(64)), false);
  assert.equal(lately.again('f'.repeat(64)), true);
});

test('where commits and blobs are not kept at once, they are from the second reading on', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const oid = commit({ file: 'content\n' });
  const blob = git(['rev-parse', `${oid}:file`]);
  const pool = new RepositoryPool({ keepsAtOnce: false });
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
