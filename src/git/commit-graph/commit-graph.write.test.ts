import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitChildren, gitFixture } from '../../../test/support/git-fixture.ts';
import { maintain, RepositoryPool } from '../repository/index.ts';
import { loadGraph } from './commit-graph.load.ts';
import { writeWholeGraph } from './commit-graph.write.ts';
import { leaveGraphs } from './graphs-left.ts';

const GRAPHS = 'objects/info/commit-graphs';

/** Waits for the graph of a repository that changes now: what was asked for before it with the same pause has begun by then. */
async function laterGraph(t: TestContext, pool: RepositoryPool): Promise<void> {
  const { dir, commit } = gitFixture(t);
  pool.get('later', dir).history.refsChanged([commit({ a: '1' })]);
  while ((await loadGraph(dir)).graph?.layers[0]?.stats?.unknown !== 0) await sleep(20);
}

test('commits of a burst of changes are soon in the graph, and what is there starts nothing', async (t) => {
  const { dir, commit } = gitFixture(t);
  const pool = new RepositoryPool({ graphPauseMs: 50 });
  t.after(() => pool.close());
  const repo = pool.get('soon', dir);
  const root = commit({ a: '1' });
  repo.history.refsChanged([root]);
  const next = commit({ a: '2' }, [root]);
  repo.history.refsChanged([next]);
  while ((await loadGraph(dir)).graph?.layers[0]?.stats?.unknown !== 0) await sleep(20);
  const { graph } = await loadGraph(dir);
  assert.equal(graph?.count, 2);
  const before = readdirSync(join(dir, GRAPHS)).toSorted();
  assert.deepEqual(
    before.map((name) => name.replace(/[0-9a-f]{40}/, '')),
    ['commit-graph-chain', 'graph-.graph', 'graph-.paths', 'graph-.stats'],
  );
  while (gitChildren(dir).some((pid) => pid > 0 && isWriting(pid))) await sleep(20);
  repo.history.refsChanged([root, next]);
  await laterGraph(t, pool);
  assert.deepEqual(gitChildren(dir).filter(isWriting), []);
  assert.deepEqual(readdirSync(join(dir, GRAPHS)).toSorted(), before);
});

test('what is to be written is dropped with the repository', async (t) => {
  const { dir, commit } = gitFixture(t);
  const pool = new RepositoryPool({ graphPauseMs: 50 });
  pool.get('closed', dir).history.refsChanged([commit({ a: '1' })]);
  await pool.close();
  const other = new RepositoryPool({ graphPauseMs: 50 });
  t.after(() => other.close());
  await laterGraph(t, other);
  assert.equal(existsSync(join(dir, GRAPHS)), false);
});

test('what is added while graphs are left to others is in the graph with what comes after it', async (t) => {
  const { dir, commit } = gitFixture(t);
  const pool = new RepositoryPool({ graphPauseMs: 20 });
  t.after(() => pool.close());
  const { history } = pool.get('left', dir);
  const [end, other] = [leaveGraphs(), leaveGraphs()];
  end();
  end();
  const root = commit({ a: '1' });
  history.refsChanged([root]);
  await sleep(100);
  assert.equal(existsSync(join(dir, GRAPHS)), false);
  other();
  history.refsChanged([commit({ a: '2' }, [root])]);
  while ((await loadGraph(dir)).graph?.count !== 2) await sleep(20);
});

test('a graph that is left to git gets its filters of changed paths once, and others none', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const root = commit({ a: '1' });
  git(['update-ref', 'refs/heads/main', root]);
  const bloomOf = async () => (await loadGraph(dir)).graph!.layers.map(({ bloom }) => bloom !== null);
  await writeWholeGraph(dir);
  assert.deepEqual(await bloomOf(), [false]);
  await writeWholeGraph(dir, 0);
  assert.deepEqual(await bloomOf(), [true]);
  const before = readdirSync(join(dir, GRAPHS)).toSorted();
  await writeWholeGraph(dir, 0);
  assert.deepEqual(readdirSync(join(dir, GRAPHS)).toSorted(), before);
  git(['update-ref', 'refs/heads/main', commit({ a: '2' }, [root])]);
  await writeWholeGraph(dir);
  assert.ok((await bloomOf()).every((has) => has));
});

test('upkeep makes a damaged graph anew', async (t) => {
  const { dir, git, commit, repo } = gitFixture(t);
  const root = commit({ a: '1' });
  git(['update-ref', 'refs/heads/main', root]);
  await maintain(repo);
  const name = readdirSync(join(dir, GRAPHS)).find((each) => each.endsWith('.graph'))!;
  const file = join(dir, GRAPHS, name);
  const bytes = readFileSync(file);
  rmSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 30));
  assert.equal((await loadGraph(dir)).state, 'damaged');
  await maintain(repo);
  assert.equal((await loadGraph(dir)).graph?.find(root), 0);
  git(['commit-graph', 'verify']);
});

function isWriting(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('commit-graph');
  } catch {
    return false;
  }
}
