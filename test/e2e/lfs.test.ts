import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { cloneUrl, mustGit, runGitClient } from '../support/git-client.ts';

const CONTENT = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * index) % 251));
const OID = createHash('sha256').update(CONTENT).digest('hex');
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${OID}\nsize ${CONTENT.length}\n`;
const TYPE = 'application/vnd.git-lfs+json';

interface BatchObject {
  oid: string;
  size: number;
  actions?: Record<string, { href: string; header: Record<string, string> }>;
  error?: { code: number; message: string };
}

let app: TestApp;
let url: string;
let folder: string;
let project: { id: number; full_path: string };
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  folder = mkdtempSync(join(tmpdir(), 'stithy-e2e-'));
  project = await app.make.project();
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const basic = (token: string) => `Basic ${Buffer.from(`git:${token}`).toString('base64')}`;

/** The batch API as an LFS client asks it. */
async function batch(operation: string, oid = OID, token: string | null = ROOT_TOKEN) {
  const response = await fetch(`${url}/${project.full_path}.git/info/lfs/objects/batch`, {
    method: 'POST',
    headers: {
      Accept: TYPE,
      'Content-Type': TYPE,
      ...(token === null ? {} : { Authorization: basic(token) }),
    },
    body: JSON.stringify({
      operation,
      transfers: ['basic'],
      ref: { name: 'refs/heads/main' },
      objects: [{ oid, size: CONTENT.length }],
    }),
  });
  const text = await response.text();
  const body = JSON.parse(text === '' ? '{}' : text) as { objects?: BatchObject[] };
  return { status: response.status, type: response.headers.get('content-type'), object: body.objects?.[0] };
}

test('a pointer is pushed with git, its content uploaded and read back by the batch API and the raw file', async () => {
  const work = join(folder, 'work');
  const address = cloneUrl(url, project.full_path, ROOT_TOKEN);
  await mustGit(folder, ['init', '--quiet', '--initial-branch=main', work]);
  writeFileSync(join(work, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  writeFileSync(join(work, 'large.bin'), POINTER);
  // Without the LFS program: its filter must not run.
  const noFilter = ['-c', 'filter.lfs.clean=cat', '-c', 'filter.lfs.smudge=cat', '-c', 'filter.lfs.required=false'];
  await mustGit(work, [...noFilter, 'add', '--all']);
  await mustGit(work, [...noFilter, 'commit', '--quiet', '--message', 'a pointer']);
  const early = await runGitClient(work, ['push', '--quiet', address, 'main']);
  assert.match(early.stderr, /LFS objects are missing/);

  const missing = await batch('download');
  assert.equal(missing.status, 200);
  assert.equal(missing.type, TYPE);
  assert.equal(missing.object?.error?.code, 404);

  const offered = await batch('upload');
  const upload = offered.object!.actions!.upload!;
  const wrong = await fetch(upload.href, { method: 'PUT', headers: upload.header, body: CONTENT.subarray(1) });
  assert.equal(wrong.status, 422);
  await wrong.arrayBuffer();
  assert.equal((await batch('download')).object?.error?.code, 404);
  const sent = await fetch(upload.href, { method: 'PUT', headers: upload.header, body: CONTENT });
  assert.equal(sent.status, 200);
  await sent.arrayBuffer();
  assert.equal((await batch('upload')).object?.actions, undefined);
  await mustGit(work, ['push', '--quiet', address, 'main']);

  const { href, header } = (await batch('download')).object!.actions!.download!;
  const stored = await fetch(href, { headers: header });
  assert.deepEqual(Buffer.from(await stored.arrayBuffer()), CONTENT);

  const raw = `${url}/api/v4/projects/${project.id}/repository/files/large.bin/raw?ref=main`;
  const asPointer = await fetch(raw, { headers: { 'PRIVATE-TOKEN': ROOT_TOKEN } });
  assert.equal(await asPointer.text(), POINTER);
  const asContent = await fetch(`${raw}&lfs=true`, { headers: { 'PRIVATE-TOKEN': ROOT_TOKEN } });
  assert.deepEqual(Buffer.from(await asContent.arrayBuffer()), CONTENT);
  const ignored = await fetch(raw.replace('large.bin', '.gitattributes').concat('&lfs=true'), {
    headers: { 'PRIVATE-TOKEN': ROOT_TOKEN },
  });
  assert.match(await ignored.text(), /^\*\.bin filter=lfs/);
});

test('content of another project cannot be had by its hash, and nobody uploads without the right', async () => {
  const other = await app.make.project();
  const { token } = await app.make.user();
  assert.equal((await batch('upload', OID, null)).status, 401);
  assert.equal((await batch('upload', OID, token)).status, 404);
  const own = project;
  project = other;
  try {
    assert.equal((await batch('download')).object?.error?.code, 404);
  } finally {
    project = own;
  }
});

test('protocol versions 0, 1 and 2 all clone', async () => {
  const address = cloneUrl(url, project.full_path, ROOT_TOKEN);
  for (const version of ['0', '1', '2']) {
    const { code, stderr } = await runGitClient(folder, [
      '-c',
      `protocol.version=${version}`,
      'clone',
      '--quiet',
      '--no-checkout',
      address,
      `protocol-${version}`,
    ]);
    assert.equal(code, 0, stderr);
  }
});
