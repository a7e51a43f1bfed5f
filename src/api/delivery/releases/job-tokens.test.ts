import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { endJob, holdJob } from '../../../../test/support/artifacts.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { ReleaseJson } from './releases.responses.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const ofJob = (token: string) => ({ token: null, headers: { 'job-token': token } });

test('a job releases in the name of its user, while it runs', async (t) => {
  const { project } = await seededProject(app, t);
  const { developer } = await app.make.members(project);
  const held = await holdJob(app, project, { columns: { user_id: developer.user.id } });
  const path = `/projects/${project.id}/releases`;
  const job = ofJob(held.token);
  const json = { tag_name: 'v1', ref: 'main', tag_message: 'One' };
  const made = expectStatus<ReleaseJson>(await app.post(path, { ...job, json }), 201);
  assert.equal(made.author?.id, developer.user.id);
  expectStatus(await app.get(path, job), 200);
  expectStatus(await app.get(`${path}/v1`, { token: null, query: { job_token: held.token } }), 200);
  expectStatus(await app.put(`${path}/v1`, { ...job, json: { name: 'One' } }), 200);
  const links = `${path}/v1/assets/links`;
  const link = expectStatus<{ id: number }>(
    await app.post(links, { ...job, json: { name: 'a', url: 'http://a', filepath: '/bin/a' } }),
    201,
  );
  expectStatus(await app.get(links, job), 200);
  expectStatus(await app.put(`${links}/${link.id}`, { ...job, json: { name: 'b' } }), 200);
  expectStatus(await app.get(`${path}/permalink/latest/downloads/bin/a`, job), 302);
  expectStatus(await app.get(`${path}/v1/downloads/bin/a`, job), 302);
  expectStatus(await app.delete(`${links}/${link.id}`, job), 200);
  expectStatus(await app.post(`${path}/v1/evidence`, job), 200);
  expectStatus(await app.delete(`${path}/v1`, job), 200);
  await endJob(app, held);
  expectStatus(await app.post(path, { ...job, json }), 401);
});

test('a job may no more than its user, and nothing in a project that does not let it in', async (t) => {
  const { project } = await seededProject(app, t);
  const { developer, reporter } = await app.make.members(project);
  const reading = await holdJob(app, project, { columns: { user_id: reporter.user.id } });
  const path = `/projects/${project.id}/releases`;
  const json = { tag_name: 'v1', ref: 'main' };
  expectStatus(await app.get(path, ofJob(reading.token)), 200);
  expectStatus(await app.post(path, { ...ofJob(reading.token), json }), 403);
  expectStatus(await app.post(`/projects/${project.id}/protected_tags`, { json: { name: 'v*' } }), 201);
  const writing = await holdJob(app, project, { columns: { user_id: developer.user.id } });
  expectStatus(await app.post(path, { ...ofJob(writing.token), json }), 403);
  const other = await seededProject(app, t);
  await app.make.member({ project: other.project }, developer.user, 30);
  const there = `/projects/${other.project.id}/releases`;
  assert.ok((await app.get(there, ofJob(writing.token))).statusCode >= 401);
  assert.ok((await app.post(there, { ...ofJob(writing.token), json })).statusCode >= 401);
  assert.deepEqual(expectStatus(await app.get(there), 200), []);
});
