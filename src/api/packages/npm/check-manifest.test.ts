import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { npmPublication } from '../../../../test/support/npm-packages.ts';
import { paxAttribute, tarEntry, tarGzOf } from '../../../../test/support/tar.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { packageJsonOf } from './check-manifest.ts';

let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
});
after(() => app.close());

const named = (name: string, version: string) => JSON.stringify({ name, version });

/** Publishes a file as a version and runs the check. @returns what becomes of the version */
async function published(name: string, version: string, bytes: Buffer): Promise<string> {
  const json = npmPublication(name, version, { bytes });
  expectStatus(await app.put(`/projects/${project.id}/packages/npm/${name}`, { json }), 200);
  await app.drain();
  const row = await app.deps.db
    .selectFrom('packages')
    .select(['status', 'status_message'])
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  return row.status_message ?? row.status;
}

describe('a version whose file says that it is another one', () => {
  const error = 'Package manifest is not coherent';

  test('is not installed any more', async () => {
    const other = await tarGzOf([['package/package.json', named('evil', '1.0.0')]]);
    assert.equal(await published('good', '1.0.0', other), error);
    expectStatus(await app.get(`/projects/${project.id}/packages/npm/good`), 404);
    expectStatus(await app.get(`/projects/${project.id}/packages/npm/good/-/good-1.0.0.tgz`), 404);
    const older = await tarGzOf([['package/package.json', named('good', '0.9.0')]]);
    assert.equal(await published('good', '1.1.0', older), error);
    const both = await tarGzOf([
      ['package/package.json', named('good', '1.2.0')],
      ['package/package.json', named('evil', '1.2.0')],
    ]);
    assert.equal(await published('good', '1.2.0', both), error);
    assert.equal(await published('good', '1.3.0', await tarGzOf([['any/package.json', '{"name":5}']])), error);
  });

  test('is none where npm reads it as the same, and where there is nothing to read', async () => {
    const files: [string, string][] = [
      ['package/readme.md', 'x'.repeat(100_000)],
      ['package/node_modules/other/package.json', named('other', '5.0.0')],
      ['package/package.json', `\uFEFF${named(' fine ', 'v1.0.0+build.5')}`],
    ];
    assert.equal(await published('fine', '1.0.0', await tarGzOf(files)), 'default');
    assert.equal(await published('fine', '1.1.0', Buffer.from('no archive')), 'default');
    assert.equal(await published('fine', '1.2.0', await tarGzOf([['package/readme.md', 'x']])), 'default');
    assert.equal(await published('fine', '1.3.0', await tarGzOf([['package/package.json', '{']])), 'default');
    const cut = (await tarGzOf([['package/package.json', named('evil', '1.0.0')]])).subarray(0, 40);
    assert.equal(await published('fine', '1.4.0', cut), 'default');
  });

  test('is not looked for without end', async () => {
    const bytes = await tarGzOf([
      ['package/large', 'x'.repeat(1_000_000)],
      ['package/package.json', named('late', '1.0.0')],
    ]);
    const { signal } = new AbortController();
    const look = (maxBytes: number) => packageJsonOf(Readable.from([bytes]), maxBytes, signal);
    assert.deepEqual(await look(2_000_000), { name: 'late', version: '1.0.0' });
    assert.equal(await look(900_000), null);
  });
});

test('an archive is read no further than to headers without an end, and to entries without a length', async () => {
  const manifest = tarEntry('package/package.json', named('good', '1.0.0'));
  const read = (...parts: Buffer[]) =>
    packageJsonOf(Readable.from([gzipSync(Buffer.concat(parts))]), 1e9, new AbortController().signal);
  const good = { name: 'good', version: '1.0.0' };
  assert.deepEqual(await read(paxAttribute('comment', 'x'), manifest), good);
  for (const type of ['x', 'g', 'L', 'K']) {
    assert.equal(await read(tarEntry('long', Buffer.alloc(2 * 1024 * 1024), { type }), manifest), null, type);
  }
  for (const size of ['x', '-5', '1e400']) {
    assert.deepEqual(await read(manifest, paxAttribute('size', size), tarEntry('package/a', 'a')), good, size);
  }
});
