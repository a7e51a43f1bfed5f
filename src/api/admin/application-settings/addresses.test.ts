import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
afterEach(() => resetSettings(app));

test('the addresses to clone from over HTTP have the base that administrators name', async () => {
  const project = await app.make.project();
  const shown = async () => expectStatus<Json>(await app.get(`/projects/${project.id}`), 200);
  const own = `${app.deps.externalUrl()}/${project.full_path}.git`;
  assert.equal((await shown()).http_url_to_repo, own);
  await changeSettings(app, { custom_http_clone_url_root: 'https://git.example.com/code/' });
  const { http_url_to_repo, web_url } = await shown();
  assert.equal(http_url_to_repo, `https://git.example.com/code/${project.full_path}.git`);
  assert.equal(web_url, `${app.deps.externalUrl()}/${project.full_path}`);
  await makePipeline(app, project, { jobs: [{ name: 'build', status: 'pending' }] });
  const runner = await FakeRunner.make(app);
  const asked = await runner.ask();
  const { git_info } = asked.json<{ git_info: { repo_url: string } }>();
  assert.match(git_info.repo_url, /^https:\/\/gitlab-ci-token:[^@]+@git\.example\.com\/code\//);
  expectStatus(await app.put('/application/settings', { json: { custom_http_clone_url_root: 'no address' } }), 400);
  await changeSettings(app, { custom_http_clone_url_root: '' });
  assert.equal((await shown()).http_url_to_repo, own);
});
