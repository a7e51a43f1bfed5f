import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type GitFixture, gitFixture } from '../../../../test/support/git-fixture.ts';
import { randomNumbers } from '../../../../test/support/random-history.ts';
import { randomVersions } from '../../../../test/support/random-versions.ts';
import type { DiffStats } from '../../line-diff/index.ts';
import { DiffProcess, ShortStats, STATS_COMMAND } from '../../process/index.ts';
import { loadGraph } from '../commit-graph.load.ts';
import type { CommitGraph } from '../commit-graph.ts';
import { PathIndex } from '../path-index.ts';
import { writePathIndexes } from '../write-path-index.ts';
import { isMissingStats, type StatsOptions, writeStats } from '../write-stats-index.ts';
import { programAddress } from './line-counter.program.ts';
import { canCount } from './line-counter.ts';

const COUNTED: StatsOptions = { many: 1, firstCounted: 1_000_000 };

/** What git counts of all commits of a graph. */
function countedByGit({ git }: GitFixture, graph: CommitGraph): Map<string, DiffStats> {
  const oids = Array.from({ length: graph.count }, (_, position) => graph.oid(position));
  const printed = new ShortStats();
  for (const line of git(STATS_COMMAND, oids.map((oid) => `${oid}\n`).join('')).split('\n')) printed.take(line);
  return printed.stats;
}

async function graphOf(dir: string): Promise<CommitGraph> {
  return (await loadGraph(dir)).graph!;
}

/** Whether all that the index of a repository has is what git counts, and how many commits it lacks. */
async function mustBeGits(fixture: GitFixture): Promise<number> {
  const graph = await graphOf(fixture.dir);
  const expected = countedByGit(fixture, graph);
  let missing = 0;
  for (let position = 0; position < graph.count; position += 1) {
    const stats = graph.stats(position);
    if (stats === null) missing += 1;
    else assert.deepEqual(stats, expected.get(graph.oid(position)), graph.oid(position));
  }
  return missing;
}

/** Notes which commits git is asked for. */
function watchGit(t: TestContext): string[] {
  const asked: string[] = [];
  const { ask } = DiffProcess.prototype;
  t.mock.method(DiffProcess.prototype, 'ask', function (this: DiffProcess, question: Parameters<typeof ask>[0]) {
    asked.push(...question.lines);
    return ask.call(this, question);
  });
  return asked;
}

/** The processes of this one that count. */
function counters(): number[] {
  const program = fileURLToPath(programAddress);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
        return parent === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program);
      } catch {
        return false;
      }
    });
}

/** Waits until the processes that were killed are gone. */
async function countersToEnd(): Promise<void> {
  while (counters().length > 0) await sleep(5);
}

async function made(t: TestContext, seed: number, commits: number, objectFormat = 'sha1'): Promise<GitFixture> {
  const fixture = gitFixture(t, { objectFormat });
  const { dir, git } = fixture;
  git(
    ['fast-import', '--quiet', '--date-format=raw-permissive'],
    randomVersions(randomNumbers(seed), commits, objectFormat === 'sha1' ? 40 : 64),
  );
  git(['commit-graph', 'write', '--reachable', '--split=replace']);
  await writePathIndexes(dir);
  return fixture;
}

for (const [seed, format, isRepacked] of [
  [1, 'sha1', false],
  [2, 'sha1', true],
  [3, 'sha256', true],
] as const) {
  test(`all commits of generated histories have the lines that git counts, ${seed}`, async (t) => {
    const fixture = await made(t, seed, 200, format);
    const { dir, git } = fixture;
    if (isRepacked) git(['repack', '-q', '-a', '-d', '-f', '--depth=50', '--window=20']);
    const asked = watchGit(t);
    assert.equal(await writeStats(dir, COUNTED), false);
    assert.ok(asked.length > 0 && asked.length < 150, `git was asked for ${asked.length} of 200`);
    assert.equal(await mustBeGits(fixture), 0);
    await countersToEnd();
  });
}

test('lines are counted slice by slice, the newest commits first, and what is there is right at any time', async (t) => {
  const fixture = await made(t, 5, 240);
  const { dir } = fixture;
  const missing: number[] = [];
  const options = { many: 1, firstCounted: 60 };
  const isMore = await writeStats(dir, options);
  assert.equal(isMore, true);
  missing.push(await mustBeGits(fixture));
  const [layer] = (await graphOf(dir)).layers;
  const datesOf = (isUnknown: boolean) =>
    Array.from({ length: layer!.count }, (_, index) => index)
      .filter((index) => layer!.stats!.isUnknown(index) === isUnknown)
      .map((index) => layer!.date(index));
  assert.ok(Math.min(...datesOf(false)) >= Math.max(...datesOf(true)));
  assert.equal(counters().length, 1);
  while (await writeStats(dir, options)) missing.push(await mustBeGits(fixture));
  assert.deepEqual([missing[0], await mustBeGits(fixture)], [180, 0]);
  await countersToEnd();
});

