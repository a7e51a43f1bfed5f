import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { makeMergeRequest } from '../../../test/support/merge-request.ts';
import { makePipeline } from '../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('what a merge request between protected branches runs is run on by those alone who may run on both', async () => {
  const project = await app.make.project();
  const { developer, maintainer } = await app.make.members(project);
  const git = new ProjectGit(app, project);
  git.commit('topic', { b: '1' }, { start: git.commit('main', { a: '1' }) });
  for (const name of ['main', 'topic']) {
    await app.delete(`/projects/${project.id}/protected_branches/${name}`);
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name } }), 201);
  }
  const row = await makeMergeRequest(app, project, { source_branch: 'topic' });
  const ref = `refs/merge-requests/${row.iid}/head`;
  const made = (isProtected: 0 | 1) =>
    makePipeline(app, project, {
      jobs: [
        { name: 'failed', status: 'failed' },
        { name: 'manual', status: 'manual', when: 'manual' },
      ],
      columns: { ref, source: 'merge_request_event', merge_request_id: row.id, protected: isProtected },
    });
  const codes = async (token: string, isProtected: 0 | 1) => {
    const { pipeline, jobs } = await made(isProtected);
    const paths = [`jobs/${jobs.failed!.id}/retry`, `jobs/${jobs.manual!.id}/play`, `pipelines/${pipeline.id}/retry`];
    const statusCodes = [];
    for (const path of paths)
      statusCodes.push((await app.post(`/projects/${project.id}/${path}`, { token })).statusCode);
    return statusCodes;
  };
  assert.deepEqual(await codes(developer.token, 1), [403, 403, 403]);
  assert.deepEqual(await codes(maintainer.token, 1), [201, 200, 201]);
  // A pipeline without access to secrets of protected branches is open to developers.
  assert.deepEqual(await codes(developer.token, 0), [201, 200, 201]);
});
