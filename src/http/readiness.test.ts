import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

type Check = { status: string; message?: string }[];
type State = { status: string; db_check: Check; disk_check: Check; git_check: Check };

test('readiness says what is missing: git, a storage', async () => {
  assert.equal(expectStatus<State>(await app.get('/-/readiness'), 200).status, 'ok');
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  const withoutGit = await app.get('/-/readiness');
  process.env.PATH = path;
  const noGit = expectStatus<State>(withoutGit, 503);
  assert.deepEqual(noGit.git_check, [{ status: 'failed', message: 'git cannot be found on PATH' }]);
  assert.equal(noGit.db_check[0]?.status, 'ok');
  const storage = app.deps.config.storages[0]!.path;
  await rename(storage, `${storage}-away`);
  const noDisk = expectStatus<State>(await app.get('/-/readiness'), 503);
  assert.equal(noDisk.disk_check[0]?.status, 'failed');
  await rename(`${storage}-away`, storage);
  expectStatus(await app.get('/-/readiness'), 200);
});
