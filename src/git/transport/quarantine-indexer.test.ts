import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitFixture, gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { randomHistory, randomNumbers } from '../../../test/support/random-history.ts';
import { loadGraph } from '../commit-graph/commit-graph.load.ts';
import { stopPreRefWrites } from '../commit-graph/commit-graph.write.ts';
import { pushedPointers } from './pushed-objects.ts';
import { quarantineEnvironment } from './quarantine.ts';
import { QuarantineIndexer } from './quarantine-indexer.ts';
import type { RepositoryPath } from './service.ts';

const GRAPHS = 'info/commit-graphs';

/** An empty repository with a quarantine that holds all objects of another, as while git checks a first push. */
function quarantined(
  { dir, git }: GitFixture,
  target: string,
  commits: number,
): { objects: string; quarantine: string } {
  git(['fast-import', '--quiet', '--date-format=raw-permissive'], randomHistory(randomNumbers(9), { commits }).input);
  git(['repack', '-adq']);
  const objects = join(target, 'objects');
  const quarantine = join(objects, 'tmp_objdir-incoming-a1b2c3');
  mkdirSync(quarantine, { recursive: true });
  cpSync(join(dir, 'objects/pack'), join(quarantine, 'pack'), { recursive: true });
  writeFileSync(join(target, 'HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(join(target, 'refs'));
  mkdirSync(join(objects, 'info'));
  return { objects, quarantine };
}

/** Waits until every indexer that was made before has looked at least once: one that is made now has found its own quarantine. */
async function allHaveLooked(t: TestContext): Promise<void> {
  const target = temporaryFolder(t);
  const { quarantine } = quarantined(gitFixture(t), target, 50);
  const last = new QuarantineIndexer(target, 0);
  while (!existsSync(join(quarantine, GRAPHS))) await sleep(5);
  last.cancel();
  await last.settle();
  last.close();
}

const sorted = (folder: string) =>
  (existsSync(folder) ? readdirSync(folder) : []).map((name) => name.replace(/[0-9a-f]{40}/, '')).toSorted();

function moveObjects(quarantine: string, objects: string): void {
  for (const name of readdirSync(quarantine)) {
    cpSync(join(quarantine, name), join(objects, name), { recursive: true });
  }
  rmSync(quarantine, { recursive: true });
}

test('the graph of a first push is whole when git moves its objects, and its index of paths is going on', async (t) => {
  const fixture = gitFixture(t);
  const target = temporaryFolder(t);
  const { objects, quarantine } = quarantined(fixture, target, 200);
  const index = new QuarantineIndexer(target, 0);
  while (!sorted(join(objects, GRAPHS)).includes('graph-.paths')) await sleep(20);
  await index.settle();
  assert.deepEqual(sorted(join(quarantine, GRAPHS)), ['commit-graph-chain', 'graph-.graph']);
  assert.deepEqual(sorted(join(objects, GRAPHS)), ['graph-.paths']);
  moveObjects(quarantine, objects);
  const { graph, state } = await loadGraph(target);
  assert.deepEqual([state, graph?.count, graph?.layers[0]?.pathIndex?.isTooMuch], ['good', 200, false]);
  assert.notEqual(graph?.find(fixture.git(['rev-parse', 'c199'])), -1);
});

for (const commits of [3_000, 10]) {
  test(`whenever git goes on, what is there of ${commits} commits is whole`, async (t) => {
    const target = temporaryFolder(t);
    const { objects, quarantine } = quarantined(gitFixture(t), target, commits);
    const index = new QuarantineIndexer(target, 0);
    while (!existsSync(join(quarantine, GRAPHS))) await sleep(1);
    await index.settle();
    const names = sorted(join(quarantine, GRAPHS));
    assert.ok(names.length === 0 || names.join() === 'commit-graph-chain,graph-.graph', `left: ${names}`);
    index.cancel();
    const isLeft = (name: string) => name.startsWith('graph-.paths.');
    while (sorted(join(objects, GRAPHS)).some(isLeft)) await sleep(10);
  });
}

test('an index that goes on is ended where its repository is to be moved or removed', async (t) => {
  const target = temporaryFolder(t);
  const { objects, quarantine } = quarantined(gitFixture(t), target, 3_000);
  const index = new QuarantineIndexer(target, 0);
  const names = () => sorted(join(objects, GRAPHS));
  while (names().length === 0) await sleep(1);
  stopPreRefWrites(target);
  while (names().length > 0) await sleep(5);
  await index.settle();
  assert.deepEqual(sorted(join(quarantine, GRAPHS)), ['commit-graph-chain', 'graph-.graph']);
});

test('a graph that another push has brought meanwhile is the only one', async (t) => {
  const target = temporaryFolder(t);
  const { objects, quarantine } = quarantined(gitFixture(t), target, 50);
  const index = new QuarantineIndexer(target, 0);
  while (!existsSync(join(quarantine, GRAPHS, 'commit-graph-chain'))) await sleep(5);
  mkdirSync(join(objects, GRAPHS), { recursive: true });
  writeFileSync(join(objects, GRAPHS, 'commit-graph-chain'), '');
  await index.settle();
  assert.equal(existsSync(join(quarantine, 'info')), false);
});

test('what one push has begun in the quarantine of another is whole when git moves that, and none begins there then', async (t) => {
  const target = temporaryFolder(t);
  const { quarantine } = quarantined(gitFixture(t), target, 3_000);
  const own = new QuarantineIndexer(target);
  const other = new QuarantineIndexer(target, 0);
  while (!existsSync(join(quarantine, GRAPHS))) await sleep(1);
  await own.settle(quarantine);
  const names = sorted(join(quarantine, GRAPHS));
  assert.ok(names.length === 0 || names.join() === 'commit-graph-chain,graph-.graph', `left: ${names}`);
  rmSync(join(quarantine, 'info'), { recursive: true, force: true });
  const third = new QuarantineIndexer(target, 0);
  await allHaveLooked(t);
  assert.deepEqual(readdirSync(quarantine), ['pack']);
  own.close();
  while (!existsSync(join(quarantine, GRAPHS))) await sleep(20);
  for (const index of [other, third]) {
    index.cancel();
    await index.settle();
    index.close();
  }
});

test('nothing is looked for in a repository that has a graph, and small packs are left to later', async (t) => {
  const target = temporaryFolder(t);
  const { objects, quarantine } = quarantined(gitFixture(t), target, 50);
  const small = new QuarantineIndexer(target);
  mkdirSync(join(objects, 'info'), { recursive: true });
  writeFileSync(join(objects, 'info/commit-graph'), '');
  const later = new QuarantineIndexer(target, 0);
  await allHaveLooked(t);
  // Before they settle: that would clear away what they had begun.
  assert.deepEqual(readdirSync(quarantine), ['pack']);
  await small.settle();
  await later.settle();
  assert.deepEqual(readdirSync(quarantine), ['pack']);
});

test('the LFS pointers of a first push are searched for while git checks it, and forgotten with the push', async (t) => {
  const fixture = gitFixture(t);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 12\n`;
  const blob = fixture.git(['hash-object', '-w', '--stdin'], pointer).trim();
  fixture.git(['tag', 'pointer', blob]);
  const target = temporaryFolder(t);
  const { quarantine } = quarantined(fixture, target, 200);
  const children: ChildProcess[] = [];
  const count = (message: unknown) => children.push((message as { process: ChildProcess }).process);
  subscribe('child_process', count);
  const asked = () => children.filter(({ spawnargs }) => spawnargs?.includes('cat-file')).length;
  t.after(() => unsubscribe('child_process', count));
  const index = new QuarantineIndexer(target, 0);
  while (asked() < 2) await sleep(5);
  const env = quarantineEnvironment({ dir: target } as RepositoryPath, quarantine);
  const pointers = () => pushedPointers({ dir: target } as RepositoryPath, env);
  const expectedPointers = [{ oid: 'ab'.repeat(32), size: 12, blob }];
  assert.deepEqual(await pointers(), expectedPointers);
  assert.equal(asked(), 2);
  // An object that came later was not looked at.
  writeFileSync(join(quarantine, 'pack', 'pack-0.keep'), '');
  assert.deepEqual(await pointers(), expectedPointers);
  assert.equal(asked(), 4);
  rmSync(join(quarantine, 'pack', 'pack-0.keep'));
  index.cancel();
  await index.settle();
  index.close();
  assert.deepEqual(await pointers(), expectedPointers);
  assert.equal(asked(), 6);
});
