import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { makeMergeRequest } from '../../test/support/merge-request.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import { loadConfig } from '../config/config.ts';
import { NEWEST } from '../core/reported-version.ts';
import { routes } from '../routes.ts';
import { absentFields, CHANGES, routesAt } from './version-changes.ts';

const at = (text: string) => loadConfig({ STITHY_REPORTED_VERSION: text }).config.reportedVersion;

async function withVersion(version: string, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await buildTestApp({ settings: { STITHY_REPORTED_VERSION: version } });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

test('versions that are not known are refused by name and range', () => {
  for (const text of [
    '15.11.0',
    '16.12.0',
    '18.10.0',
    '19.0.0',
    '17',
    '17.1',
    'v17.1.0',
    '17.1.0-x',
    '17.1.0 ee',
    '',
  ]) {
    const refuses = () => at(text);
    if (text === '') assert.equal(refuses(), NEWEST);
    else assert.throws(refuses, /STITHY_REPORTED_VERSION must be a version from 16\.0\.0 to 18\.9\.0/, text);
  }
  for (const text of ['16.0.0', '16.11.10-ee', '17.11.0-ce', '18.9.0', '18.9.3-pre']) assert.equal(at(text).text, text);
});

test('every change takes something away from the version before it, and nothing from its own', () => {
  const project = routes.find(({ options }) => options.method === 'GET' && options.path === '/projects/:id')!;
  assert.equal(routesAt(NEWEST, routes), routes);
  assert.equal(absentFields(NEWEST, project), null);
  const lacks = (version: string) => {
    const without = routes.length - routesAt(at(version), routes).length;
    return without + routes.reduce((sum, route) => sum + (absentFields(at(version), route)?.size ?? 0), 0);
  };
  const minors = [...new Set(CHANGES.map(({ since }) => since))];
  for (const since of minors) {
    const [major, minor] = since.split('.').map(Number) as [number, number];
    const before = minor === 0 ? `${major - 1}.11.0` : `${major}.${minor - 1}.0`;
    assert.ok(lacks(before) > lacks(`${since}.0`), since);
  }
  for (const change of CHANGES) {
    const matches = 'routes' in change ? change.routes : [change.of];
    for (const pattern of matches) {
      assert.ok(
        routes.some(({ options: { method, path } }) => pattern.test(`${method} ${path}`)),
        String(pattern),
      );
    }
  }
});

test('what is not JSON is sent as it is', async () => {
  await withVersion('16.0.0', async (app) => {
    const project = await app.make.project();
    new ProjectGit(app, project).commit('main', { 'a.txt': 'content' });
    const path = `/projects/${project.id}/repository`;
    for (const url of [`${path}/files/a.txt/raw?ref=main`, `${path}/archive.tar.gz`, `${path}/archive.zip`]) {
      const { statusCode, rawPayload } = await app.get(url);
      assert.deepEqual([statusCode, rawPayload.length > 0], [200, true], url);
    }
  });
});

test('the page lists every change', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/testing.md'), 'utf8');
  for (const { since, what } of CHANGES) assert.ok(page.includes(`| ${since} | ${what} |`), what);
});

test('a server tells its version, and has what that has', async () => {
  await withVersion('16.0.4-ce', async (app) => {
    for (const path of ['/version', '/metadata'])
      assert.equal(expectStatus<{ version: string }>(await app.get(path), 200).version, '16.0.4-ce');
    const { info, paths } = expectStatus<{ info: { version: string }; paths: object }>(
      await app.get('/openapi.json'),
      200,
    );
    assert.deepEqual([info.version, '/api/v4/service_accounts' in paths], ['16.0.4-ce', false]);
    const { server } = app.instance;
    for (const method of ['GET', 'POST'] as const) {
      const request = { method, url: '/api/v4/service_accounts', headers: { 'private-token': ROOT_TOKEN } };
      assert.equal((await server.app.inject(request)).statusCode, 404);
    }
    const { id } = await app.make.project();
    const { iid } = await makeMergeRequest(app, { id });
    // The routes declare the answers of the newest version.
    const ask = async <T extends object>(path: string): Promise<T> => {
      const answer = await server.app.inject({ url: `/api/v4${path}`, headers: { 'private-token': ROOT_TOKEN } });
      return expectStatus<T>(answer, 200);
    };
    const one = await ask(`/projects/${id}/merge_requests/${iid}`);
    const [first] = await ask<object[]>(`/projects/${id}/merge_requests`);
    for (const answer of [one, first!]) assert.deepEqual(['prepared_at' in answer, 'iid' in answer], [false, true]);
    assert.equal('ci_push_repository_for_job_token_allowed' in (await ask(`/projects/${id}`)), false);
  });
  await withVersion('16.10.0', async (app) => {
    const { id } = await app.make.project();
    const ask = (method: 'GET' | 'POST', path: string, payload?: object) =>
      app.instance.server.app.inject({
        method,
        url: `/api/v4/projects/${id}${path}`,
        headers: { 'private-token': ROOT_TOKEN },
        ...(payload === undefined ? {} : { payload }),
      });
    const hook = { url: 'https://hooks.example.com/', name: 'Mine', push_events: true };
    const made = expectStatus<{ id: number }>(await ask('POST', '/hooks', hook), 201);
    assert.deepEqual(['name' in made, 'description' in made, 'push_events' in made], [false, false, true]);
    for (const path of [`/hooks/${made.id}/events`, '/packages/protection/rules'])
      assert.equal((await ask('GET', path)).statusCode, 404, path);
    assert.equal((await ask('POST', `/hooks/${made.id}/test/push_events`)).statusCode, 404);
  });
  await withVersion('17.2.0-ee', async (app) => {
    assert.equal(expectStatus<{ version: string }>(await app.get('/version'), 200).version, '17.2.0-ee');
    expectStatus(await app.get('/service_accounts'), 200);
    const { id } = await app.make.project();
    const project = expectStatus(await app.get(`/projects/${id}`), 200);
    assert.equal('ci_push_repository_for_job_token_allowed' in project, true);
  });
});
