import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { auditOf } from '../../../test/support/audit-trail.ts';
import { changeSettings } from '../../../test/support/settings.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('exports and what is fetched of them are told, those of administrators unless they shall be silent', async () => {
  const project = await app.make.project();
  const ann = await app.make.user();
  await app.make.member({ project }, ann.user, 40);
  const path = `/projects/${project.id}`;
  const take = (token?: string) => async () => {
    const by = token === undefined ? {} : { token };
    expectStatus(await app.post(`${path}/export`, by), 202);
    expectStatus(await app.post(`${path}/export_relations`, by), 202);
    await app.drain();
    assert.equal((await app.get(`${path}/export/download`, by)).statusCode, 200);
    assert.equal(
      (await app.get(`${path}/export_relations/download`, { ...by, query: { relation: 'issues' } })).statusCode,
      200,
    );
  };
  const namesOf = async (token?: string) => (await auditOf(app, take(token))).map(({ event_name }) => event_name);
  const all = [
    'project_export_created',
    'project_relation_export_created',
    'project_export_file_download_started',
    'project_relation_export_download_started',
  ];
  assert.deepEqual(await namesOf(), all);
  await changeSettings(app, { silent_admin_exports_enabled: true, project_download_export_limit: 0 });
  assert.deepEqual(await namesOf(), []);
  assert.deepEqual(await namesOf(ann.token), all);
});
