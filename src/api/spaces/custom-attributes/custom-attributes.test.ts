import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
const paths: string[] = [];
before(async () => {
  app = await buildTestApp();
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const { user } = await app.make.user();
  paths.push(`/users/${user.id}`, `/groups/${group.path}`, `/projects/${encodeURIComponent(project.full_path)}`);
});
after(() => app.close());

test('custom attributes of users, groups and projects are set, listed, read and removed', async () => {
  for (const path of paths) {
    const all = `${path}/custom_attributes`;
    assert.deepEqual(expectStatus(await app.get(all), 200), []);
    for (const value of ['red', 'blue']) {
      const set = await app.put(`${all}/team%2Fname`, { json: { value } });
      assert.deepEqual(expectStatus(set, 200), { key: 'team/name', value });
    }
    assert.deepEqual(expectStatus(await app.get(all), 200), [{ key: 'team/name', value: 'blue' }]);
    assert.deepEqual(expectStatus(await app.get(`${all}/team%2Fname`), 200), { key: 'team/name', value: 'blue' });
    expectStatus(await app.delete(`${all}/team%2Fname`), 204);
    assert.equal(expectStatus(await app.delete(`${all}/team%2Fname`), 404).message, '404 Not found');
    assert.equal(expectStatus(await app.get(`${all}/team%2Fname`), 404).message, '404 Not found');
    expectStatus(await app.put(`${all}/x`, { json: { value: '' } }), 400);
  }
});

test('custom attributes are for administrators', async () => {
  const { token } = await app.make.user();
  for (const path of paths) {
    const all = `${path}/custom_attributes`;
    expectStatus(await app.get(all, { token: null }), 401);
    for (const response of [
      await app.get(all, { token }),
      await app.get(`${all}/k`, { token }),
      await app.put(`${all}/k`, { token, json: { value: 'v' } }),
      await app.delete(`${all}/k`, { token }),
    ]) {
      expectStatus(response, 403);
    }
  }
});

test('custom attributes of what does not exist are 404', async () => {
  for (const [kind, name] of [
    ['users', 'User'],
    ['groups', 'Group'],
    ['projects', 'Project'],
  ]) {
    const body = expectStatus(await app.get(`/${kind}/999999/custom_attributes`), 404);
    assert.equal(body.message, `404 ${name} Not Found`);
  }
});
