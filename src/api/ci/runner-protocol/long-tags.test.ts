import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

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
