import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitChildren, gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { randomHistory, randomNumbers } from '../../../test/support/random-history.ts';
import { commitStats, statsOf } from '../diff/index.ts';
import type { DiffStats } from '../line-diff/index.ts';
import { RepositoryPool } from '../repository/index.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { loadGraph } from './commit-graph.load.ts';
import { addToGraph, completeStats, writeWholeGraph } from './commit-graph.write.ts';
import { StatsIndex } from './stats-index.ts';
import { isMissingStats, writeStats } from './write-stats-index.ts';

const FOLDER = 'objects/info/commit-graphs';
const SUM = Buffer.alloc(20, 7);

type Git = (args: readonly string[], input?: string) => string;

/** What git counts. */
function counted(git: Git, oid: string): DiffStats {
  const options = ['--root', '-r', '--shortstat', '--find-renames', '--diff-merges=first-parent', '--no-commit-id'];
  const text = git(['diff-tree', ...options, oid]);
  const number = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0);
  return { additions: number('insertion'), deletions: number('deletion') };
}

async function layersOf(dir: string): Promise<readonly GraphLayer[]> {
  const { graph } = await loadGraph(dir);
  return graph?.layers ?? [];
}

async function writeAll(dir: string): Promise<void> {
  while (await writeStats(dir));
}

function statsFiles(dir: string): string[] {
  return readdirSync(join(dir, FOLDER))
    .filter((name) => name.endsWith('.stats'))
    .map((name) => join(dir, FOLDER, name));
}

async function addAndCount(dir: string, oids: readonly string[]): Promise<void> {
  await addToGraph(dir, { oids });
  await completeStats(dir);
}

test('what is entered is read again, and what does not fit is left to git', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  const index = StatsIndex.empty(4, SUM);
  index.enter(0, { additions: 0, deletions: 0 });
  index.enter(1, { additions: 0xfffffffe, deletions: 0xfffffffe });
  index.enter(2, { additions: 1, deletions: 0xffffffff });
  writeFileSync(file, index.file());
  const read = await StatsIndex.load(file, 4, SUM);
  assert.deepEqual([read?.unknown, read?.bytes], [1, index.bytes]);
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => [read!.of(index), read!.isUnknown(index)]),
    [
      [{ additions: 0, deletions: 0 }, false],
      [{ additions: 0xfffffffe, deletions: 0xfffffffe }, false],
      [null, false],
      [null, true],
    ],
  );
  const copy = read!.copy();
  copy.enter(3, null);
  copy.enter(3, { additions: 1, deletions: 2 });
  assert.deepEqual(
    [copy.unknown, read!.unknown, copy.of(3), read!.of(3)],
    [0, 1, { additions: 1, deletions: 2 }, null],
  );
});

test('an index that is damaged, or of another layer, is none', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  const index = StatsIndex.empty(2, SUM);
  index.enter(1, { additions: 3, deletions: 4 });
  const good = Buffer.from(index.file());
  for (let at = 0; at < good.length; at += 1) {
    for (const bytes of [good.subarray(0, at), good.with(at, good[at]! ^ 1)]) {
      writeFileSync(file, bytes);
      assert.equal(await StatsIndex.load(file, 2, SUM), null, `byte ${at}`);
    }
  }
  writeFileSync(file, good);
  assert.equal(await StatsIndex.load(file, 1, SUM), null);
  assert.equal(await StatsIndex.load(file, 2, Buffer.alloc(20, 8)), null);
  assert.equal(await StatsIndex.load(`${file} none`, 2, SUM), null);
  assert.deepEqual((await StatsIndex.load(file, 2, SUM))?.of(1), { additions: 3, deletions: 4 });
});

test('generated histories have the lines that git counts, whoever asks', async (t) => {
  const { dir, git, pool } = gitFixture(t);
  const { input } = randomHistory(randomNumbers(5), { commits: 80, skewed: true });
  git(['fast-import', '--quiet', '--date-format=raw-permissive'], input);
  const oids = git(['rev-list', '--all']).split('\n');
  await writeWholeGraph(dir);
  const repo = pool.get('indexed', dir);
  t.mock.method(repo.stats, 'ask', () => assert.fail('git is asked'));
  const statsByOid = await statsOf(repo, oids);
  for (const oid of oids) {
    assert.deepEqual(statsByOid.get(oid), counted(git, oid), oid);
    assert.deepEqual(await commitStats(repo, oid), statsByOid.get(oid));
  }
});

