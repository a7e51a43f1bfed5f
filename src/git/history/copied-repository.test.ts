import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type GitFixture, gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { maintain, RepositoryPool } from '../repository/index.ts';
import { languagesOf } from '../trees/index.ts';
import { listContributors } from './git.contributors.ts';

const ID = 'default:@hashed/aa/bb/aabb';

/** A repository and a copy of it, as two servers of one process have that run on copies of one data folder. */
function twins(t: TestContext) {
  const original = gitFixture(t);
  const first = original.commit({ 'a.rb': 'puts 1\n' });
  const dir = join(temporaryFolder(t), 'repo.git');
  cpSync(original.dir, dir, { recursive: true });
  const copy = gitFixture(t, { dir });
  const open = ({ pool, dir }: GitFixture) => pool.get(ID, dir);
  return { original, copy, first, repos: [open(original), open(copy)] as const };
}

test('what is counted in a repository is not continued in a copy of it', async (t) => {
  const { original, copy, first, repos } = twins(t);
  const mine = original.commit({ 'a.rb': 'puts 1\n', 'b.py': 'print(1)\n' }, [first]);
  const its = copy.commit({ 'a.rb': 'puts 1\n', 'c.go': 'package c\n' }, [first]);
  assert.deepEqual(
    (await listContributors(repos[0], mine)).map(({ commits }) => commits),
    [2],
  );
  assert.deepEqual(
    (await listContributors(repos[1], its)).map(({ commits }) => commits),
    [2],
  );
  const names = async (nth: 0 | 1, commit: string) => (await languagesOf(repos[nth], commit)).map(({ name }) => name);
  assert.deepEqual((await names(0, mine)).sort(), ['Python', 'Ruby']);
  assert.deepEqual((await names(1, its)).sort(), ['Go', 'Ruby']);
});

test('what was found in a repository is not answered of a copy that lacks it', async (t) => {
  const { original, first, repos } = twins(t);
  const mine = original.commit({ 'b.py': 'print(1)\n' }, [first]);
  await listContributors(repos[0], mine);
  await languagesOf(repos[0], mine);
  await assert.rejects(listContributors(repos[1], mine), { code: 'failed' });
  await assert.rejects(languagesOf(repos[1], mine), { code: 'failed' });
});

test('the upkeep of a repository is not taken for that of a copy', async (t) => {
  const { original, copy, repos } = twins(t);
  for (const { commit, git } of [original, copy])
    for (const name of ['main', 'x', 'y']) git(['update-ref', `refs/heads/${name}`, commit({ [name]: name })]);
  await Promise.all(repos.map((repo) => maintain(repo, { looseObjects: 0, packs: 1, looseRefs: 1 })));
  for (const { dir } of [original, copy]) assert.ok(readdirSync(dir).includes('packed-refs'));
});

test('a repository has the same key again when it is opened again', async (t) => {
  const pools = [new RepositoryPool(), new RepositoryPool()];
  t.after(() => Promise.all(pools.map((pool) => pool.close())));
  const keys = pools.map((pool) => pool.get(ID, '/one').key);
  assert.notEqual(keys[0], keys[1]);
  pools[0]!.evict(ID);
  assert.equal(pools[0]!.get(ID, '/one').key, keys[0]);
});
