import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { type RawEntry, rawZip, zip64End, zipOf } from '../../../test/support/zip.ts';
import type { BlobStore, StoredBlob } from '../blob-store.ts';
import { DiskBlobStore } from '../disk-blob-store.ts';
import { ArchiveError, type ArchiveErrorCode } from './archive-error.ts';
import { MAX_ENTRIES } from './directory.ts';
import { Archives } from './zip.archives.ts';

const base = mkdtempSync(join(tmpdir(), 'stithy-zip-'));
after(() => rmSync(base, { recursive: true, force: true }));
const blobs = new DiskBlobStore(join(base, 'blobs'));
const archives = new Archives(blobs, 50_000_000);
const WHOLE = { offset: 0, size: 1_000 };

const put = (bytes: Buffer): Promise<StoredBlob> => blobs.put(Readable.from([bytes]), { maxBytes: 1e9 });
const directoryOf = async (bytes: Buffer) => archives.directory(await put(bytes));
async function open(bytes: Buffer, path: string): Promise<Readable> {
  const blob = await put(bytes);
  const directory = await archives.directory(blob);
  const entry = directory.find(path);
  assert.ok(entry !== undefined, `${path} is not found`);
  return archives.open(blob, directory, entry);
}
const fails = (code: ArchiveErrorCode, words?: RegExp) => (error: unknown) =>
  error instanceof ArchiveError && error.code === code && (words?.test(error.message) ?? true);

