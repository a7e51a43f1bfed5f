import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { type Entry, extract } from 'tar-stream';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';

let app: TestApp;
let project: number;
const large = randomBytes(3_000_000);
const longName = `folder/${'long-name-'.repeat(14)}.bin`;
let pointer: string;
let unknown: string;
before(async () => {
  app = await buildTestApp();
  ({ id: project } = expectStatus<{ id: number }>(await app.post('/projects', { json: { name: 'p' } }), 201));
  const put = (bytes: Buffer) => app.deps.blobs.put(Readable.from([bytes]), { maxBytes: 10_000_000 });
  const text = (oid: string, size: number) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
  const { sha256, size } = await put(large);
  const row = { project_id: project, oid: sha256, size, created_at: new Date().toISOString() };
  await app.deps.db.insertInto('lfs_objects').values(row).execute();
  // An object of another project is not accessible by its id.
  const other = await put(Buffer.from('a secret'));
  pointer = text(sha256, size);
  unknown = text(other.sha256, 8);
  const create = (file_path: string, content: string) => ({ action: 'create', file_path, content });
  const actions = [
    create(longName, pointer),
    create('other.bin', unknown),
    create('plain.txt', 'plain'),
    { ...create('run.sh', '#!/bin/sh\n'), execute_filemode: true },
    create('large.txt', 'x'.repeat(5_000)),
  ];
  await commitFiles(app, project, actions);
});
after(() => app.close());

interface File {
  content: Buffer;
  mode: number;
}

async function tarFiles(bytes: Buffer): Promise<Map<string, File>> {
  const files = new Map<string, File>();
  const entries = extract();
  entries.end(bytes);
  for await (const entry of entries as AsyncIterable<Entry>) {
    const { name, mode = 0, type } = entry.header;
    const content = await buffer(entry);
    if (type === 'file') files.set(name.slice(name.indexOf('/') + 1), { content, mode: mode & 0o777 });
  }
  return files;
}

/** Reads the files of a zip by its directory at the end. */
function zipFiles(bytes: Buffer): Map<string, File> {
  const files = new Map<string, File>();
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  for (let at = bytes.readUInt32LE(end + 16); at < end; ) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    const content = bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed;
    const mode = (bytes.readUInt32LE(at + 38) >>> 16) & 0o777;
    if (!name.endsWith('/')) files.set(name.slice(name.indexOf('/') + 1), { content, mode });
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

async function filesOf(format: string, query = ''): Promise<Map<string, File>> {
  const response = await app.get(`/projects/${project}/repository/archive.${format}${query}`);
  assert.equal(response.statusCode, 200, response.body.slice(0, 500));
  const bytes = response.rawPayload;
  if (format === 'zip') return zipFiles(bytes);
  return tarFiles(format === 'tar' ? bytes : gunzipSync(bytes));
}

for (const format of ['tar', 'tar.gz', 'zip']) {
  test(`a ${format} has LFS objects in the place of their pointers`, async () => {
    const files = await filesOf(format);
    assert.deepEqual([...files.keys()].sort(), [longName, 'large.txt', 'other.bin', 'plain.txt', 'run.sh'].sort());
    assert.ok(files.get(longName)!.content.equals(large));
    assert.equal(files.get('other.bin')!.content.toString(), unknown);
    assert.equal(files.get('plain.txt')!.content.toString(), 'plain');
    assert.equal(files.get('large.txt')!.content.length, 5_000);
    assert.equal(files.get('run.sh')!.mode & 0o111, 0o111);
    assert.equal(files.get('plain.txt')!.mode & 0o111, 0);
  });
}

test('pointers stay where the client wants them, and such an archive has another tag', async () => {
  const files = await filesOf('tar', '?include_lfs_blobs=false');
  assert.equal(files.get(longName)!.content.toString(), pointer);
  const tag = async (query: string) =>
    (await app.head(`/projects/${project}/repository/archive.tar${query}`)).headers.etag;
  assert.notEqual(await tag(''), await tag('?include_lfs_blobs=false'));
});

test('bzip2 packs it too, where the machine has it', async () => {
  const response = await app.get(`/projects/${project}/repository/archive.tar.bz2`);
  if (response.statusCode === 406) return;
  assert.equal(response.rawPayload.toString('latin1', 0, 3), 'BZh');
  assert.ok(response.rawPayload.length > large.length);
});

test('a client that goes away ends the work behind the archive', async () => {
  const url = await app.listen();
  const stop = new AbortController();
  const address = `${url}/api/v4/projects/${project}/repository/archive.tar`;
  const response = await fetch(address, {
    headers: { 'private-token': 'glpat-root-token-for-the-tests' },
    signal: stop.signal,
  });
  await response.body!.getReader().read();
  stop.abort();
  assert.equal((await app.get(`/projects/${project}/repository/archive.tar`)).statusCode, 200);
});
