import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { gitFixture, temporaryFolder } from '../../../../test/support/git-fixture.ts';
import { Random, randomCommits } from '../../../../test/support/random-objects.ts';
import { GitError, type ObjectFormat } from '../../common/index.ts';
import { type Repository, RepositoryPool } from '../../repository/index.ts';
import { hashObject } from '../git.objects.ts';

type Run = (args: readonly string[], input?: string | Buffer) => string;

interface Listed {
  oid: string;
  type: string;
  size: number;
}

function listed(git: Run): Listed[] {
  const lines = git(['cat-file', '--batch-all-objects', '--batch-check']).split('\n');
  return lines.map((line) => {
    const [oid = '', type = '', size] = line.split(' ');
    return { oid, type, size: Number(size) };
  });
}

async function streamed(repo: Repository, oid: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of repo.objects.stream(oid)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Every object that git lists is read with the type, size and bytes that its id says. */
async function holdsAll(repo: Repository, git: Run, format: ObjectFormat = 'sha1'): Promise<void> {
  const all = listed(git);
  assert.ok(all.length > 50);
  for (const [n, { oid, type, size }] of all.entries()) {
    assert.deepEqual(await repo.objects.info(oid), { oid, type, size });
    const object = await repo.objects.read(oid, 1e9);
    assert.equal(object?.type, type);
    assert.equal(object?.size, size);
    assert.equal(hashObject(object!.type, object!.data!, format), oid);
    if (type === 'blob' && (n % 8 === 0 || size > 1e6))
      assert.equal(hashObject('blob', await streamed(repo, oid), format), oid);
    assert.equal((await repo.objects.read(oid, size - 1))?.data, null);
  }
}

/** A repository with a history of its own; `seed` says which. */
function history(t: TestContext, seed: number, options: { objectFormat?: string; commits?: number } = {}) {
  const fixture = gitFixture(t, options);
  const random = new Random(seed);
  const git: Run = (args, input) => fixture.git(args, input);
  const made = new Set<string>();
  const add = (commits: number) => git(['fast-import', '--quiet', '--force'], randomCommits(random, commits, made));
  add(options.commits ?? 25);
  return { ...fixture, random, add };
}

const LAYOUTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'deep deltas': [['repack', '-a', '-d', '-f', '-q', '--depth=250', '--window=50']],
  'deltas by offset': [['repack', '-a', '-d', '-f', '-q', '--depth=50', '--window=20']],
  'deltas by id': [['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-a', '-d', '-f', '-q', '--depth=50']],
  'no deltas': [['repack', '-a', '-d', '-f', '-q', '--depth=0']],
  'index of version 1': [['-c', 'pack.indexVersion=1', 'repack', '-a', '-d', '-q']],
  'objects that no ref reaches': [
    ['update-ref', '-d', 'refs/heads/b1'],
    ['repack', '-d', '-q', '--cruft'],
  ],
};

for (const [name, commands] of Object.entries(LAYOUTS)) {
  test(`every object is read as git wrote it: ${name}`, async (t) => {
    const { repo, git } = history(t, 1);
    for (const command of commands) git(command);
    await holdsAll(repo, git);
  });
}

test('every object is read as git wrote it: files of their own', async (t) => {
  const { repo, git, dir } = history(t, 2, { commits: 20 });
  const packs = join(dir, 'objects', 'pack');
  const aside = temporaryFolder(t);
  for (const name of readdirSync(packs)) renameSync(join(packs, name), join(aside, name));
  for (const name of readdirSync(aside).filter((one) => one.endsWith('.pack'))) {
    git(['unpack-objects', '-q'], readFileSync(join(aside, name)));
  }
  await holdsAll(repo, git);
});

test('every object is read as git wrote it: deltas whose own codes take long', async (t) => {
  const { repo, git } = history(t, 7);
  const random = new Random(7);
  const text = Array.from({ length: 30_000 }, () => random.below(256));
  // Some bytes come far more often than others: such deltas are compressed by codes that stand at their beginning.
  const often = Array.from({ length: 256 }, (_, byte) => Array<number>(1 << random.below(12)).fill(byte)).flat();
  const inserted = () => Array.from({ length: 12_000 }, () => often[random.below(often.length)]!);
  const contents = [
    [...text, ...inserted()],
    [...text.slice(0, 15_000), ...inserted(), ...text.slice(15_000)],
  ];
  for (const [n, content] of contents.entries()) {
    git(['update-ref', `refs/tags/content-${n}`, git(['hash-object', '-w', '--stdin'], Buffer.from(content))]);
  }
  git(['repack', '-d', '-q', '-a', '-f', '--depth=50']);
  await holdsAll(repo, git);
});