describe('a good archive', () => {
  const files = {
    'a.txt': 'one',
    'dir/b.txt': 'two',
    'dir/': '',
    'dir/deep/c/d.txt': 'x'.repeat(100_000),
    'e.txt': '',
  };

  test('gives its files by their paths', async () => {
    const bytes = await zipOf(files);
    for (const path of ['a.txt', 'dir/b.txt', 'dir/deep/c/d.txt', 'e.txt'] as const) {
      assert.equal(await text(await open(bytes, path)), files[path]);
    }
    const directory = await directoryOf(bytes);
    for (const path of ['b.txt', 'dir', 'dir/deep', 'A.TXT', '', 'a.txt/']) {
      assert.equal(directory.find(path), undefined, path);
    }
  });

  test('is listed by directory, with those that only paths name', async () => {
    const directory = await directoryOf(await zipOf(files));
    const paths = (path: string, recursive = false) =>
      directory
        .list(path, recursive, WHOLE)
        .then((listing) => listing?.entries.map((entry) => `${entry.type} ${entry.path}`));
    assert.deepEqual(await paths(''), ['file a.txt', 'directory dir/', 'file e.txt']);
    assert.deepEqual(await paths('dir/'), ['file dir/b.txt', 'directory dir/deep/']);
    assert.deepEqual(await paths('dir/', true), [
      'file dir/b.txt',
      'directory dir/deep/',
      'directory dir/deep/c/',
      'file dir/deep/c/d.txt',
    ]);
    assert.equal(await paths('other/'), undefined);
    assert.equal(await paths('a.txt/'), undefined);
    assert.equal((await directory.list('', true, { offset: 2, size: 2 }))?.total, 7);
    assert.deepEqual(
      (await directory.list('', true, { offset: 2, size: 2 }))?.entries.map(({ path }) => path),
      ['dir/b.txt', 'dir/deep/'],
    );
  });

  test('may be empty, and may hold names of any language', async () => {
    assert.deepEqual(await (await directoryOf(await zipOf({}))).list('', true, WHOLE), { entries: [], total: 0 });
    assert.equal(await text(await open(await zipOf({ 'übung/日本.txt': 'ja' }), 'übung/日本.txt')), 'ja');
  });

  test('may have names of old tools', async () => {
    const bytes = rawZip([
      { name: 'xx.txt', content: Buffer.from('old'), flags: 0 },
      { name: 'plain.txt', content: Buffer.from('plain'), flags: 0 },
    ]);
    // Code page 437 of the first PCs.
    for (let at = bytes.indexOf('xx.txt'); at !== -1; at = bytes.indexOf('xx.txt', at))
      bytes.write('\x81\x84', at, 'latin1');
    assert.equal(await text(await open(bytes, 'üä.txt')), 'old');
    assert.equal(await text(await open(bytes, 'plain.txt')), 'plain');
  });

  test('may have extra fields that cannot be read', async () => {
    const bytes = rawZip([{ name: 'a.txt', content: Buffer.from('a'), extra: Buffer.from([1, 0, 255, 0]) }]);
    assert.equal((await (await directoryOf(bytes)).list('', true, WHOLE))?.entries[0]?.path, 'a.txt');
    assert.equal(await text(await open(bytes, 'a.txt')), 'a');
  });

  test('may have small files behind long headers, and of any size', async () => {
    for (const size of [0, 1, 65_536, 65_537, 131_072, 131_073]) {
      for (const content of [randomBytes(size), Buffer.alloc(size, 'z')]) {
        for (const method of [0, 8]) {
          const bytes = rawZip([
            { name: `${'long/'.repeat(300)}first`, content, method },
            { name: 'second', content, method },
          ]);
          for (const path of [`${'long/'.repeat(300)}first`, 'second']) {
            assert.ok(content.equals(await buffer(await open(bytes, path))), `${path.length} ${size} ${method}`);
          }
        }
      }
    }
  });

  test('with a path twice gives the last, once', async () => {
    const twice = rawZip([
      { name: 'a', content: Buffer.from('old') },
      { name: 'a', content: Buffer.from('new') },
    ]);
    assert.equal(await text(await open(twice, 'a')), 'new');
    assert.equal((await (await directoryOf(twice)).list('', false, WHOLE))?.total, 1);
  });

  test('is read with few reads, and its directory once', async () => {
    const blob = await put(await zipOf(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, `${n}`]))));
    let reads = 0;
    const counted = new Proxy(blobs, {
      get: (target, key) => {
        if (key !== 'get' && key !== 'read') return Reflect.get(target, key);
        reads += 1;
        return target[key].bind(target);
      },
    }) as BlobStore;
    const mine = new Archives(counted, 1_000_000);
    const [directory] = await Promise.all([mine.directory(blob), mine.directory(blob), mine.directory(blob)]);
    assert.equal(await mine.directory(blob), directory);
    assert.equal(reads, 1);
    assert.equal(await text(await mine.open(blob, directory, directory.find('f42')!)), '42');
    assert.equal(reads, 2);
  });

  test('of a hundred thousand files is read while others get their turn', async () => {
    const entries = Array.from(
      { length: 100_000 },
      (_, n): RawEntry => ({ name: `d${n % 10}/${(n * 7919) % 100_000}`, method: 0 }),
    );
    const blob = await put(rawZip(entries, { count: 100_000 & 0xffff, beforeEnd: Buffer.alloc(0) }));
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const directory = await archives.directory(blob);
    clearImmediate(next);
    // The end record has 16 bits for the number of entries, which decides how many are read.
    assert.equal((await directory.list('', true, { offset: 0, size: 1 }))?.total, (100_000 & 0xffff) + 10);
    assert.ok(turns > 10, `${turns} turns`);
  });
});

describe('names that lead out of a folder', () => {
  test('are not there', async () => {
    const names = [
      '../up.txt',
      'dir/../../up.txt',
      'dir/..',
      '/etc/passwd',
      './here.txt',
      'a//b',
      'a/./b',
      'C:/windows.txt',
      '..\\up.txt',
      'dir\\file.txt',
      'null\0byte',
      '.',
      '',
      'x'.repeat(5_000),
    ];
    const directory = await directoryOf(rawZip([...names, 'good.txt', '..dots', 'a..b/c'].map((name) => ({ name }))));
    for (const name of names) assert.equal(directory.find(name), undefined, name.slice(0, 50));
    assert.deepEqual(
      (await directory.list('', true, WHOLE))?.entries.map(({ path }) => path),
      ['..dots', 'a..b/', 'a..b/c', 'good.txt'],
    );
  });
});

