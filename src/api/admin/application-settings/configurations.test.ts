import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  new ProjectGit(app, project).commit('main', {
    'a.yml': 'a: {script: x}\n',
    'b.yml': 'b: {script: x}\n',
    '.gitlab-ci.yml': 'include: [a.yml, b.yml]\n',
  });
});
after(() => app.close());
afterEach(async () => {
  await app.deps.db.deleteFrom('instance_values').where('key', '=', 'application_settings').execute();
  await app.deps.settings.refresh();
});

const set = (json: Json) =>
  app.put('/application/settings', { json }).then((response) => expectStatus<Json>(response, 200));
const errorsOf = async (content: string) =>
  expectStatus<Json>(await app.post(`/projects/${project.id}/ci/lint`, { json: { content } }), 200).errors;

test('configurations: as many includes as administrators allow, for lint and for pipelines', async () => {
  const two = 'include: [a.yml, b.yml]';
  assert.deepEqual(await errorsOf(two), []);
  await set({ ci_max_includes: 1 });
  const text = 'Maximum of 1 nested includes are allowed!';
  assert.deepEqual(await errorsOf(two), [text]);
  assert.deepEqual(await errorsOf('include: a.yml'), []);
  const run = () => app.post(`/projects/${project.id}/pipeline`, { json: { ref: 'main' } });
  assert.deepEqual(expectStatus<Json>(await run(), 400).errors, { base: [text] });
  await set({ ci_max_includes: 2 });
  expectStatus(await run(), 201);
});

test('configurations: how large a file is once it is read, and how deep', async () => {
  const deep = (levels: number) => `.a: ${'['.repeat(levels)}1${']'.repeat(levels)}\na: {script: x}\n`;
  const tooBig = ['The parsed YAML is too big'];
  assert.deepEqual(await errorsOf(deep(20)), []);
  await set({ max_yaml_depth: 10 });
  assert.deepEqual(await errorsOf(deep(20)), tooBig);
  await set({ max_yaml_depth: 10_000 });
  assert.deepEqual(await errorsOf(deep(400)), []);
  assert.deepEqual(await errorsOf(deep(600)), tooBig);
  await set({ max_yaml_depth: 100 });
  assert.deepEqual(await errorsOf(deep(400)), tooBig);
  const long = `.a: [${'text,'.repeat(200)}]\na: {script: x}\n`;
  assert.deepEqual(await errorsOf(long), []);
  await set({ max_yaml_size_bytes: 2_000 });
  assert.deepEqual(await errorsOf(long), tooBig);
});

test('configurations: bytes of all files together', async () => {
  await set({ ci_max_total_yaml_size_bytes: 20 });
  assert.deepEqual(await errorsOf('include: a.yml'), []);
  assert.deepEqual(await errorsOf('include: [a.yml, b.yml]'), [
    'Total size of combined CI/CD configuration is too big',
  ]);
});
