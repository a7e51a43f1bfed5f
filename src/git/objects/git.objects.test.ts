import assert from 'node:assert/strict';
import fs, { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { decodeBytes, GitError } from '../common/index.ts';
import { writeInThisThread } from '../files/writer/writing-thread.ts';
import { hashObject, parseCommit, parseTag } from './git.objects.ts';
import { encodeCommit, encodeTree } from './object-encode.ts';
import { ObjectWriter } from './object-writer.ts';
import { parseTree } from './tree-entries.ts';

const invalid = (error: unknown) => error instanceof GitError && error.code === 'invalid';

test('a tree of any entries has the id that git gives it, and parses back to them', (t) => {
  const { git } = gitFixture(t);
  const blob = git(['hash-object', '-w', '--stdin'], 'x');
  const tree = git(['mktree'], '');
  const byte = fc.integer({ min: 1, max: 255 }).filter((value) => value !== 0x2f);
  const name = fc.oneof(
    fc.array(byte, { minLength: 1, maxLength: 4 }).map((bytes) => decodeBytes(Buffer.from(bytes))),
    fc.constantFrom('a', 'a-', 'a.', 'a0', 'ab', 'a/'.slice(0, 1), 'é', '\uffff', '😀'),
  );
  const entry = fc.record({ name, mode: fc.constantFrom('100644', '100755', '120000', '040000') });
  const set = fc.uniqueArray(entry, { selector: (one) => one.name, maxLength: 12 });
  const trees = fc
    .sample(set, 150)
    .map((entries) => entries.map((one) => ({ ...one, oid: one.mode === '040000' ? tree : blob })));
  const input = trees.map((entries) => {
    const parts = entries.flatMap((one) => {
      const type = one.mode === '040000' ? 'tree' : 'blob';
      return [Buffer.from(`${one.mode} ${type} ${one.oid}\t`), encodeTreeName(one.name), Buffer.from([0])];
    });
    return Buffer.concat([...parts, Buffer.from([0])]);
  });
  const oids = git(['mktree', '-z', '--batch'], Buffer.concat(input)).split('\n');
  assert.equal(oids.length, trees.length);
  for (const [at, entries] of trees.entries()) {
    const data = encodeTree(entries);
    assert.equal(hashObject('tree', data), oids[at], JSON.stringify(entries));
    const parsed = parseTree(tree, data).map(({ name, mode, oid }) => ({ name, mode, oid }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    assert.deepEqual(parsed.sort(byName), entries.map(({ name, mode, oid }) => ({ name, mode, oid })).sort(byName));
  }
});

function encodeTreeName(name: string): Buffer {
  const data = encodeTree([{ name, mode: '100644', oid: '1'.repeat(40) }]);
  return data.subarray('100644 '.length, data.length - 21);
}

test('trees that git would refuse are not made', () => {
  const oid = '1'.repeat(40);
  for (const name of ['', 'a/b', 'a\0']) assert.throws(() => encodeTree([{ name, mode: '100644', oid }]), invalid);
  const twice = [
    { name: 'a', mode: '100644', oid },
    { name: 'a', mode: '040000', oid },
  ];
  assert.throws(() => encodeTree(twice), invalid);
  assert.throws(() => encodeTree([{ name: 'a', mode: '777', oid }]), invalid);
  assert.throws(() => encodeTree([{ name: 'a', mode: '100644', oid: 'x' }]), invalid);
});

test('any identity and message make a commit that passes the strict check of git', (t) => {
  const { git } = gitFixture(t);
  const tree = git(['mktree'], '');
  const text = fc.string({
    unit: fc.constantFrom('a', 'é', ' ', '<', '>', '\n', '\0', '\t', '.', '"', '\ud800', '😀'),
  });
  const date = fc.date({ min: new Date(0), max: new Date('2090-01-01'), noInvalidDate: true });
  const folder = temporaryFolder(t);
  const files: string[] = [];
  const oids: string[] = [];
  for (const [name, email, message, when] of fc.sample(fc.tuple(text, text, text, date), 150)) {
    const who = { name: `n${name}`, email, date: when, timezone: '+0530' };
    const data = encodeCommit({ tree, parents: [], author: who, committer: who, message });
    files.push(join(folder, String(files.length)));
    writeFileSync(files.at(-1)!, data);
    oids.push(hashObject('commit', data));
    const parsed = parseCommit('1'.repeat(40), data);
    assert.equal(parsed.author.timestamp, Math.floor(when.getTime() / 1000));
    assert.equal(parsed.author.timezone, '+0530');
    assert.deepEqual(parsed.parents, []);
    assert.ok(!/[<>\n\0]/.test(parsed.author.name + parsed.author.email));
  }
  // It ends at the first that does not pass.
  const gitOids = git(['hash-object', '-t', 'commit', '--stdin-paths'], `${files.join('\n')}\n`).split('\n');
  for (const [at, oid] of oids.entries()) assert.equal(gitOids[at], oid);
  const who = { name: 'a', email: 'a', date: new Date(0) };
  const rest = { tree, parents: [], committer: who, message: '' };
  assert.throws(() => encodeCommit({ ...rest, author: { ...who, date: new Date(Number.NaN) } }), invalid);
  assert.throws(() => encodeCommit({ ...rest, author: { ...who, date: new Date(-1_000_000) } }), invalid);
  assert.throws(() => encodeCommit({ ...rest, author: { ...who, timezone: '+00:00' } }), invalid);
  assert.throws(() => encodeCommit({ ...rest, author: who, parents: ['main'] }), invalid);
});

test('a commit keeps its names, dates and message, whatever wide encoding it claims', () => {
  for (const encoding of ['UTF-16LE', 'utf-16', 'UTF-16BE', 'UCS-2', 'UTF-32']) {
    const text = `tree ${'a'.repeat(40)}\nauthor Jü <j@x> 1700000000 +0100\ncommitter C <c@x> 1700000001 +0000\nencoding ${encoding}\n\nHello ü\n`;
    const commit = parseCommit('b'.repeat(40), Buffer.from(text));
    const { name, email, timestamp, timezone } = commit.author;
    assert.deepEqual([name, email, timestamp, timezone], ['Jü', 'j@x', 1_700_000_000, '+0100']);
    assert.deepEqual([commit.committer.name, commit.message, commit.encoding], ['C', 'Hello ü\n', encoding]);
  }
});

test('commits with signatures, encodings and odd identities are read', () => {
  const oid = 'a'.repeat(40);
  const head = `tree ${oid}\nparent ${oid}\nparent ${oid}\n`;
  const signed = parseCommit(
    oid,
    Buffer.from(
      `${head}author A <a@b> 1 +0000\ncommitter B <> 2 -0100\ngpgsig -----BEGIN X-----\n \n abc\n -----END X-----\n\nm\n`,
    ),
  );
  assert.equal(signed.signature, '-----BEGIN X-----\n\nabc\n-----END X-----');
  assert.deepEqual([signed.parents.length, signed.message, signed.committer.email], [2, 'm\n', '']);
  const latin = Buffer.from(
    `tree ${oid}\nauthor J\xfcrgen <j@x> 1 +0000\ncommitter J\xfc <j> 1 +0000\nencoding ISO-8859-1\n\n\xfc`,
    'latin1',
  );
  assert.deepEqual([parseCommit(oid, latin).author.name, parseCommit(oid, latin).message], ['Jürgen', 'ü']);
  const odd = parseCommit(oid, Buffer.from(`tree ${oid}\nauthor <x>\ncommitter No Date <y> abc\n\n`));
  assert.deepEqual(
    [odd.author.name, odd.author.email, odd.author.timestamp, odd.committer.name],
    ['', 'x', 0, 'No Date'],
  );
  for (const text of ['', 'tree x\n\n', `tree ${oid}\nparent x\n\n`]) {
    assert.throws(
      () => parseCommit(oid, Buffer.from(text)),
      (error) => error instanceof GitError && error.code === 'corrupt',
    );
  }
  assert.throws(() => parseTree(oid, Buffer.from('100644 a\0short')), /cut short/);
  const tag = `object ${oid}\ntype commit\ntag v1\n\nmessage\n-----BEGIN PGP SIGNATURE-----\nx\n`;
  assert.deepEqual(parseTag(oid, Buffer.from(tag)), {
    oid,
    object: oid,
    type: 'commit',
    name: 'v1',
    tagger: null,
    message: 'message\n',
    signature: '-----BEGIN PGP SIGNATURE-----\nx\n',
  });
});

test('written objects are whole, read-only, known to git, and leave no temporary file', async (t) => {
  const { dir, git } = gitFixture(t);
  const contents = Array.from({ length: 100 }, (_, i) => Buffer.alloc(i * i * 20, `line ${i}\n`));
  const objects = contents.map((data) => ({ type: 'blob' as const, data }));
  const oids = await new ObjectWriter(dir).write([...objects, ...objects.slice(0, 5)]);
  assert.deepEqual(oids.slice(100), oids.slice(0, 5));
  for (const [i, data] of contents.entries()) {
    assert.equal(oids[i], git(['hash-object', '--stdin'], data));
    assert.equal(Number(git(['cat-file', '-s', oids[i]!])), data.length);
  }
  const files = readdirSync(join(dir, 'objects'), { recursive: true, encoding: 'utf8' });
  assert.equal(
    files.some((file) => file.includes('tmp_')),
    false,
  );
  assert.equal(statSync(join(dir, 'objects', oids[0]!.slice(0, 2), oids[0]!.slice(2))).mode & 0o777, 0o444);
  git(['fsck', '--full', '--strict']);
});

test('an object that is there already is kept and counts as used just now', async (t) => {
  const { dir, git } = gitFixture(t);
  const oid = git(['hash-object', '-w', '--stdin'], 'x');
  const path = join(dir, 'objects', oid.slice(0, 2), oid.slice(2));
  const { ino } = statSync(path);
  utimesSync(path, new Date(0), new Date(0));
  const [again] = await new ObjectWriter(dir).write([{ type: 'blob', data: Buffer.from('x') }]);
  assert.equal(again, oid);
  assert.equal(statSync(path).ino, ino);
  assert.ok(statSync(path).mtimeMs > 1_000);
});

test('two writers of the same objects at once both succeed', async (t) => {
  const { dir, git } = gitFixture(t);
  const objects = Array.from({ length: 40 }, (_, i) => ({ type: 'blob' as const, data: Buffer.from(`same ${i}`) }));
  const all = await Promise.all(Array.from({ length: 4 }, () => new ObjectWriter(dir).write(objects)));
  for (const oids of all) assert.deepEqual(oids, all[0]);
  assert.ok(all[0]!.every((oid) => existsSync(join(dir, 'objects', oid.slice(0, 2), oid.slice(2)))));
  git(['fsck', '--full', '--strict']);
});

test('objects are written that are packed, and whose folders go, as soon as they are in their places', async (t) => {
  const { dir, git } = gitFixture(t);
  const objects = join(dir, 'objects');
  const { renameSync, openSync } = fs;
  const opened: string[] = [];
  const writeApart = writeInThisThread();
  t.after(() => {
    writeApart();
    Object.assign(fs, { renameSync, openSync });
    syncBuiltinESMExports();
  });
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    git(['pack-objects', '-q', join(objects, 'pack', 'pack')], String(to).slice(-41).replace('/', ''));
    git(['prune-packed']);
  };
  fs.openSync = (path, flags, mode) => {
    opened.push(String(path));
    return openSync(path, flags, mode);
  };
  syncBuiltinESMExports();
  const [oid] = await new ObjectWriter(dir).write([{ type: 'blob', data: Buffer.from('packed') }]);
  assert.equal(git(['cat-file', 'blob', oid!]), 'packed');
  assert.deepEqual(readdirSync(objects).toSorted(), ['info', 'pack']);
  assert.ok(opened.includes(join(objects, 'pack')), opened.join('\n'));
  rmSync(objects, { recursive: true });
  await assert.rejects(new ObjectWriter(dir).write([{ type: 'blob', data: Buffer.from('lost') }]));
});

test('a write that fails leaves no temporary file', async (t) => {
  const { dir } = gitFixture(t);
  const missing = join(dir, 'not-there');
  await assert.rejects(new ObjectWriter(missing).write([{ type: 'blob', data: Buffer.from('x') }]));
  assert.equal(existsSync(missing), false);
});