test('every object is read whose compressed bytes are more than git makes of it', async (t) => {
  const { repo, git } = history(t, 8);
  const sizes = [700, 20_000, 60_000, 100_000, 900_000, 1_500_000];
  const contents = sizes.map((size) => randomBytes(size));
  const entries = contents.map((content) => {
    const header: number[] = [];
    let rest = Math.floor(content.length / 16);
    header.push((3 << 4) | (content.length & 15) | 0x80);
    for (; rest >= 128; rest = Math.floor(rest / 128)) header.push((rest & 127) | 128);
    header.push(rest);
    const compressed = deflateSync(content, { memLevel: 1 });
    assert.ok(content.length < 10_000 || compressed.length > content.length * 1.02);
    return Buffer.concat([Buffer.from(header), compressed]);
  });
  const start = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  start.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([start, ...entries]);
  git(['index-pack', '--stdin'], Buffer.concat([body, createHash('sha1').update(body).digest()]));
  for (const content of contents) {
    const oid = hashObject('blob', content);
    assert.ok((await repo.objects.read(oid, 1e9))?.data?.equals(content), String(content.length));
    assert.ok((await streamed(repo, oid)).equals(content));
  }
});

test('every object is read as git wrote it: SHA-256', async (t) => {
  const { repo, git } = history(t, 3, { objectFormat: 'sha256' });
  git(['repack', '-a', '-d', '-f', '-q', '--depth=50']);
  await holdsAll(repo, git, 'sha256');
  git(['multi-pack-index', 'write']);
  await holdsAll(repo, git, 'sha256');
});

test('every object is read as git wrote it: many packs, then one index over them, then packs beside it', async (t) => {
  const { repo, git, add, dir } = history(t, 4);
  for (let n = 0; n < 5; n += 1) {
    git(['repack', '-d', '-q']);
    add(8);
  }
  await holdsAll(repo, git);
  git(['multi-pack-index', 'write']);
  await holdsAll(repo, git);
  add(8);
  git(['repack', '-d', '-q']);
  await holdsAll(repo, git);
  git(['repack', '-d', '-q', '--geometric=2', '--write-midx']);
  await holdsAll(repo, git);
  assert.ok(readdirSync(join(dir, 'objects', 'pack')).includes('multi-pack-index'));
});

test('every object is read as git wrote it: offsets of 64 bits', async (t) => {
  const { repo, git, dir } = history(t, 5);
  git(['repack', '-a', '-d', '-q']);
  const pack = readdirSync(join(dir, 'objects', 'pack')).find((name) => name.endsWith('.pack'))!;
  const path = join(dir, 'objects', 'pack', pack);
  chmodSync(path.replace(/pack$/, 'idx'), 0o644);
  git(['index-pack', '--index-version=2,0x100', '-o', path.replace(/pack$/, 'idx'), path]);
  await holdsAll(repo, git);
});

test('every object is read as git wrote it: a thin pack that was completed', async (t) => {
  const { repo, git } = history(t, 6);
  git(['repack', '-a', '-d', '-q']);
  const source = history(t, 6);
  source.add(20);
  const old = git(['for-each-ref', '--format=^%(objectname)']).split('\n');
  const sourceOids = source.git(['for-each-ref', '--format=%(objectname)']);
  const bundle = join(temporaryFolder(t), 'thin');
  source.git(['bundle', 'create', '-q', bundle, '--all', ...old]);
  git(['bundle', 'unbundle', bundle]);
  await holdsAll(repo, git);
  assert.equal((await repo.objects.info(sourceOids.split('\n')[0]!))?.type, 'commit');
});

