import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import type { Namespace } from '../../src/db/tables/namespaces.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { ProjectGit } from '../support/project-git.ts';
import { commitToWiki, page } from '../support/wikis.ts';

/** The unmodified JavaScript client against the listening server. */
let app: TestApp;
let api: InstanceType<typeof Gitlab<false>>;
let project: Project;
let group: Namespace;
before(async () => {
  app = await buildTestApp();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
  group = await app.make.group({ path: 'needle-group' });
  project = await app.make.project({ path: 'needle', namespace: group });
  new ProjectGit(app, project).commit('main', { 'a.txt': 'a needle\n' }, { message: 'needle' });
  await commitToWiki(app, { type: 'project', id: project.id }, [page('Home.md', 'needle')]);
  await app.make.member({ project }, (await app.make.user({ username: 'needle-user' })).user, 30);
  const { iid } = await api.Issues.create(project.id, 'needle issue');
  await api.IssueNotes.create(project.id, iid, 'needle note');
  await api.ProjectMilestones.create(project.id, 'needle milestone');
  await api.Snippets.create('needle snippet', { visibility: 'private', files: [{ filePath: 'f', content: 'x' }] });
});
after(() => app.close());

test('the client searches everywhere, in a group and in a project', async () => {
  for (const place of [{}, { groupId: group.id }, { projectId: project.id }] as const) {
    const where = JSON.stringify(place);
    assert.deepEqual(
      (await api.Search.all('issues', 'needle', place)).map(({ title }) => title),
      ['needle issue'],
      where,
    );
    assert.deepEqual(
      (await api.Search.all('notes', 'needle', place)).map(({ body }) => body),
      ['needle note'],
      where,
    );
    assert.deepEqual(
      (await api.Search.all('milestones', 'needle', place)).map(({ title }) => title),
      ['needle milestone'],
    );
    assert.deepEqual(
      (await api.Search.all('commits', 'needle', place)).map(({ title }) => title),
      ['needle'],
      where,
    );
    const blobs = await api.Search.all('blobs', 'needle', { ...place, perPage: 1 });
    assert.deepEqual(
      blobs.map(({ path, startline, data }) => [path, startline, data]),
      [['a.txt', 1, 'a needle\n']],
    );
    assert.deepEqual(
      (await api.Search.all('wiki_blobs', 'needle', place)).map(({ filename }) => filename),
      ['Home.md'],
    );
    assert.deepEqual(await api.Search.all('merge_requests', 'needle', { ...place, state: 'opened' as never }), []);
  }
  assert.deepEqual(
    (await api.Search.all('users', 'needle', { projectId: project.id })).map(({ username }) => username),
    ['needle-user'],
  );
  assert.deepEqual(
    (await api.Search.all('projects', 'needle')).map(({ path }) => path),
    ['needle'],
  );
  assert.deepEqual(
    (await api.Search.all('snippet_titles', 'needle')).map(({ title }) => title),
    ['needle snippet'],
  );
});
