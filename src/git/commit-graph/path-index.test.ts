import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { data } from '../../../test/support/fast-import.ts';
import { type GitFixture, gitFixture, type Test } from '../../../test/support/git-fixture.ts';
import { randomHistory, randomNumbers } from '../../../test/support/random-history.ts';
import { collectGarbage } from '../../core/heap-release.ts';
import { inScope } from '../../core/request-scope.ts';
import { decodeBytes } from '../common/index.ts';
import { lastCommitOf, listCommits } from '../history/index.ts';
import { type Repository, RepositoryPool } from '../repository/index.ts';
import { entryAt, treeOf } from '../trees/index.ts';
import { loadGraph } from './commit-graph.load.ts';
import { addToGraph } from './commit-graph.write.ts';
import { waitEnd } from './index-wait.ts';
import { lastChange } from './last-change.ts';
import { nextPartialIndex, publishPartialIndex } from './partial-indexes.ts';
import { PathChanges } from './path-changes.ts';
import { PathIndex } from './path-index.ts';
import { writePathIndexes } from './write-path-index.ts';

const FOLDER = 'objects/info/commit-graphs';

function indexFiles(dir: string): string[] {
  return readdirSync(join(dir, FOLDER))
    .filter((name) => name.endsWith('.paths'))
    .map((name) => join(dir, FOLDER, name));
}

function writeGraph(git: GitFixture['git'], tip: string): void {
  git(['commit-graph', 'write', '--stdin-commits', '--changed-paths', '--split=no-merge'], `${tip}\n`);
}

/** The same repository, of which nothing is known yet and no tree may be read. */
function withoutTrees(t: Test & { mock: { method: typeof test.mock.method } }, { pool, dir }: GitFixture): Repository {
  const repo = pool.get(`${dir} ${readdirSync(join(dir, FOLDER)).length}`, dir);
  t.mock.method(repo.objects, 'read', () => assert.fail('a tree is read'));
  return repo;
}

async function assertAsGit(
  repo: Repository,
  git: GitFixture['git'],
  oids: readonly string[],
  paths: readonly string[],
) {
  for (const path of paths) {
    for (const oid of oids) {
      const expected = git(['rev-list', oid, '--', path]).split('\n').filter(Boolean);
      assert.deepEqual(await listCommits(repo, { from: [oid], path, limit: 100 }), expected, `${path} in ${oid}`);
      if (path.endsWith('/')) continue;
      assert.equal(await lastCommitOf(repo, oid, path), expected[0] ?? null, `last ${path} in ${oid}`);
    }
  }
}

test('files, folders, links, submodules and what takes the place of another are known without reading trees', async (t) => {
  const fixture = gitFixture(t);
  const { dir, git } = fixture;
  const blob = (text: string) => git(['hash-object', '-w', '--stdin'], text);
  const empty = git(['mktree'], '');
  const tree = (...lines: string[]) => git(['mktree', '--missing'], `${lines.join('\n')}\n`);
  const folder = tree(`100644 blob ${blob('1')}\tf`);
  const link = (id: string) => `160000 commit ${id.repeat(40)}\tmodule`;
  const trees = [
    tree(`100644 blob ${blob('1')}\ta`, `040000 tree ${folder}\td`, link('1')),
    // Git heeds no more of a mode than whether the owner may execute.
    tree(`100664 blob ${blob('1')}\ta`, `040000 tree ${folder}\td`, link('2')),
    tree(`100755 blob ${blob('1')}\ta`, `100644 blob ${blob('2')}\td`),
    tree(`120000 blob ${blob('1')}\ta`, `040000 tree ${tree(`040000 tree ${folder}\tsub`)}\td`),
    // A folder without anything in it is nothing.
    tree(`040000 tree ${empty}\ta`, `040000 tree ${tree(`040000 tree ${folder}\tsub`)}\td`),
    tree(`100644 blob ${blob('1')}\t\u00e4 b`, `100644 blob ${blob('1')}\tx`),
    empty,
    tree(`100644 blob ${blob('1')}\ta`, `040000 tree ${folder}\td`, link('1')),
  ];
  const oids: string[] = [];
  for (const each of trees) {
    const parents = oids.length === 0 ? [] : ['-p', oids.at(-1)!];
    oids.push(git(['commit-tree', each, '-m', `${oids.length}`, ...parents]));
  }
  oids.push(git(['commit-tree', trees[1]!, '-m', 'evil', '-p', oids[3]!, '-p', oids[0]!]));
  oids.push(git(['commit-tree', trees[0]!, '-m', 'good', '-p', oids[5]!, '-p', oids[0]!, '-p', oids[6]!]));
  for (const [at, tip] of oids.entries()) git(['update-ref', `refs/heads/${at}`, tip]);
  git(['commit-graph', 'write', '--reachable', '--changed-paths']);
  await writePathIndexes(dir);
  const paths = [
    'a',
    'a/',
    'd',
    'd/',
    'd/f',
    'd/sub',
    'd/sub/f',
    'module',
    'module/',
    '\u00e4 b',
    'x',
    'none',
    'd/none',
  ];
  await assertAsGit(withoutTrees(t, fixture), git, oids, paths);
});

