import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { commitFiles } from '../../../test/support/commits.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';

// PostgreSQL cannot store null bytes in text: requests with them are refused, and the server continues.
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function start(config: string, json: object = {}) {
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': config });
  return app.post(`/projects/${project.id}/pipeline`, { json: { ref: 'main', ...json } });
}

test('null bytes that a configuration writes as escapes are errors in it', async () => {
  for (const config of [
    '"a\\0b": {script: x}\n',
    'a: {stage: "x\\x00y", script: x}\nstages: ["x\\u0000y"]\n',
    'workflow: {name: "a\\U00000000b"}\na: {script: x}\n',
    'a: {script: x, environment: "e\\0"}\n',
    'a: {script: x, coverage: "/\\0/"}\n',
    'a: {script: x, variables: {A: "\\0"}}\n',
  ]) {
    const body = expectStatus<{ message: unknown }>(await start(config), 400);
    assert.match(JSON.stringify(body), /null|control|escape/i, config);
  }
});

test('a pushed configuration with such an escape is a failed pipeline', async () => {
  const project = await app.make.project();
  await commitFiles(app, project.id, { '.gitlab-ci.yml': '"a\\0b": {script: x}\n' });
  await app.drain();
  const rows = expectStatus<{ status: string }[]>(await app.get(`/projects/${project.id}/pipelines`), 200);
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['failed'],
  );
});

test('inputs and variables with null bytes are refused', async () => {
  const config = 'spec: {inputs: {name: {}}}\n---\n"$[[ inputs.name ]]": {script: x}\n';
  for (const value of ['a\0b', ['a\0b'], { a: { b: 'a\0b' } }]) {
    expectStatus(await start(config, { inputs: { name: value } }), 400);
  }
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': 'a: {script: x}\n' });
  const made = await app.post(`/projects/${project.id}/triggers`, { json: { description: 'x' } });
  const { token } = expectStatus<{ token: string }>(made, 201);
  const json = { token, ref: 'main', variables: { A: 'x\0' } };
  expectStatus(await app.post(`/projects/${project.id}/trigger/pipeline`, { token: null, json }), 400);
});

test('what a runner says of itself has none', async () => {
  const made = await app.post('/user/runners', { json: { runner_type: 'instance_type' } });
  const { token } = expectStatus<{ token: string }>(made, 201);
  for (const info of [{ name: 'a\0' }, { version: 'a\0' }, { config: { gpus: 'a\0' } }, { labels: { a: 'b\0' } }]) {
    expectStatus(await app.post('/runners/verify', { token: null, json: { token, system_id: 's', info } }), 400);
  }
});
