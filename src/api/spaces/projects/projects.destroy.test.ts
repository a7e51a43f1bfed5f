import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../test/support/app.ts';
import { destroyProject } from './projects.destroy.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('a destroyed project leaves no row, and no repository once the background work is done', async () => {
  const { deps, make } = app;
  const project = await make.project();
  const fork = await make.project({ columns: { forked_from_id: project.id } });
  const { developer } = await make.members(project);
  const dir = deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
  await destroyProject(deps, project, developer.user.id);
  const rows = await deps.db.selectFrom('projects').selectAll().where('id', 'in', [project.id, fork.id]).execute();
  assert.deepEqual(
    rows.map(({ id, forked_from_id }) => ({ id, forked_from_id })),
    [{ id: fork.id, forked_from_id: null }],
  );
  const members = await deps.db
    .selectFrom('members')
    .select('id')
    .where('source_type', '=', 'project')
    .where('source_id', '=', project.id)
    .execute();
  assert.deepEqual(members, []);
  assert.equal(existsSync(dir), true);
  await app.drain();
  assert.equal(existsSync(dir), false);
  const event = await deps.db
    .selectFrom('domain_events')
    .selectAll()
    .where('type', '=', 'project.destroyed')
    .executeTakeFirstOrThrow();
  const { project: projectFacts, ...payload } = JSON.parse(event.payload);
  assert.deepEqual(payload, { project_id: project.id, full_path: project.full_path });
  assert.deepEqual([projectFacts.name, projectFacts.visibility], [project.name, project.visibility]);
  assert.equal(event.actor_id, developer.user.id);
});