test('every object is read as git wrote it: in folders that others name as alternates', async (t) => {
  const far = history(t, 7);
  far.git(['repack', '-a', '-d', '-q']);
  const near = history(t, 8, { commits: 5 });
  writeFileSync(join(near.dir, 'objects/info/alternates'), `# others\n${join(far.dir, 'objects')}\n`);
  const last = history(t, 9, { commits: 5 });
  writeFileSync(
    join(last.dir, 'objects/info/alternates'),
    `${relative(join(last.dir, 'objects'), join(near.dir, 'objects'))}\n`,
  );
  await holdsAll(last.repo, last.git);
  for (const { oid, type, size } of listed(far.git)) {
    assert.deepEqual(await last.repo.objects.info(oid), { oid, type, size });
  }
});

test('large objects come whole and in pieces, also as deltas', async (t) => {
  const { repo, git, random } = history(t, 10);
  const text = (size: number) => Array.from({ length: size / 40 }, () => random.text(38).padEnd(39)).join('\n');
  const large = text(3_000_000);
  const blobs = [
    large,
    `${large.slice(0, 2_000_000)}changed${large.slice(2_000_100)}`,
    `x${large}`,
    'y'.repeat(5_000_000),
  ];
  for (const blob of blobs) git(['hash-object', '-w', '--stdin'], blob);
  await holdsAll(repo, git);
  const tree = git(
    ['mktree'],
    blobs.map((blob, n) => `100644 blob ${hashObject('blob', Buffer.from(blob))}\tf${n}\n`).join(''),
  );
  git(['update-ref', 'refs/heads/large', git(['commit-tree', tree], 'large')]);
  git(['repack', '-a', '-d', '-f', '-q']);
  await holdsAll(repo, git);
});

test('shortened ids and what follows them mean what git says', async (t) => {
  const { repo, git } = history(t, 11, { commits: 200 });
  git(['tag', '-a', '-m', 'one', 'annotated', 'b0']);
  git(['tag', '-a', '-m', 'two', 'nested', 'annotated']);
  git(['tag', '-a', '-m', 'tree', 'of-tree', 'b0^{tree}']);
  const all = listed(git);
  const names = all.flatMap(({ oid }, n) => {
    const digits = n % 3 === 0 ? [oid] : [oid.slice(0, 4), oid.slice(0, 5 + (n % 9))];
    return digits.flatMap((each) => [
      each,
      `${each}^{commit}`,
      `${each}^{tree}`,
      `${each}^{blob}`,
      `${each}^{}`,
      `${each}^{tag}`,
    ]);
  });
  const answers = git(['cat-file', '--batch-check'], `${names.join('\n')}\n`).split('\n');
  let ambiguous = 0;
  for (const [n, name] of names.entries()) {
    const info = await repo.objects.info(name);
    const answer = answers[n]!;
    if (answer.endsWith(' ambiguous')) ambiguous += 1;
    const expected = / (?:missing|ambiguous)$/.test(answer) ? undefined : answer;
    assert.equal(info === null ? undefined : `${info.oid} ${info.type} ${info.size}`, expected, `${name}: ${answer}`);
  }
  assert.ok(ambiguous > 3, String(ambiguous));
});

test('no bit that is another one on disk makes other content', async (t) => {
  const { repo, git, dir, random, add } = history(t, 12, { commits: 30 });
  git(['repack', '-a', '-d', '-f', '-q', '--depth=50']);
  add(10);
  git(['repack', '-d', '-q']);
  git(['multi-pack-index', 'write']);
  git(['hash-object', '-w', '--stdin'], 'a file of its own');
  const all = listed(git);
  assert.equal((await repo.objects.read(all[0]!.oid, 1e9))?.type, all[0]!.type);
  const files = readdirSync(join(dir, 'objects'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, 'objects', name))
    .filter((path) => statSync(path).isFile() && /\.(?:pack|idx)$|index$|\/[0-9a-f]{38}$/.test(path));
  assert.ok(files.length >= 6, files.join());
  const counts = { sound: 0, damaged: 0, missing: 0 };
  for (let round = 0; round < 100; round += 1) {
    const path = files[round % files.length]!;
    const bytes = readFileSync(path);
    const at = random.below(round % 2 === 0 ? bytes.length : Math.min(bytes.length, 1_100));
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << random.below(8);
    chmodSync(path, 0o644);
    writeFileSync(path, flipped);
    const pool = new RepositoryPool();
    const damaged = pool.get(dir, dir);
    for (let n = 0; n < 20; n += 1) {
      const { oid } = random.pick(all);
      try {
        const object = await damaged.objects.read(oid, 1e9);
        // As to git: an index that does not name an object says nothing of it.
        if (object === null) assert.match(path, /idx$|index$/);
        else assert.equal(hashObject(object.type, object.data!), oid);
        counts[object === null ? 'missing' : 'sound'] += 1;
      } catch (error) {
        assert.ok(error instanceof GitError && error.code === 'corrupt', `${path}, byte ${at}: ${error}`);
        counts.damaged += 1;
      }
    }
    await pool.close();
    writeFileSync(path, bytes);
  }
  assert.ok(counts.sound > 500 && counts.damaged > 30, JSON.stringify(counts));
});

