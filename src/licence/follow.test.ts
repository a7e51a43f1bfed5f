import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { licenseKey, makeIssuer } from '../../test/support/licences.ts';
import { systemClock, timestamp } from '../core/clock.ts';
import { silentLogger } from '../core/logger.ts';
import { connect } from '../db/database.ts';
import { open } from '../start.ts';

/* That a license is followed wherever it was added, and that nobody pays for that with statements. */

const issuer = makeIssuer();
let app: TestApp;
let statements: string[] = [];
before(async () => {
  app = await buildTestApp({
    settings: { STITHY_LICENSE_ISSUER: issuer.publicKey, STITHY_PLAN: 'free' },
    onQuery: ({ sql }) => statements.push(sql),
  });
});
after(() => app.close());

const PAID = '/project_aliases';
const paid = async () => (await app.get(PAID)).statusCode;

test('a license that another process adds or removes decides about the next request here', async () => {
  assert.equal(await paid(), 403);
  const elsewhere = await connect(app.deps.config.database);
  try {
    const license = { data: licenseKey(app, issuer), created_at: timestamp(systemClock) };
    for (let n = 0; n < 3; n += 1) {
      await elsewhere.db.insertInto('licenses').values(license).execute();
      await setImmediate();
      assert.equal(await paid(), 200);
      await elsewhere.db.deleteFrom('licenses').execute();
      await setImmediate();
      assert.equal(await paid(), 403);
    }
  } finally {
    await elsewhere.close();
  }
});

test('settings of a paid plan come and go with the license', async () => {
  const license = expectStatus<{ id: number }>(
    await app.post('/license', { json: { license: licenseKey(app, issuer) } }),
    201,
  );
  const json = { prevent_merge_requests_author_approval: true };
  expectStatus(await app.put('/application/settings', { json }), 200);
  assert.equal(app.deps.settings.now.prevent_merge_requests_author_approval, true);
  expectStatus(await app.delete(`/license/${license.id}`), 204);
  assert.equal(app.deps.settings.now.prevent_merge_requests_author_approval, false);
});

test('two servers on one database follow the licenses that either is given', async (t) => {
  if (app.deps.config.database.kind !== 'postgres') {
    t.skip('an embedded database has one server');
    return;
  }
  const second = await open({ ...app.deps.config }, silentLogger, systemClock, false);
  t.after(async () => {
    await second.server.app.close();
    await second.close();
  });
  const there = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) => {
    const headers = { 'private-token': ROOT_TOKEN };
    const answer = await second.server.app.inject({
      method,
      url: `/api/v4${path}`,
      headers,
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, body: answer.body };
  };
  assert.equal((await there('GET', PAID)).status, 403);
  const added = await there('POST', '/license', { license: licenseKey(app, issuer) });
  assert.equal(added.status, 201, added.body);
  assert.equal(await paid(), 200);
  assert.equal((await there('GET', PAID)).status, 200);
  expectStatus(await app.delete(`/license/${JSON.parse(added.body).id}`), 204);
  assert.equal((await there('GET', PAID)).status, 403);
  assert.equal(await paid(), 403);
});

test('the plan costs no statement where none is needed, and on an embedded database none while nothing was committed', async () => {
  expectStatus(await app.post('/license', { json: { license: licenseKey(app, issuer) } }), 201);
  const { token } = await app.make.user();
  const asked = async (path: string, by = token) => {
    statements = [];
    expectStatus(await app.get(path, { token: by }), 200);
    return statements.filter((sql) => sql.includes('"licenses"')).length;
  };
  for (const path of ['/user', '/projects', '/groups', '/issues?scope=all', '/merge_requests?scope=all', '/topics']) {
    assert.equal(await asked(path), 0, path);
  }
  await asked(PAID, ROOT_TOKEN);
  const again = await asked(PAID, ROOT_TOKEN);
  assert.equal(again, app.deps.config.database.kind === 'sqlite' ? 0 : 1);
});

test('jobs are told of the features of the plan', async () => {
  const { serverVariables } = await import('../pipelines/variables/server-variables.ts');
  const features = async () => {
    const all = await serverVariables(app.deps, app.deps.db);
    return all.find(({ key }) => key === 'GITLAB_FEATURES')?.value;
  };
  await app.deps.db.deleteFrom('licenses').execute();
  assert.equal((await features()) ?? '', '');
  expectStatus(await app.post('/license', { json: { license: licenseKey(app, issuer) } }), 201);
  assert.match((await features())!, /merge_request_approvers/);
});