test('a process that is killed loses nothing: git is asked then', async (t) => {
  const fixture = await made(t, 6, 120);
  const { dir } = fixture;
  await writeStats(dir, { many: 1, firstCounted: 20 });
  const [pid] = counters();
  process.kill(pid!, 'SIGKILL');
  while (await writeStats(dir, { many: 1, firstCounted: 20 }));
  assert.equal(await mustBeGits(fixture), 0);
  // In the middle of a slice.
  const other = await made(t, 7, 400);
  const whole = writeStats(other.dir, COUNTED);
  while (counters().length === 0) await sleep(5);
  for (const each of counters()) process.kill(each, 'SIGKILL');
  if (await whole) while (await writeStats(other.dir, COUNTED));
  assert.equal(await mustBeGits(other), 0);
  await countersToEnd();
});

test('it ends with whoever does not want it any more, and writes nothing then', async (t) => {
  const { dir } = await made(t, 8, 400);
  const stop = new AbortController();
  const writing = writeStats(dir, { ...COUNTED, signal: stop.signal });
  while (counters().length === 0) await sleep(5);
  stop.abort();
  await assert.rejects(writing);
  await countersToEnd();
  const files = readdirSync(join(dir, 'objects/info/commit-graphs'));
  assert.deepEqual(
    files.filter((name) => name.includes('.stats')),
    [],
  );
  // Nor one that waits for the next slice.
  const next = new AbortController();
  assert.equal(await writeStats(dir, { many: 1, firstCounted: 10, signal: next.signal }), true);
  assert.equal(counters().length, 1);
  next.abort();
  await countersToEnd();
});

test('layers on top are counted with what lies below, by one key for a path', async (t) => {
  const fixture = await made(t, 9, 200);
  const { dir, git } = fixture;
  const refs = git(['for-each-ref', '--format=%(refname) %(objectname)']).split('\n');
  const oids = new Map(refs.map((ref) => ref.split(' ') as [string, string]));
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, nth) => `${oids.get(`refs/heads/c${from + nth}`)}\n`).join('');
  for (const name of readdirSync(join(dir, 'objects/info/commit-graphs')))
    rmSync(join(dir, 'objects/info/commit-graphs', name));
  git(['commit-graph', 'write', '--stdin-commits', '--split=no-merge'], numbers(0, 110));
  git(['commit-graph', 'write', '--stdin-commits', '--split=no-merge'], numbers(110, 200));
  await writePathIndexes(dir);
  const graph = await graphOf(dir);
  const [below, top] = graph.layers;
  assert.equal(graph.layers.length, 2);
  assert.deepEqual([canCount(graph, below!), canCount(graph, top!)], [true, true]);
  while (await writeStats(dir, COUNTED));
  assert.equal(await mustBeGits(fixture), 0);
});

test('where paths of a layer are not indexed, or by other keys, git is asked for all', async (t) => {
  const fixture = await made(t, 10, 60);
  const { dir } = fixture;
  const [layer] = (await graphOf(dir)).layers;
  rmSync(layer!.pathIndexFile);
  layer!.pathIndex = null;
  const asked = watchGit(t);
  while (await writeStats(dir, COUNTED));
  assert.equal(asked.length, 60);
  assert.equal(await mustBeGits(fixture), 0);
  const salted = (salt: number) =>
    PathIndex.unfinished(join(dir, 'none'), { salt: Buffer.alloc(16, salt), hashBytes: 20 }, []);
  const layers = [salted(1), salted(2)].map((pathIndex) => Object.create(layer!, { pathIndex: { value: pathIndex } }));
  const chain = { layers } as unknown as CommitGraph;
  assert.deepEqual([canCount(chain, layers[0]), canCount(chain, layers[1])], [true, false]);
});

test('commits with contents that are lost, damaged or large are left to git', async (t) => {
  const fixture = gitFixture(t);
  const { dir, git, commit } = fixture;
  const root = commit({ a: '1\n', b: '1\n' });
  const large = commit({ a: `${'x'.repeat(3_000_000)}\n1\n`, b: '1\n' }, [root]);
  const lost = commit({ a: 'lost\n', b: '1\n' }, [large]);
  const damaged = commit({ a: '1\n', b: 'damaged\n' }, [lost]);
  const good = commit({ a: '1\n2\n', b: 'damaged\n' }, [damaged]);
  git(['update-ref', 'refs/heads/main', good]);
  git(['commit-graph', 'write', '--reachable', '--split=replace']);
  await writePathIndexes(dir);
  const fileOf = (rev: string) => {
    const oid = git(['rev-parse', rev]);
    return join(dir, 'objects', oid.slice(0, 2), oid.slice(2));
  };
  rmSync(fileOf(`${lost}:a`));
  const file = fileOf(`${damaged}:b`);
  const bytes = readFileSync(file);
  rmSync(file);
  writeFileSync(file, bytes.subarray(0, -6));
  while (await writeStats(dir, COUNTED));
  const graph = await graphOf(dir);
  assert.equal(isMissingStats(dir, graph), false);
  const of = (oid: string) => graph.stats(graph.find(oid));
  assert.deepEqual(of(root), { additions: 2, deletions: 0 });
  assert.deepEqual(of(large), { additions: 1, deletions: 0 });
  assert.deepEqual([of(lost), of(damaged)], [null, null]);
  assert.deepEqual(of(good), { additions: 1, deletions: 0 });
});