test('roots, merges, renames, binary files, modes, links and submodules count as with git', async (t) => {
  const { dir, git, pool } = gitFixture(t);
  const text = 'line\n'.repeat(40);
  const blob = (content: string) => git(['hash-object', '-w', '--stdin'], content);
  const tree = (...lines: string[]) => git(['mktree', '--missing'], lines.map((line) => `${line}\n`).join(''));
  const trees = [
    tree(`100644 blob ${blob(text)}\ta`),
    tree(`100644 blob ${blob(`${text}more\n`)}\tb`),
    tree(`100755 blob ${blob(`${text}more\n`)}\tb`),
    tree(`120000 blob ${blob('b')}\ta`, `100644 blob ${blob(`x\0${text}`)}\tb`),
    tree(`160000 commit ${'1'.repeat(40)}\tmodule`, `100644 blob ${blob(`y\0${text}`)}\tb`),
    tree(),
  ];
  const oids: string[] = [];
  const add = (at: number, ...parents: string[]) =>
    oids.push(git(['commit-tree', trees[at]!, '-m', `${oids.length}`, ...parents.flatMap((oid) => ['-p', oid])]));
  for (const at of trees.keys()) add(at, ...oids.slice(-1));
  add(0, oids[5]!, oids[0]!);
  add(0, oids[0]!, oids[5]!, oids[3]!);
  add(5);
  await addAndCount(dir, oids);
  const repo = pool.get('indexed', dir);
  t.mock.method(repo.stats, 'ask', () => assert.fail('git is asked'));
  for (const oid of oids) assert.deepEqual(await commitStats(repo, oid), counted(git, oid), oid);
});

test('it is made slice by slice, the newest commits first, and each goes on where the last one ended', async (t) => {
  const { dir, git } = gitFixture(t);
  const { input } = randomHistory(randomNumbers(6), { commits: 100, skewed: false });
  git(['fast-import', '--quiet', '--date-format=raw-permissive'], input);
  git(['commit-graph', 'write', '--reachable', '--split=no-merge']);
  assert.equal(await writeStats(dir, { sliceMs: 0 }), true);
  const [layer] = await layersOf(dir);
  const first = layer!.stats!;
  assert.ok(first.unknown > 0 && first.unknown < layer!.count);
  const places = Array.from({ length: layer!.count }, (_, index) => index);
  const datesOf = (isUnknown: boolean) =>
    places.filter((index) => first.isUnknown(index) === isUnknown).map((index) => layer!.date(index));
  assert.ok(Math.min(...datesOf(false)) >= Math.max(...datesOf(true)));
  let left = first.unknown;
  while (await writeStats(dir, { sliceMs: 0 })) {
    const { unknown } = (await layersOf(dir))[0]!.stats!;
    assert.ok(unknown < left);
    left = unknown;
  }
  const { stats } = (await layersOf(dir))[0]!;
  for (const index of places) assert.deepEqual(stats!.of(index), counted(git, layer!.oid(index)));
});

test('what is known goes on with layers that are joined, and files of those that are gone go', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const root = commit({ a: '1\n' });
  const next = commit({ a: '1\n2\n' }, [root]);
  await addAndCount(dir, [root]);
  const file = statsFiles(dir)[0]!;
  // What nobody would count.
  const index = StatsIndex.empty(1, (await layersOf(dir))[0]!.sum);
  index.enter(0, { additions: 77, deletions: 7 });
  rmSync(file);
  writeFileSync(file, index.file());
  // Such as a server finds that has just started.
  (await layersOf(dir))[0]!.stats = null;
  await addAndCount(dir, [next]);
  const [joined, ...others] = await layersOf(dir);
  assert.deepEqual([others.length, joined!.count], [0, 2]);
  const of = (oid: string) => joined!.stats!.of(joined!.find(Buffer.from(oid, 'hex')));
  assert.deepEqual([of(root), of(next)], [{ additions: 77, deletions: 7 }, counted(git, next)]);
  assert.deepEqual(statsFiles(dir), [joined!.statsFile]);
});

