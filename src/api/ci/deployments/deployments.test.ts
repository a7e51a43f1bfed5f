import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

interface Deployment {
  id: number;
  iid: number;
  sha: string;
  status: string;
  user: { id: number } | null;
  environment: { id: number; name: string };
  deployable: { name: string } | null;
  message?: string;
  errors?: Record<string, string[]>;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

async function start(visibility: 'private' | 'public' = 'private') {
  const project = await app.make.project({ visibility });
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { a: '1' });
  const path = `/projects/${project.id}/deployments`;
  const input = { environment: 'production', sha, ref: 'main', tag: false, status: 'success' };
  const make = async (json: object = {}) =>
    expectStatus<Deployment>(await app.post(path, { json: { ...input, ...json } }), 201);
  return { project, git, sha, path, input, make };
}

test('a deployment from outside is entered, with its environment, read, changed and deleted', async () => {
  const { project, path, sha, make } = await start();
  const made = await make({ status: 'running' });
  const { id, environment, user, ...rest } = made;
  assert.deepEqual([environment.name, user?.id], ['production', 1]);
  const now = '2026-06-15T12:00:00.000Z';
  assert.deepEqual(rest, {
    iid: 1,
    ref: 'main',
    sha,
    created_at: now,
    updated_at: now,
    deployable: null,
    status: 'running',
    pending_approval_count: 0,
    approvals: [],
  });
  assert.deepEqual(expectStatus(await app.get(path), 200), [made]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${id}`), 200), made);
  assert.equal(
    expectStatus<Deployment>(await app.delete(`${path}/${id}`), 400).message,
    'Cannot destroy running deployment',
  );
  const json = { status: 'success' };
  assert.equal(expectStatus<Deployment>(await app.put(`${path}/${id}`, { json }), 200).status, 'success');
  const twice = expectStatus<Deployment>(await app.put(`${path}/${id}`, { json }), 400);
  assert.deepEqual(twice.errors, { status: ['cannot transition via "succeed"'] });
  const there = expectStatus<Deployment>(await app.delete(`${path}/${id}`), 400);
  assert.equal(there.message, 'Deployment currently deployed to environment');
  const shown = await app.get(`/projects/${project.id}/environments/${environment.id}`);
  assert.equal(expectStatus<{ last_deployment: Deployment }>(shown, 200).last_deployment.id, id);
  await app.drain();
  const second = await make({ status: 'failed' });
  assert.equal(second.iid, 2);
  expectStatus(await app.delete(`${path}/${second.id}`), 204);
  expectStatus(await app.get(`${path}/${second.id}`), 404);
});

test('the same is not entered twice', async () => {
  const { make } = await start();
  assert.equal((await make()).id, (await make()).id);
});

test('what is not in the repository is refused', async () => {
  const { path, input } = await start();
  const refused = async (json: object) =>
    expectStatus<Deployment>(await app.post(path, { json: { ...input, ...json } }), 400);
  assert.deepEqual((await refused({ sha: 'a'.repeat(40) })).errors, { sha: ['The commit does not exist'] });
  assert.deepEqual((await refused({ sha: 'main' })).errors, { sha: ['The commit does not exist'] });
  assert.deepEqual((await refused({ ref: 'other' })).errors, { ref: ['The branch or tag does not exist'] });
  assert.deepEqual((await refused({ tag: true })).errors, { ref: ['The branch or tag does not exist'] });
  assert.match((await refused({ environment: 'a,b' })).message!, /can contain only/);
  assert.equal((await refused({ status: 'skipped' })).message, 'status does not have a valid value');
  assert.equal((await refused({ tag: undefined })).message, 'tag is missing');
});

test('deployments are ordered and filtered', async () => {
  const { path, git, make } = await start();
  const first = await make();
  clock.advance(3_600_000);
  const sha = git.commit('main', { a: '2' });
  const second = await make({ sha, status: 'failed' });
  const third = await make({ sha, environment: 'staging' });
  const ids = async (query: Record<string, string>) =>
    expectStatus<Deployment[]>(await app.get(path, { query }), 200).map(({ id }) => id);
  assert.deepEqual(await ids({}), [first.id, second.id, third.id]);
  assert.deepEqual(await ids({ sort: 'desc', order_by: 'created_at' }), [third.id, second.id, first.id]);
  assert.deepEqual(await ids({ environment: 'production' }), [first.id, second.id]);
  assert.deepEqual(await ids({ environment: 'nowhere' }), []);
  assert.deepEqual(await ids({ status: 'success' }), [first.id, third.id]);
  const finished_after = clock.now().toISOString();
  assert.deepEqual(await ids({ finished_after, order_by: 'finished_at', status: 'success' }), [third.id]);
  assert.deepEqual(await ids({ updated_after: finished_after, order_by: 'updated_at' }), [second.id, third.id]);
  const message = async (query: Record<string, string>) =>
    expectStatus<Deployment>(await app.get(path, { query }), 400).message;
  assert.equal(
    await message({ finished_after }),
    '400 Bad request - `finished_at` filter requires `finished_at` sort.',
  );
  assert.equal(
    await message({ finished_after, order_by: 'finished_at' }),
    '400 Bad request - `finished_at` filter must be combined with `success` status filter.',
  );
  assert.equal(
    await message({ updated_before: finished_after }),
    '400 Bad request - `updated_at` filter requires `updated_at` sort.',
  );
});

test('a deployment of a job shows it, and is not changed from outside', async () => {
  const { project, path, make } = await start();
  const made = await make({ status: 'running' });
  const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'deploy', status: 'running' }] });
  await app.deps.db.updateTable('deployments').set({ job_id: jobs.deploy!.id }).where('id', '=', made.id).execute();
  assert.equal(expectStatus<Deployment>(await app.get(`${path}/${made.id}`), 200).deployable?.name, 'deploy');
  const response = await app.put(`${path}/${made.id}`, { json: { status: 'success' } });
  assert.equal(
    expectStatus<Deployment>(response, 403).message,
    '403 Forbidden - Deployments created using GitLab CI can not be updated using the API',
  );
});

test('the merge requests that a deployment brought are those merged since the one before', async () => {
  const { project, git, path, make } = await start();
  await make();
  const merged = async (branch: string) => {
    const sha = git.commit('main', { [branch]: '1' });
    return {
      sha,
      row: await makeMergeRequest(app, project, { source_branch: branch, state: 'merged', merge_commit_sha: sha }),
    };
  };
  const one = await merged('one');
  const between = await make({ sha: one.sha });
  const two = await merged('two');
  const last = await make({ sha: two.sha });
  const iids = async (id: number) =>
    expectStatus<{ iid: number }[]>(await app.get(`${path}/${id}/merge_requests`), 200).map(({ iid }) => iid);
  assert.deepEqual(await iids(between.id), [one.row.iid]);
  assert.deepEqual(await iids(last.id), [two.row.iid]);
});

test('deployments are read by whoever sees the environments, entered by Developers, deleted by Maintainers', async () => {
  const { project, path, input, make } = await start('public');
  const people = await app.make.members(project);
  await make();
  const old = await make({ environment: 'other', status: 'failed' });
  const statuses = async (method: string, to: string, json?: object) => {
    const statusCodes: number[] = [];
    for (const { token } of Object.values(people)) {
      statusCodes.push((await app.request(method, to, { token, ...(json === undefined ? {} : { json }) })).statusCode);
    }
    return statusCodes.join(' ');
  };
  assert.equal(await statuses('GET', path), '200 200 200 200 200 200 200');
  assert.equal(await statuses('POST', path, input), '403 403 403 201 201 201 403');
  assert.equal(await statuses('DELETE', `${path}/${old.id}`), '403 403 403 403 204 404 404');
  expectStatus(await app.get(path, { token: null }), 401);
});