test('what is at a path is known without its commit and without trees, but for what is nothing', async (t) => {
  const fixture = gitFixture(t);
  const { dir, git, commit } = fixture;
  const root = commit({ a: '1', 'd/e/f': '1', x: '1' });
  const side = commit({ a: '2', 'd/e/f': '1', x: '1' }, [root]);
  const other = commit({ a: '1', 'd/e/f': '2', d2: '1' }, [root]);
  const merge = commit({ a: '2', 'd/e/f': '2', d2: '1' }, [side, other]);
  const fresh = commit({ a: '3' }, [merge]);
  writeGraph(git, merge);
  await writePathIndexes(dir);
  const repo = withoutTrees(t, fixture);
  const { mock: trees } = t.mock.method(repo.objects, 'treeObject');
  const commits = t.mock.method(repo.objects, 'commit').mock;
  for (const oid of [root, side, other, merge]) {
    for (const line of git([
      'ls-tree',
      '-r',
      '-t',
      '--format=%(objectmode) %(objecttype) %(objectname) %(path)',
      oid,
    ]).split('\n')) {
      const [mode, type, id, path] = line.split(' ', 4);
      assert.deepEqual(await entryAt(repo, oid, path!), { mode, type, oid: id, name: path!.split('/').at(-1) });
    }
    assert.equal(await treeOf(repo, oid), git(['rev-parse', `${oid}^{tree}`]));
  }
  assert.equal(trees.callCount() + commits.callCount(), 0);
  assert.equal(await entryAt(repo, merge, 'x'), null);
  assert.equal(await entryAt(repo, merge, 'a/'), null);
  assert.equal(await entryAt(repo, merge, 'never'), null);
  assert.equal((await entryAt(repo, fresh, 'a'))?.oid, git(['rev-parse', `${fresh}:a`]));
});

test('a name that is no text is known by its bytes', async (t) => {
  const fixture = gitFixture(t);
  const { dir, git, bytes } = fixture;
  const name = Buffer.from([0x62, 0xff, 0xfe]);
  const blob = git(['hash-object', '-w', '--stdin'], '1');
  const line = Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from('\0')]);
  const tree = bytes(['mktree', '-z'], line).toString().trim();
  const oid = git(['commit-tree', tree, '-m', 'bytes']);
  writeGraph(git, oid);
  await writePathIndexes(dir);
  assert.equal(await lastCommitOf(withoutTrees(t, fixture), oid, decodeBytes(name)), oid);
});

test('an index is of one layer: more are made for layers on top, and those of layers that are gone go', async (t) => {
  const fixture = gitFixture(t);
  const { dir, git, commit } = fixture;
  const root = commit({ a: '1', b: '1' });
  writeGraph(git, root);
  await writePathIndexes(dir);
  const [first] = indexFiles(dir);
  const second = commit({ a: '2', b: '1' }, [root]);
  writeGraph(git, second);
  await writePathIndexes(dir);
  assert.equal(indexFiles(dir).length, 2);
  assert.ok(indexFiles(dir).includes(first!));
  await assertAsGit(withoutTrees(t, fixture), git, [root, second], ['a', 'b']);
  const third = commit({ a: '2', b: '2' }, [second]);
  await addToGraph(dir, { oids: [third] });
  assert.deepEqual(indexFiles(dir).length, (await loadGraph(dir)).graph?.layers.length);
  await assertAsGit(withoutTrees(t, fixture), git, [root, second, third], ['a', 'b']);
});

