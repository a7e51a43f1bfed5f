import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { runGit } from '../process/index.ts';
import { fsck } from './fsck.ts';
import { maintain } from './git.maintenance.ts';
import { type Repository, RepositoryPool } from './git.repository.ts';

const base = mkdtempSync(join(tmpdir(), 'stithy-maintenance-'));
after(() => rmSync(base, { recursive: true, force: true }));

let pool: RepositoryPool;
let repository: Repository;
beforeEach(async () => {
  pool = new RepositoryPool();
  const dir = mkdtempSync(join(base, 'r-'));
  await runGit(['init', '--quiet', '--bare', '--initial-branch=main', dir]);
  repository = pool.get(dir, dir);
});
afterEach(() => pool.close());

const run = async (...args: string[]) => (await runGit(args, { gitDir: repository.dir })).stdout.toString().trim();

/** Adds commits to a branch in one pack of their own, as a push does. */
async function push(branch: string, from: number, count: number): Promise<void> {
  const commit = (n: number) =>
    `commit refs/heads/${branch}\ncommitter A <a@example.com> ${n} +0000\ndata 1\nc` +
    `${n === from && n > 0 ? `\nfrom refs/heads/${branch}^0` : ''}\nM 644 inline f${n % 7}\ndata 5\n${String(n).padStart(5)}\n`;
  const input = Array.from({ length: count }, (_, index) => commit(from + index)).join('');
  await runGit(['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], { gitDir: repository.dir, input });
}

async function objects(): Promise<string[]> {
  return (await run('cat-file', '--batch-check=%(objectname)', '--batch-all-objects')).split('\n');
}

const packs = () => readdirSync(join(repository.dir, 'objects/pack')).filter((name) => name.endsWith('.pack'));

test('many packs and loose objects become few, and nothing is lost, also what no ref reaches', async () => {
  for (let n = 0; n < 8; n += 1) await push('main', n * 30, 30);
  const orphan = (await runGit(['hash-object', '-w', '--stdin'], { gitDir: repository.dir, input: 'orphan' })).stdout;
  const unreachable = await run('rev-parse', 'main~200');
  await run('update-ref', '-d', 'refs/heads/main');
  await run('update-ref', 'refs/heads/other', unreachable);
  const before = await objects();
  assert.equal(packs().length, 8);

  assert.deepEqual(await maintain(repository, { packs: 3 }), { packedRefs: false, repacked: true });
  assert.ok(packs().length <= 2, `${packs()}`);
  assert.deepEqual(await objects(), before);
  assert.ok(before.includes(orphan.toString().trim()));
  assert.ok(existsSync(join(repository.dir, 'objects/pack/multi-pack-index')));
  assert.deepEqual(await fsck(repository.dir), { ok: true, problems: [] });
});

test('a small repository only gets its commit graph, layer by layer', async () => {
  await push('main', 0, 20);
  assert.deepEqual(await maintain(repository), { packedRefs: false, repacked: false });
  const chain = join(repository.dir, 'objects/info/commit-graphs/commit-graph-chain');
  assert.ok(existsSync(chain));
  await push('main', 20, 2);
  await maintain(repository);
  assert.match(await run('commit-graph', 'verify'), /^$/);
  assert.equal(await run('rev-list', '--count', 'main', '--', 'f3'), '3');
});

test('many loose refs are packed and stay what they are', async () => {
  await push('main', 0, 1);
  const oid = await run('rev-parse', 'main');
  const updates = Array.from({ length: 30 }, (_, n) => ({ ref: `refs/tags/t${n}`, old: null, new: oid }));
  await repository.refs.transaction(updates);
  const before = await repository.refs.list('refs/');
  assert.deepEqual(await maintain(repository, { looseRefs: 10 }), { packedRefs: true, repacked: false });
  assert.deepEqual(readdirSync(join(repository.dir, 'refs/tags')), []);
  assert.deepEqual(await repository.refs.list('refs/'), before);
});

test('warm readers and pushes go on while packs are joined under them', async () => {
  for (let n = 0; n < 4; n += 1) await push('main', n * 25, 25);
  const known = await objects();
  let running = true;
  const read = async () => {
    let reads = 0;
    for (let n = 0; running || n % known.length !== 0; n += 1) {
      const object = await repository.objects.info(known[n % known.length]!);
      assert.notEqual(object, null);
      reads += 1;
    }
    return reads;
  };
  const reading = read();
  for (let round = 0; round < 6; round += 1) {
    await Promise.all([maintain(repository, { packs: 0, looseObjects: 0, looseRefs: 0 }), push(`b${round}`, 0, 20)]);
  }
  running = false;
  assert.ok((await reading) >= known.length);
  assert.equal((await fsck(repository.dir)).ok, true);
  assert.deepEqual((await repository.refs.list('refs/heads/')).length, 7);
});

test('calls that come while one waits share it, and one that runs is followed by another', async () => {
  await push('main', 0, 1);
  const running = maintain(repository);
  await new Promise(setImmediate);
  const next = maintain(repository);
  assert.notEqual(next, running);
  assert.equal(maintain(repository), next);
  await Promise.all([running, next]);
  assert.notEqual(maintain(repository), next);
});

test('what a broken push left a day ago goes, what a running one writes stays', async () => {
  const folder = (name: string) => join(repository.dir, 'objects', `tmp_objdir-incoming-${name}`);
  for (const name of ['old', 'new']) {
    mkdirSync(folder(name));
    writeFileSync(join(folder(name), 'x'), '');
  }
  const longAgo = new Date(Date.now() - 30 * 3_600_000);
  utimesSync(folder('old'), longAgo, longAgo);
  await maintain(repository);
  assert.deepEqual([existsSync(folder('old')), existsSync(folder('new'))], [false, true]);
});

test('a damaged repository is told from a sound one', async () => {
  await push('main', 0, 3);
  assert.deepEqual(await fsck(repository.dir), { ok: true, problems: [] });
  const pack = join(repository.dir, 'objects/pack', packs()[0]!);
  chmodSync(pack, 0o600);
  truncateSync(pack, 40);
  const { ok, problems } = await fsck(repository.dir);
  assert.equal(ok, false);
  assert.ok(problems.length > 0);
});
