import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import { DiskBlobStore } from './disk-blob-store.ts';

const base = mkdtempSync(join(tmpdir(), 'stithy-blobs-'));
after(() => rmSync(base, { recursive: true, force: true }));

let root: string;
let store: DiskBlobStore;
beforeEach(() => {
  root = join(mkdtempSync(join(base, 's-')), 'blobs');
  store = new DiskBlobStore(root);
});

const maxBytes = 10_000_000;
const sha = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const from = (content: string | Buffer) => Readable.from([Buffer.from(content)]);
const files = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

test('content comes back by its hash, whole or in part', async () => {
  const content = randomBytes(3_000_000);
  const sha256 = sha(content);
  const stored = await store.put(from(content), { maxBytes, expectedSha256: sha256, expectedSize: content.length });
  assert.deepEqual(stored, { sha256, size: content.length });
  assert.deepEqual(await store.stat(sha256), stored);
  assert.deepEqual(await buffer((await store.get(sha256))!), content);
  assert.deepEqual(await buffer((await store.get(sha256, { start: 10, end: 19 }))!), content.subarray(10, 20));
  assert.deepEqual(files(), [`${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`]);
});

test('empty content is content', async () => {
  const { sha256, size } = await store.put(from(''), { maxBytes: 0 });
  assert.equal(size, 0);
  assert.equal(await text((await store.get(sha256))!), '');
});

test('what is not there is null', async () => {
  assert.equal(await store.get(sha('x')), null);
  assert.equal(await store.stat(sha('x')), null);
  assert.equal(await store.delete(sha('x')), false);
});

test('a wrong hash, a wrong size and too much leave no trace, and the input can still be read', async () => {
  const refused = async (options: object, code: string) => {
    const input = from('hello');
    await assert.rejects(store.put(input, { maxBytes, ...options }), { code });
    assert.deepEqual(files(), []);
    assert.equal(input.destroyed, input.readableEnded);
  };
  await refused({ expectedSha256: sha('other') }, 'mismatch');
  await refused({ expectedSize: 4 }, 'mismatch');
  await refused({ expectedSize: 6 }, 'mismatch');
  await refused({ maxBytes: 4 }, 'too_large');
  await refused({ maxBytes: 4, expectedSize: 5 }, 'too_large');
  assert.equal(await store.stat(sha('hello')), null);
});

test('a name that is no hash never reaches the disk', async () => {
  for (const name of ['../../../etc/passwd', '', sha('x').toUpperCase(), `${sha('x')}\n`]) {
    await assert.rejects(store.get(name), { code: 'invalid' });
    await assert.rejects(store.stat(name), { code: 'invalid' });
    await assert.rejects(store.delete(name), { code: 'invalid' });
    await assert.rejects(store.put(from('x'), { maxBytes, expectedSha256: name }), { code: 'invalid' });
  }
  await assert.rejects(store.get(sha('x'), { start: 5, end: 4 }), { code: 'invalid' });
});

test('an input that breaks off leaves no trace', async () => {
  const input = new PassThrough();
  const stored = store.put(input, { maxBytes });
  input.write('half of it');
  setImmediate(() => input.destroy(new Error('the client went away')));
  await assert.rejects(stored, { message: 'the client went away' });
  assert.deepEqual(files(), []);

  const closed = new PassThrough();
  const second = store.put(closed, { maxBytes });
  closed.write('half of it');
  setImmediate(() => closed.destroy());
  await assert.rejects(second);
  assert.deepEqual(files(), []);
});

test('many writers of the same content at once all succeed, and it is kept once', async () => {
  const content = randomBytes(200_000);
  const stored = await Promise.all(Array.from({ length: 20 }, () => store.put(from(content), { maxBytes })));
  assert.deepEqual(new Set(stored.map(({ sha256 }) => sha256)), new Set([sha(content)]));
  assert.equal(files().length, 1);
  assert.deepEqual(await buffer((await store.get(sha(content)))!), content);
});

test('deleting spares what was put again since', async () => {
  const { sha256 } = await store.put(from('x'), { maxBytes });
  const path = join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  const decided = new Date(Date.now() - 60_000);
  utimesSync(path, decided, new Date(Date.now() - 3_600_000));
  await store.put(from('x'), { maxBytes });
  assert.equal(await store.delete(sha256, decided), false);
  assert.equal(await text((await store.get(sha256))!), 'x');
  assert.equal(await store.delete(sha256), true);
  assert.equal(await store.get(sha256), null);
});

test('deleting spares what is put again between the look at it and its removal', async (t) => {
  const { sha256 } = await store.put(from('twice'), { maxBytes });
  const path = join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  const longAgo = new Date(Date.now() - 7_200_000);
  utimesSync(path, longAgo, longAgo);
  const { stat } = promises;
  const putAgain = async (asked: string) => {
    const stats = await stat(asked);
    if (asked === path) await store.put(from('twice'), { maxBytes });
    return stats;
  };
  const mocked = t.mock.method(promises, 'stat', putAgain as typeof stat, { times: 1 });
  syncBuiltinESMExports();
  try {
    assert.equal(await store.delete(sha256, new Date(Date.now() - 3_600_000)), false);
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
  }
  assert.equal(await text((await store.get(sha256))!), 'twice');
  assert.deepEqual(files(), [path.slice(root.length + 1)]);
});

test('a blob that is deleted while it is read is read to its end', async () => {
  const content = randomBytes(2_000_000);
  const { sha256 } = await store.put(from(content), { maxBytes });
  const reading = (await store.get(sha256))!;
  assert.equal(await store.delete(sha256), true);
  assert.deepEqual(await buffer(reading), content);
});

test('leftovers of a crash are swept, uploads under way are not', async () => {
  const input = new PassThrough();
  const stored = store.put(input, { maxBytes });
  input.write('begun');
  while (!existsSync(root) || files().length === 0) await new Promise(setImmediate);
  assert.equal(await store.removeLeftovers(new Date(Date.now() - 60_000)), 0);
  input.end();
  const { sha256 } = await stored;

  const crashed = new PassThrough();
  store.put(crashed, { maxBytes }).catch(() => {});
  while (files().length === 1) await new Promise(setImmediate);
  assert.equal(await store.removeLeftovers(new Date(Date.now() + 60_000)), 1);
  crashed.destroy();
  assert.notEqual(await store.stat(sha256), null);
});
