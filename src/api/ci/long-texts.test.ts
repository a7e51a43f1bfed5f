import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('tags that are longer than what runners look in can hold are refused', async () => {
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': 'a: {script: x, tags: [$T]}\n' });
  const start = (bytes: number) => {
    const variables = [{ key: 'T', value: randomBytes(bytes).toString('hex') }];
    return app.post(`/projects/${project.id}/pipeline`, { json: { ref: 'main', variables } });
  };
  expectStatus(await start(1_000), 201);
  const { message } = expectStatus<{ message: string }>(await start(4_000), 400);
  assert.match(message, /a: tags are too long \(maximum is 2000 bytes together\)/);
});

test('names of variables that a bridge passes on are bounded', async () => {
  const project = await app.make.project();
  const key = randomBytes(3_000).toString('hex');
  const config = `child:\n  trigger: {include: child.yml}\n  variables:\n    ? ${key}\n    : x\n`;
  const files = { '.gitlab-ci.yml': config, 'child.yml': 'a: {script: x}\n' };
  new ProjectGit(app, project).commit('main', files);
  const made = await app.post(`/projects/${project.id}/pipeline`, { json: { ref: 'main' } });
  const { id } = expectStatus<{ id: number }>(made, 201);
  await app.drain();
  const bridges = expectStatus<{ status: string; failure_reason: string }[]>(
    await app.get(`/projects/${project.id}/pipelines/${id}/bridges`),
    200,
  );
  assert.deepEqual(
    bridges.map(({ status, failure_reason }) => [status, failure_reason]),
    [['failed', 'downstream_pipeline_creation_failed']],
  );
});
