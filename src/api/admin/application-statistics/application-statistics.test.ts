import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';

type Json = Record<string, string>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('GET /application/statistics counts everything, for administrators', async () => {
  const get = async () => expectStatus<Json>(await app.get('/application/statistics'), 200);
  const before = await get();
  const { token } = await app.make.user({ columns: { state: 'blocked' } });
  await app.make.user();
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const fork = await app.make.project({ namespace: group });
  await app.deps.db.updateTable('projects').set({ forked_from_id: project.id }).where('id', '=', fork.id).execute();
  const rows = new Rows(app.deps);
  const issue = await rows.issue(project.id);
  await makeMergeRequest(app, project);
  await rows.note({ type: 'Issue', id: issue.id, projectId: project.id });
  await rows.snippet(null, 'private');
  const now = await get();
  const more = Object.fromEntries(
    Object.entries(now).map(([name, text]) => [name, Number(text) - Number(before[name])]),
  );
  assert.deepEqual(more, {
    forks: 1,
    issues: 1,
    merge_requests: 1,
    notes: 1,
    snippets: 1,
    ssh_keys: 0,
    milestones: 0,
    users: 2,
    groups: 1,
    projects: 2,
    active_users: 1,
  });
  const listed = expectStatus<{ id: number }[]>(
    await app.get('/users', { query: { per_page: 100, active: true } }),
    200,
  );
  assert.equal(now.active_users, String(listed.length));
  const many = Array.from({ length: 1_234 }, (_, n) => ({
    project_id: project.id,
    iid: n + 1_000,
    title: `Milestone ${n}`,
    created_at: issue.created_at,
    updated_at: issue.created_at,
  }));
  await app.deps.db.insertInto('milestones').values(many).execute();
  assert.equal((await get()).milestones, '1,234');
  expectStatus(await app.get('/application/statistics', { token }), 403);
  expectStatus(await app.get('/application/statistics', { token: (await app.make.user()).token }), 403);
  expectStatus(await app.get('/application/statistics', { token: null }), 401);
});
