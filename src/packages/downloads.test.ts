import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { makePackage } from '../../test/support/packages.ts';
import { DownloadTimes } from './download-times.ts';
import { lastDownload, recordDownload } from './downloads.ts';

let app: TestApp;
let clock: TestClock;
let projectId: number;
let writes = 0;
before(async () => {
  clock = new TestClock();
  app = await buildTestApp({
    clock,
    onQuery: ({ sql }) => {
      if (/^update "packages" set "last_downloaded_at"/.test(sql)) writes += 1;
    },
  });
  projectId = (await app.make.project()).id;
});
after(() => app.close());

const rowOf = (id: number) =>
  app.deps.db.selectFrom('packages').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('downloads are known at once, and written together', async () => {
  const [a, b] = [await makePackage(app.deps, projectId), await makePackage(app.deps, projectId)];
  writes = 0;
  for (let n = 0; n < 100; n += 1) {
    clock.advance(1_000);
    for (const { id } of [a, b]) recordDownload(app.deps, id);
  }
  const now = clock.now().toISOString();
  assert.equal(writes, 0);
  assert.equal((await rowOf(a.id)).last_downloaded_at, null);
  assert.equal(lastDownload(app.deps, await rowOf(a.id)), now);
  await app.deps.downloads.flush();
  assert.equal(writes, 1);
  for (const { id } of [a, b]) {
    assert.equal((await rowOf(id)).last_downloaded_at, now);
    assert.equal(lastDownload(app.deps, await rowOf(id)), now);
  }
  await app.deps.downloads.flush();
  assert.equal(writes, 1, 'nothing is left to write');
});

test('a later time that another process wrote stays', async () => {
  const { id } = await makePackage(app.deps, projectId);
  recordDownload(app.deps, id);
  const later = new Date(clock.now().getTime() + 5_000).toISOString();
  await app.deps.db.updateTable('packages').set({ last_downloaded_at: later }).where('id', '=', id).execute();
  assert.equal(lastDownload(app.deps, await rowOf(id)), later);
  await app.deps.downloads.flush();
  assert.equal((await rowOf(id)).last_downloaded_at, later);
});

test('packages that have gone meanwhile are passed over, and more than are kept are written early', async () => {
  const { id } = await makePackage(app.deps, projectId);
  for (let n = 0; n < 10_050; n += 1) recordDownload(app.deps, 1_000_000 + n);
  recordDownload(app.deps, id);
  await app.deps.downloads.flush();
  recordDownload(app.deps, id);
  await app.deps.downloads.flush();
  assert.equal((await rowOf(id)).last_downloaded_at, clock.now().toISOString());
  assert.equal(app.deps.downloads.of(1_000_001), undefined);
});

test('while the database is away the latest times are kept, and one try serves all', async () => {
  let tries = 0;
  let away = true;
  const db = app.deps.db.withPlugin({
    transformQuery: ({ node }) => {
      tries += 1;
      if (away) throw new Error('the database is away');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const { id } = await makePackage(app.deps, projectId);
  const times = new DownloadTimes(db, { log: () => {} });
  const at = clock.now().toISOString();
  for (let n = 0; n < 12_000; n += 1) times.record(2_000_000 + n, at);
  times.record(id, at);
  await times.flush();
  assert.equal(tries, 1);
  for (let n = 0; n < 100; n += 1) times.record(3_000_000 + n, at);
  assert.equal(tries, 1, 'the next try waits for its time');
  assert.equal(times.of(id), at);
  assert.equal(times.of(2_000_000), undefined, 'the oldest gave way');
  away = false;
  await Promise.all([times.flush(), times.flush()]);
  assert.equal(tries, 21, 'once for all who ask');
  assert.equal((await rowOf(id)).last_downloaded_at, at);
  await times.stop();
});
