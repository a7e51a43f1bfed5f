import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { writeWholeGraph } from '../../../git/commit-graph/index.ts';

interface Shown {
  id: string;
  last_pipeline: { id: number } | null;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('a commit shows the first pipeline of its project as soon as there is one', async () => {
  const project = await app.make.project();
  const sha = new ProjectGit(app, project).commit('main', { a: '1\n' });
  const show = async () => expectStatus<Shown>(await app.get(`/projects/${project.id}/repository/commits/${sha}`), 200);
  assert.equal((await show()).last_pipeline, null);
  assert.equal((await show()).last_pipeline, null);
  const { pipeline } = await makePipeline(app, project, { jobs: [], columns: { sha, status: 'success' } });
  assert.equal((await show()).last_pipeline?.id, pipeline.id);
});

test('a commit of the commit-graph is found by its id in capitals, and by what leads to it', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { a: '1\n' });
  git.run(['tag', '-a', 'v1', '-m', 'annotated', sha]);
  await writeWholeGraph(git.dir);
  for (const name of [sha, sha.toUpperCase(), sha.slice(0, 10), 'main', 'v1', git.run(['rev-parse', 'v1'])]) {
    const response = await app.get(`/projects/${project.id}/repository/commits/${name}`);
    assert.equal(expectStatus<Shown>(response, 200).id, sha, name);
  }
  const tree = git.run(['rev-parse', 'main^{tree}']);
  for (const name of ['0'.repeat(40), tree]) {
    expectStatus(await app.get(`/projects/${project.id}/repository/commits/${name}`), 404);
  }
});