test('a damaged index is not believed, wherever it is damaged, and made anew', async (t) => {
  const { dir, git, commit, pool } = gitFixture(t);
  const root = commit({ a: '1', b: '1' });
  const next = commit({ a: '2', b: '1' }, [root]);
  writeGraph(git, next);
  await writePathIndexes(dir);
  const [file] = indexFiles(dir);
  const good = readFileSync(file!);
  for (let at = 0; at < good.length; at += 1) {
    rmSync(file!, { force: true });
    writeFileSync(file!, at % 7 === 0 ? good.subarray(0, at) : good.with(at, good[at]! ^ 1));
    const repo = pool.get(`${at}`, dir);
    const lastCommits = [await lastCommitOf(repo, next, 'a'), await lastCommitOf(repo, next, 'b')];
    assert.deepEqual(lastCommits, [next, root], `byte ${at}`);
  }
  await pool.close();
  await writePathIndexes(dir);
  assert.equal(readFileSync(file!).length, good.length);
  assert.notEqual((await loadGraph(dir)).graph?.layers[0]?.pathIndex ?? null, null);
});

test('a graph that came without an index gets one soon after the first question', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const pool = new RepositoryPool({ graphPauseMs: 20 });
  t.after(() => pool.close());
  const root = commit({ a: '1' });
  git(['commit-graph', 'write', '--stdin-commits'], `${root}\n`);
  assert.equal(await lastCommitOf(pool.get('soon', dir), root, 'a'), root);
  while ((await loadGraph(dir)).graph?.layers[0]?.pathIndex == null) await sleep(20);
  assert.equal((await loadGraph(dir)).graph?.layers[0]?.pathIndex?.isTooMuch, false);
});

for (const skewed of [false, true]) {
  test(`what is known while it is being written is right, ${skewed ? 'wrong' : 'right'} clocks`, async (t) => {
    const { dir, git } = gitFixture(t);
    const random = randomNumbers(skewed ? 3 : 4);
    const { input, paths } = randomHistory(random, { commits: 1_500, skewed });
    git(['fast-import', '--quiet', '--date-format=raw-permissive'], input);
    git(['commit-graph', 'write', '--reachable', '--split']);
    const { graph } = await loadGraph(dir);
    const asked = Array.from({ length: 400 }, () => ({
      position: random(graph!.count),
      path: Buffer.from(paths[random(paths.length)]!.replace(/\/$/, '')),
    }));
    const answerAll = () =>
      Promise.all(
        asked.map(async ({ position, path }) => {
          const changes = await PathChanges.ofFew(graph!.layers, path);
          return changes === null || changes.limit === 0 ? undefined : lastChange(graph!, changes, position);
        }),
      );
    const during: ReturnType<typeof answerAll>[] = [];
    const written = writePathIndexes(dir, { firstChanges: 100 }).then(() => true);
    while (!(await Promise.race([nextPartialIndex(graph!.layers, dir), written]))) during.push(answerAll());
    const right = await answerAll();
    assert.ok(right.every((answer) => answer !== undefined));
    const known = (await Promise.all(during)).map((answers) => answers.filter((answer) => answer !== undefined).length);
    for (const answers of await Promise.all(during)) {
      for (const [nth, answer] of answers.entries()) if (answer !== undefined) assert.equal(answer, right[nth]);
    }
    assert.equal(known[0], 0);
    assert.ok(
      known.some((count) => count > 0 && count < asked.length),
      `known: ${known}`,
    );
    for (const [nth, { position, path }] of asked.slice(0, 40).entries()) {
      const expected = git(['rev-list', '-1', graph!.oid(position), '--', path.toString()]);
      assert.equal(right[nth] === null ? '' : graph!.oid(right[nth]!), expected);
    }
  });
}