describe('a hostile archive', () => {
  const content = Buffer.from('some content of a file');

  test('that is none, or is cut off, is refused', async () => {
    await assert.rejects(directoryOf(Buffer.alloc(0)), fails('malformed'));
    await assert.rejects(directoryOf(Buffer.from('not a zip')), fails('malformed'));
    await assert.rejects(directoryOf(Buffer.alloc(1_000_000)), fails('malformed'));
    const good = rawZip([{ name: 'a', content }]);
    for (const length of [10, 40, good.length - 1, good.length - 22]) {
      await assert.rejects(directoryOf(good.subarray(0, length)), fails('malformed'), String(length));
    }
    await assert.rejects(directoryOf(rawZip([{ name: 'a', content }], { directoryAt: 5 })), fails('malformed'));
    await assert.rejects(
      directoryOf(rawZip([{ name: 'a', content }], { directoryAt: 4_000_000_000 })),
      fails('malformed'),
    );
    await assert.rejects(directoryOf(rawZip([{ name: 'a', content }], { count: 5 })), fails('malformed'));
  });

  test('with too many entries is refused before they are read', async () => {
    const recordAt = BigInt(30 + 1 + 2 + 46 + 1);
    const lying = (count: bigint, directoryAt = 33n) =>
      rawZip([{ name: 'a' }], { beforeEnd: zip64End({ count, directoryAt, recordAt }) });
    await assert.rejects(directoryOf(lying(BigInt(MAX_ENTRIES) + 1n)), fails('too_large', /entries/));
    await assert.rejects(directoryOf(lying(2n ** 63n)), fails('too_large', /entries/));
    await assert.rejects(directoryOf(lying(1n, 2n ** 62n)), fails('malformed'));
    await assert.rejects(directoryOf(lying(1n, 2n ** 64n - 1n)), fails('malformed'));
    assert.equal((await (await directoryOf(lying(1n))).list('', true, WHOLE))?.total, 1);
  });

  test('whose paths name too many directories is not listed', async () => {
    const deep = (n: number) => `${n}/${'a/'.repeat(2_000)}`;
    const directory = await directoryOf(rawZip(Array.from({ length: 200 }, (_, n) => ({ name: deep(n) }))));
    await assert.rejects(directory.list('', true, WHOLE), fails('too_large', /entries/));
    assert.equal(directory.find(deep(7))?.type, 'directory');
  });

  test('whose entries share bytes is refused', async () => {
    const shared: RawEntry[] = [
      { name: 'a', content },
      ...['b', 'c'].map((name) => ({ name, content, offset: 0, shared: true })),
    ];
    await assert.rejects(directoryOf(rawZip(shared)), fails('malformed', /overlap/));
    const inside = [
      { name: 'a', content: Buffer.alloc(1_000, 'x'), method: 0 },
      { name: 'b', content, method: 0, offset: 100, shared: true },
    ];
    await assert.rejects(directoryOf(rawZip(inside)), fails('malformed', /overlap/));
  });

  test('whose entries reach into the directory is refused', async () => {
    const reaching = { name: 'a', content, method: 0, size: 60, packedSize: 60 };
    await assert.rejects(directoryOf(rawZip([reaching])), fails('malformed', /overlaps the directory/));
  });

  test('whose zip64 sizes lie is refused', async () => {
    const extra = Buffer.alloc(20);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(16, 2);
    extra.writeBigUInt64LE(2n ** 63n, 4);
    extra.writeBigUInt64LE(2n ** 63n, 12);
    const lying = { name: 'a', content, extra, size: 0xffffffff, packedSize: 0xffffffff };
    await assert.rejects(directoryOf(rawZip([lying])), fails('malformed'));
  });

  test('that unpacks to far more than it is packed into is not unpacked', async () => {
    const bomb = rawZip([{ name: 'bomb', content: Buffer.alloc(110 * 1024 * 1024) }]);
    assert.ok(bomb.length < 200_000);
    await assert.rejects(open(bomb, 'bomb'), fails('too_large'));
    const huge = rawZip([{ name: 'huge', content, size: 0xffffffff }]);
    await assert.rejects(open(huge, 'huge'), fails('too_large'));
  });

  test('whose file is longer than it says breaks off at that length', async () => {
    const lying = rawZip([{ name: 'a', content: Buffer.alloc(50_000_000), size: 200_000 }]);
    const stream = await open(lying, 'a');
    let seen = 0;
    await assert.rejects(
      async () => {
        for await (const chunk of stream) seen += (chunk as Buffer).length;
      },
      fails('malformed', /longer/),
    );
    assert.ok(seen <= 200_000);
    await assert.rejects(
      buffer(await open(rawZip([{ name: 'a', content, size: 200_000 }]), 'a')),
      fails('malformed', /shorter/),
    );
  });

  test('whose file has another checksum, or no deflated data, fails while it is read', async () => {
    const large = randomBytes(200_000);
    await assert.rejects(
      buffer(await open(rawZip([{ name: 'a', content: large, crc: 1 }]), 'a')),
      fails('malformed', /checksum/),
    );
    const bytes = rawZip([{ name: 'a', content: large }]);
    bytes.fill(0xff, 31, 31 + 10);
    await assert.rejects(buffer(await open(bytes, 'a')));
  });

  test('whose small file is not what it says is refused before a byte of it is given', async () => {
    for (const [lie, words] of [
      [{ content: Buffer.alloc(50_000), size: 1_000 }, /longer/],
      [{ content, method: 0, size: 0, packedSize: content.length }, /two sizes/],
      [{ content, size: 0 }, /longer/],
      [{ content, size: 1_000 }, /shorter/],
      [{ content, crc: 1 }, /checksum/],
      [{ content, method: 0, crc: 1 }, /checksum/],
      [{ content: Buffer.alloc(0), method: 0, crc: 1 }, /checksum/],
    ] as const) {
      await assert.rejects(open(rawZip([{ name: 'a', ...lie }]), 'a'), fails('malformed', words), JSON.stringify(lie));
    }
    const bytes = rawZip([{ name: 'a', content }]);
    bytes.fill(0xff, 31, 31 + 10);
    await assert.rejects(open(bytes, 'a'), fails('malformed', /deflated/));
  });

  test('whose file is encrypted, packed in another way, or has no header is not unpacked', async () => {
    await assert.rejects(
      open(rawZip([{ name: 'a', content, flags: 0x801 }]), 'a'),
      fails('malformed', /encrypted or uses an unsupported/),
    );
    const bzip2 = { name: 'a', content, method: 12 };
    await assert.rejects(open(rawZip([bzip2]), 'a'), fails('malformed', /unsupported compression/));
    const bytes = rawZip([{ name: 'a', content }]);
    bytes.fill(0, 0, 4);
    await assert.rejects(open(bytes, 'a'), fails('malformed', /header/));
  });

  test('shows links for what they are', async () => {
    const directory = await directoryOf(
      rawZip([{ name: 'link', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]),
    );
    assert.equal(directory.find('link')?.type, 'other');
  });

  test('is refused again without being read again', async () => {
    const blob = await put(rawZip([{ name: 'a', content }], { count: 5 }));
    await assert.rejects(archives.directory(blob), fails('malformed'));
    await blobs.delete(blob.sha256);
    await assert.rejects(archives.directory(blob), fails('malformed'));
    const gone = await put(rawZip([{ name: 'b', content }]));
    await blobs.delete(gone.sha256);
    await assert.rejects(archives.directory(gone), fails('gone'));
    await put(rawZip([{ name: 'b', content }]));
    assert.equal((await archives.directory(gone)).find('b')?.size, content.length);
  });
});

test('a reader that goes away ends the reading of the archive', async () => {
  const bytes = rawZip([{ name: 'a', content: Buffer.alloc(30_000_000, 'y'), method: 0 }]);
  const stream = await open(bytes, 'a');
  for await (const _ of stream) break;
  assert.ok(stream.destroyed);
});
