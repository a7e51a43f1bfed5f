import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { type SeededProject, seededProject } from '../../../../../test/support/seeded-project.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const heads = ({ git }: SeededProject) =>
  git.git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/']).split('\n');

test('DELETE /merged_branches removes what is merged, unprotected and not at the default branch', async (t) => {
  const seeded = await seededProject(app, t);
  const { git, base, head, path, project } = seeded;
  const { developer } = await app.make.members(project);
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'keep*' } });
  const updates = [`create refs/heads/fresh ${head}`, `create refs/heads/keep-me ${base}`];
  for (let at = 0; at < 230; at += 1) updates.push(`create refs/heads/merged-${at} ${base}`);
  git.git(['update-ref', '--stdin'], `${updates.join('\n')}\n`);
  const response = await app.delete(`${path}/merged_branches`, { token: developer.token });
  assert.deepEqual(expectStatus(response, 202), { message: '202 Accepted' });
  await app.drain();
  assert.deepEqual(heads(seeded), ['fresh', 'keep-me', 'main', 'side']);
  const events = await app.deps.db
    .selectFrom('domain_events')
    .selectAll()
    .where('type', '=', 'push')
    .where('project_id', '=', project.id)
    .execute();
  const removed = events.flatMap(({ payload }) => JSON.parse(payload).updates as { old: string; new: null }[]);
  assert.equal(removed.length, 230);
  assert.ok(removed.every((update) => update.old === base && update.new === null));
  assert.ok(events.every(({ actor_id }) => actor_id === developer.user.id));
});

test('DELETE /merged_branches looks at rights and protections again when it runs', async (t) => {
  const seeded = await seededProject(app, t);
  const { git, base, path, project } = seeded;
  const { developer, maintainer } = await app.make.members(project);
  git.git(['update-ref', 'refs/heads/merged', base]);
  expectStatus(await app.delete(`${path}/merged_branches`, { token: developer.token }), 202);
  await app.deps.db.deleteFrom('members').where('user_id', '=', developer.user.id).execute();
  await app.drain();
  assert.deepEqual(heads(seeded), ['main', 'merged', 'side']);
  expectStatus(await app.delete(`${path}/merged_branches`, { token: maintainer.token }), 202);
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'merged' } });
  await app.drain();
  assert.deepEqual(heads(seeded), ['main', 'merged', 'side']);
});

test('DELETE /merged_branches of an empty repository does nothing', async () => {
  const { id } = await app.make.project();
  expectStatus(await app.delete(`/projects/${id}/repository/merged_branches`), 202);
  await app.drain();
});
