import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { seededProject } from '../../../test/support/seeded-project.ts';
import { WebUser } from '../../../test/support/web-user.ts';
import { type ProjectFacts, projectFrame, projectTabs } from './project-frame.ts';

describe('the frame of a project', () => {
  let app: TestApp;
  before(async () => {
    app = await buildTestApp();
  });
  after(() => app.close());

  const names = (project: ProjectFacts) => projectTabs(project, 'issues').map(({ text }) => text);

  test('shows the sections that its reader may open', async (t) => {
    const { project } = await seededProject(app, t);
    const { guest, reporter } = await app.make.members(project);
    const ask = async (token: string) =>
      expectStatus<ProjectFacts>(await app.get(`/projects/${project.id}`, { token }), 200);
    assert.deepEqual(names(await ask(reporter.token)), ['Files', 'Commits', 'Issues', 'Merge requests', 'Pipelines']);
    assert.deepEqual(names(await ask(guest.token)), ['Issues', 'Pipelines']);
    const off = {
      issues_access_level: 'disabled',
      builds_access_level: 'disabled',
      merge_requests_access_level: 'private',
    };
    expectStatus(await app.put(`/projects/${project.id}`, { json: off }), 200);
    assert.deepEqual(names(await ask(reporter.token)), ['Files', 'Commits', 'Merge requests']);
    const { trail, tabs } = projectFrame(await ask(reporter.token), 'commits');
    assert.deepEqual(trail, [
      { text: 'root', path: '/root' },
      { text: project.name, path: `/${project.full_path}` },
    ]);
    assert.deepEqual(
      tabs!.map(({ path, isCurrent }) => [path, isCurrent]),
      [
        [`/${project.full_path}`, false],
        [`/${project.full_path}/-/commits/main`, true],
        [`/${project.full_path}/-/merge_requests`, false],
      ],
    );
  });

  test('has no commits in an empty repository, and all sections for visitors', async (t) => {
    const empty = await app.make.project({ visibility: 'public' });
    const { project: open } = await seededProject(app, t, { visibility: 'public' });
    const ask = async (id: number, token: string | null) =>
      expectStatus<ProjectFacts>(await app.get(`/projects/${id}`, { token }), 200);
    assert.deepEqual(names(await ask(empty.id, ROOT_TOKEN)), ['Files', 'Issues', 'Merge requests', 'Pipelines']);
    assert.deepEqual(names(await ask(open.id, null)), ['Files', 'Commits', 'Issues', 'Merge requests', 'Pipelines']);
  });

  test('a browser signs in and out by the forms', async () => {
    const one = await app.make.user();
    const browser = await WebUser.signIn(app, one);
    assert.match(await browser.page('/'), new RegExp(one.user.name));
    assert.equal((await browser.post('/users/sign_out', {}, 'forged')).statusCode, 403);
    assert.equal((await browser.post('/users/sign_out', {}, null)).statusCode, 403);
    assert.equal((await browser.post('/users/sign_out', {})).headers.location, '/users/sign_in');
    assert.equal((await browser.get('/')).headers.location, '/explore');
  });
});