test('a question that reaches far beyond the graph has it written at once, also after a restart', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  let tip = commit({ a: '1', b: '1' });
  const stream = Array.from({ length: 2_100 }, (_, n) => {
    const head = n === 0 ? `from ${tip}\n` : '';
    return `commit refs/heads/main\ncommitter A <a@example.com> ${2_000_000_000 + n} +0000\ndata 1\nx\n${head}M 644 inline b\ndata 4\n${1_000 + n}\n`;
  });
  git(['fast-import', '--quiet'], stream.join(''));
  const root = tip;
  tip = git(['rev-parse', 'main']);
  const pool = new RepositoryPool({ graphPauseMs: 60_000 });
  t.after(() => pool.close());
  const repo = pool.get('far', dir);
  repo.history.refsChanged([tip]);
  const lastCommits = await Promise.all([tip, `${tip}`].map((oid) => lastCommitOf(repo, oid, 'a')));
  assert.deepEqual(lastCommits, [root, root]);
  assert.equal((await loadGraph(dir)).graph?.count, 2_101);
  // Nobody has announced these: a server that was just started.
  rmSync(join(dir, FOLDER), { recursive: true });
  const restarted = new RepositoryPool({ graphPauseMs: 60_000 });
  t.after(() => restarted.close());
  assert.equal(await lastCommitOf(restarted.get('restarted', dir), tip, 'a'), root);
  assert.equal((await loadGraph(dir)).graph?.count, 2_101);
});

test('a question waits for an index no longer than its time, or than its client', async (t) => {
  const { dir, git, commit, repo } = gitFixture(t);
  const root = commit({ a: '1' });
  git(['commit-graph', 'write', '--stdin-commits'], `${root}\n`);
  const layer = (await repo.history.graph())!.layers[0]!;
  const soon = () => performance.now() + 20;
  assert.equal(await repo.history.moreIndexed(soon()), false);
  const index = PathIndex.unfinished(join(dir, 'none'), { salt: Buffer.alloc(16), hashBytes: 20 }, []);
  publishPartialIndex(layer, { index, floor: Number.POSITIVE_INFINITY });
  t.after(() => publishPartialIndex(layer, null));
  assert.equal(await repo.history.moreIndexed(soon()), false);
  const client = new AbortController();
  const asked = inScope({ caller: 'somebody', signal: client.signal }, () => repo.history.moreIndexed(waitEnd()));
  client.abort();
  await assert.rejects(asked, { code: 'aborted' });
  const waiting = repo.history.moreIndexed(waitEnd());
  publishPartialIndex(layer, null);
  assert.equal(await waiting, true);
});

test('nothing is made of commits that cannot be read', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const root = commit({ a: '1' });
  const next = git(['commit-tree', git(['mktree'], ''), '-m', 'loose', '-p', root]);
  writeGraph(git, next);
  rmSync(join(dir, 'objects', next.slice(0, 2), next.slice(2)));
  await assert.rejects(writePathIndexes(dir), { code: 'failed' });
  assert.deepEqual(
    readdirSync(join(dir, FOLDER)).filter((name) => name.includes('.paths')),
    [],
  );
});

test('changes of paths in the cache hold no memory but their own', async (t) => {
  const { dir, git } = gitFixture(t);
  const paths = Array.from({ length: 6_000 }, (_, n) => `file-${n}`);
  const files = paths.map((path) => `M 100644 inline ${path}\n${data(path)}`).join('\n');
  git(
    ['fast-import', '--quiet'],
    `commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\n${data('all')}\n${files}\n`,
  );
  writeGraph(git, git(['rev-parse', 'main']).trim());
  await writePathIndexes(dir);
  const { graph } = await loadGraph(dir);
  const buffers = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  await PathChanges.of(graph!.layers, Buffer.from(paths[0]!));
  const before = buffers();
  for (const path of paths.slice(1, 301)) {
    await PathChanges.of(graph!.layers, Buffer.from(path));
    // The next copy of few bytes is a part of another shared buffer.
    Buffer.allocUnsafe((Buffer.poolSize >>> 1) - 1);
    Buffer.allocUnsafe((Buffer.poolSize >>> 1) - 1);
  }
  let more = buffers() - before;
  for (let round = 0; round < 50 && more > 4e6; round += 1) {
    await sleep(20);
    more = buffers() - before;
  }
  assert.ok(more <= 4e6, `300 paths hold ${more} bytes`);
});
