import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { DEFAULT, flagProject } from '../../../../test/support/feature-flags.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const setting = () => flagProject(app);

describe('feature flags are for Developers', () => {
  test('in a private project', async () => {
    const { path, project, create } = await setting();
    await create({ name: 'flag' });
    const seen: Record<string, number[]> = {};
    for (const [role, { token }] of Object.entries(await app.make.members(project))) {
      const name = `by-${role}`;
      seen[role] = [
        (await app.get(path, { token })).statusCode,
        (await app.get(`${path}/flag`, { token })).statusCode,
        (await app.put(`${path}/flag`, { token, json: { active: false } })).statusCode,
        (await app.post(path, { token, json: { name } })).statusCode,
        (await app.delete(`${path}/${role === 'stranger' ? 'flag' : name}`, { token })).statusCode,
      ];
    }
    const may = [200, 200, 200, 201, 200];
    const no = [403, 403, 403, 403, 403];
    assert.deepEqual(seen, {
      guest: no,
      planner: no,
      reporter: no,
      developer: may,
      maintainer: may,
      owner: may,
      stranger: [404, 404, 404, 404, 404],
    });
    for (const response of [
      await app.get(path, { token: null }),
      await app.get(`${path}/flag`, { token: null }),
      await app.post(path, { token: null, json: { name: 'ab' } }),
      await app.put(`${path}/flag`, { token: null, json: {} }),
      await app.delete(`${path}/flag`, { token: null }),
    ]) {
      expectStatus(response, 401);
    }
    expectStatus(await app.get('/projects/999999/feature_flags'), 404);
  });

  test('and refused to everybody where they are switched off', async () => {
    const { path, project } = await setting();
    const { maintainer, stranger } = await app.make.members(project);
    await app.deps.db
      .updateTable('projects')
      .set({ visibility: 'public', feature_flags_access_level: 'disabled' })
      .where('id', '=', project.id)
      .execute();
    expectStatus(await app.get(path, { token: maintainer.token }), 403);
    expectStatus(await app.post(path, { token: maintainer.token, json: { name: 'ab' } }), 403);
    for (const each of [path, `${path}/x`]) expectStatus(await app.get(each, { token: stranger.token }), 403);
    await app.deps.db
      .updateTable('projects')
      .set({ feature_flags_access_level: 'private' })
      .where('id', '=', project.id)
      .execute();
    expectStatus(await app.get(path, { token: maintainer.token }), 200);
    for (const each of [path, `${path}/x`]) expectStatus(await app.get(each, { token: stranger.token }), 403);
  });

  test('and read alone in an archived project', async () => {
    const { path, project, create } = await setting();
    await create({ name: 'flag' });
    expectStatus(await app.post(`/projects/${project.id}/archive`), 201);
    expectStatus(await app.get(path), 200);
    expectStatus(await app.post(path, { json: { name: 'ab' } }), 403);
    expectStatus(await app.delete(`${path}/flag`), 403);
  });
});

test('flags go with their project, and with the user whose project it is', async () => {
  const { user } = await app.make.user();
  for (const remove of ['project', 'user'] as const) {
    const owner = remove === 'user' ? user : (await app.make.user()).user;
    const project = await app.make.project({ owner });
    const path = `/projects/${project.id}`;
    const json = { name: 'list', user_xids: 'a' };
    const { id } = expectStatus<{ id: number }>(await app.post(`${path}/feature_flags_user_lists`, { json }), 201);
    const strategies = [{ name: 'svcUserList', user_list_id: id }, DEFAULT];
    expectStatus(await app.post(`${path}/feature_flags`, { json: { name: 'ab', strategies } }), 201);
    if (remove === 'project') expectStatus(await app.delete(path), 202);
    else expectStatus(await app.delete(`/users/${owner.id}?hard_delete=true`), 204);
    await app.drain();
    for (const table of ['feature_flags', 'feature_flag_user_lists', 'feature_flags_clients'] as const) {
      const left = await app.deps.db.selectFrom(table).select('id').where('project_id', '=', project.id).execute();
      assert.deepEqual(left, [], `${remove}: ${table}`);
    }
  }
});