test('a damaged or missing index is made anew, and git answers until then', async (t) => {
  const { dir, git, commit, pool } = gitFixture(t);
  const root = commit({ a: '1\n' });
  await addAndCount(dir, [root]);
  const file = statsFiles(dir)[0]!;
  const good = readFileSync(file);
  for (const bytes of [good.with(0, good[0]! ^ 1), null]) {
    rmSync(file);
    if (bytes !== null) writeFileSync(file, bytes);
    const [layer] = await layersOf(dir);
    layer!.stats = null;
    const { graph } = await loadGraph(dir);
    assert.deepEqual([graph!.layers[0]!.stats, isMissingStats(dir, graph!)], [null, true]);
    assert.deepEqual(await commitStats(pool.get(`${bytes?.length}`, dir), root), counted(git, root));
    assert.equal(await completeStats(dir), false);
    assert.deepEqual(readFileSync(file), good);
  }
});

test('commits that git cannot read or compare are left to it, and asked for once', async (t) => {
  const { dir, git, commit, pool } = gitFixture(t);
  const root = commit({ a: '1\n' });
  const lost = git(['hash-object', '-w', '--stdin'], 'lost\n');
  const broken = git(['commit-tree', git(['mktree'], `100644 blob ${lost}\ta\n`), '-m', 'broken', '-p', root]);
  const gone = git(['commit-tree', git(['mktree'], ''), '-m', 'gone', '-p', broken]);
  const last = commit({ a: '1\n2\n' }, [root]);
  git(['commit-graph', 'write', '--stdin-commits', '--split=no-merge'], `${gone}\n${last}\n`);
  for (const oid of [lost, gone]) rmSync(join(dir, 'objects', oid.slice(0, 2), oid.slice(2)));
  await writeAll(dir);
  const [layer] = await layersOf(dir);
  const of = (oid: string) => layer!.stats!.of(layer!.find(Buffer.from(oid, 'hex')));
  assert.equal(layer!.stats!.unknown, 0);
  assert.deepEqual([root, broken, gone, last].map(of), [counted(git, root), null, null, counted(git, last)]);
  const { graph } = await loadGraph(dir);
  assert.equal(isMissingStats(dir, graph!), false);
  await assert.rejects(commitStats(pool.get('broken', dir), broken));
});

test('a graph that came without it gets it soon after the first question', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const pool = new RepositoryPool({ graphPauseMs: 20 });
  t.after(() => pool.close());
  const root = commit({ a: '1\n' });
  git(['commit-graph', 'write', '--stdin-commits'], `${root}\n`);
  const repo = pool.get('soon', dir);
  assert.deepEqual(await commitStats(repo, root), counted(git, root));
  while ((await layersOf(dir))[0]?.stats?.unknown !== 0) await sleep(20);
  let statsByOid = await repo.history.stats([root]);
  while (statsByOid.size === 0) {
    await sleep(20);
    statsByOid = await repo.history.stats([root]);
  }
  assert.deepEqual(statsByOid.get(root), counted(git, root));
});

test('it ends with the repository that it is made for, and writes nothing then', async (t) => {
  const { dir, git } = gitFixture(t);
  const lines = Array.from({ length: 120_000 }, (_, at) => `${(at * 7_919) % 60_000}`);
  const blob = (words: readonly string[]) => git(['hash-object', '-w', '--stdin'], `${words.join('\n')}\n`);
  const tree = (content: readonly string[]) => git(['mktree'], `100644 blob ${blob(content)}\ta\n`);
  const root = git(['commit-tree', tree(lines), '-m', 'root']);
  const slow = git(['commit-tree', tree(lines.toReversed()), '-m', 'slow', '-p', root]);
  git(['commit-graph', 'write', '--stdin-commits'], `${slow}\n`);
  const pool = new RepositoryPool({ graphPauseMs: 1 });
  await pool.get('ended', dir).history.stats([slow]);
  const isAsking = () => gitChildren(dir).some((pid) => namesStats(pid));
  while (!isAsking()) await sleep(5);
  pool.evict('ended');
  while (gitChildren(dir).length > 0) await sleep(20);
  assert.deepEqual(statsFiles(dir), []);
  await pool.close();
});

function namesStats(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--shortstat');
  } catch {
    return false;
  }
}
