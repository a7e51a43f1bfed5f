import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { diffTrees } from '../diff/index.ts';
import { withAlternates } from './alternates.ts';

for (const objectFormat of ['sha1', 'sha256']) {
  test(`objects of two ${objectFormat} repositories are read as one, and nothing stays behind`, async (t) => {
    const [a, b] = [gitFixture(t, { objectFormat }), gitFixture(t, { objectFormat })];
    const one = a.commit({ f: '1\n' });
    const two = b.commit({ f: '2\n' });
    let dir = '';
    const files = await withAlternates(a.repo, b.repo, async (joined) => {
      dir = joined.dir;
      return (await diffTrees(joined, one, two)).files;
    });
    assert.deepEqual(
      files?.map(({ diff }) => diff),
      ['@@ -1 +1 @@\n-1\n+2\n'],
    );
    assert.equal(existsSync(dir), false);
    assert.equal(await a.repo.objects.info(two), null);
    assert.equal(await b.repo.objects.info(one), null);
  });
}

test('repositories of different hashes cannot be joined', async (t) => {
  const [a, b] = [gitFixture(t), gitFixture(t, { objectFormat: 'sha256' })];
  assert.equal(await withAlternates(a.repo, b.repo, async () => 'joined'), null);
});

test('a failure of the work leaves nothing behind', async (t) => {
  const [a, b] = [gitFixture(t), gitFixture(t)];
  let dir = '';
  await assert.rejects(
    withAlternates(a.repo, b.repo, async (joined) => {
      dir = joined.dir;
      assert.equal(existsSync(dir), true);
      throw new Error('no');
    }),
    { message: 'no' },
  );
  assert.equal(existsSync(dir), false);
});
