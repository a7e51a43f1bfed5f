import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { oneAuditOf } from '../../../../test/support/audit-trail.ts';
import { PROJECT_FLAGS } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

for (const name of PROJECT_FLAGS) {
  test(`${name} is set, returned and audited`, async () => {
    const json = { name: name.replaceAll('_', '-'), [name]: false };
    const project = expectStatus<Json>(await app.post('/projects', { json }), 201);
    const path = `/projects/${project.id}`;
    assert.equal(expectStatus<Json>(await app.get(path), 200)[name], false);
    const event = await oneAuditOf(app, async () => {
      assert.equal(expectStatus<Json>(await app.put(path, { json: { [name]: true } }), 200)[name], true);
    });
    assert.equal(event.event_name, `project_${name}_updated`);
    assert.deepEqual([event.details.from, event.details.to], ['false', 'true']);
  });
}
