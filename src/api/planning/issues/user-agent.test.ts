import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('where an issue came from is for administrators', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { owner, stranger } = await app.make.members(project);
  const path = `/projects/${project.id}/issues`;
  const headers = { 'user-agent': `A browser ${'x'.repeat(2_000)}` };
  const { iid } = expectStatus(
    await app.post(path, { json: { title: 'x', confidential: true }, headers, token: stranger.token }),
    201,
  );
  const detail = `${path}/${iid}/user_agent_detail`;
  assert.deepEqual(expectStatus(await app.get(detail), 200), {
    user_agent: headers['user-agent'].slice(0, 1_000),
    ip_address: '127.0.0.1',
    akismet_submitted: false,
  });
  for (const { token } of [owner, stranger]) expectStatus(await app.get(detail, { token }), 403);
  expectStatus(await app.get(detail, { token: null }), 401);
  expectStatus(await app.get(`${path}/9999/user_agent_detail`), 404);
});

test('of an issue that was made without a request nothing is known', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/issues`;
  const { iid } = expectStatus(await app.post(path, { json: { title: 'x' } }), 201);
  const json = { to_project_id: (await app.make.project()).id };
  const moved = expectStatus(await app.post(`${path}/${iid}/move`, { json }), 201);
  const response = await app.get(`/projects/${moved.project_id}/issues/${moved.iid}/user_agent_detail`);
  assert.equal(expectStatus(response, 404).message, '404 UserAgentDetail Not Found');
});