test('a damaged pack that is mended is read again by the same reader', async (t) => {
  const { repo, git, dir } = history(t, 13);
  git(['repack', '-a', '-d', '-q']);
  const pack = readdirSync(join(dir, 'objects', 'pack')).find((name) => name.endsWith('.pack'))!;
  const path = join(dir, 'objects', 'pack', pack);
  const bytes = readFileSync(path);
  const { oid } = listed(git).find(({ type }) => type === 'blob')!;
  chmodSync(path, 0o644);
  writeFileSync(path, Buffer.from(bytes).fill(0x55, 12, bytes.length - 20));
  await assert.rejects(repo.objects.read(oid, 1e9), { code: 'corrupt' });
  writeFileSync(path, bytes);
  assert.equal((await repo.objects.read(oid, 1e9))?.type, 'blob');
});

test('another sound copy is read where one is damaged', async (t) => {
  const { repo, git, dir } = history(t, 14);
  const folder = join(dir, 'objects', 'pack');
  git(['repack', '-a', '-d', '-q', '--depth=0']);
  const [pack] = readdirSync(folder).filter((name) => name.endsWith('.pack'));
  const copy = join(temporaryFolder(t), 'copy.git');
  cpSync(dir, copy, { recursive: true });
  chmodSync(join(folder, pack!), 0o644);
  const bytes = readFileSync(join(folder, pack!));
  writeFileSync(join(folder, pack!), Buffer.from(bytes).fill(0x55, 12, bytes.length - 20));
  mkdirSync(join(dir, 'objects', 'info'), { recursive: true });
  writeFileSync(join(dir, 'objects', 'info', 'alternates'), join(copy, 'objects'));
  for (const { oid, type } of listed(gitFixture(t, { dir: copy }).git)) {
    assert.equal((await repo.objects.read(oid, 1e9))?.type, type);
  }
});

test('a pack that has gone with what it held is found to be lost', async (t) => {
  const { repo, git, dir } = history(t, 15);
  git(['repack', '-a', '-d', '-q']);
  const { oid } = listed(git)[0]!;
  const folder = join(dir, 'objects', 'pack');
  rmSync(join(folder, readdirSync(folder).find((name) => name.endsWith('.pack'))!));
  await assert.rejects(repo.objects.read(oid, 1e9), { code: 'corrupt' });
});

test('contents that are checked in turns are not what others have read meanwhile', async (t) => {
  const { dir, git } = gitFixture(t);
  const contents = Array.from({ length: 20 }, (_, n) => Buffer.alloc(600_000 + n, `${n} text `));
  const oids = contents.map((data) => git(['hash-object', '-w', '--stdin'], data));
  git(['pack-objects', '-q', join(dir, 'objects/pack/pack')], oids.join('\n'));
  git(['prune-packed']);
  const pool = new RepositoryPool({ inlineInflateBytes: 1024 * 1024 });
  t.after(() => pool.close());
  const { objects } = pool.get('one', dir);
  const read = (oid: string) => objects.useBlob(oid, 1024 * 1024, (content) => Buffer.from(content));
  assert.deepEqual(await read(oids[0]!), contents[0]);
  // What is taken for damaged is opened anew, and would not be found.
  rmSync(join(dir, 'objects/pack'), { recursive: true });
  const all = await Promise.all(oids.map(read));
  for (const [n, data] of contents.entries()) assert.ok(all[n]?.equals(data), String(n));
});
