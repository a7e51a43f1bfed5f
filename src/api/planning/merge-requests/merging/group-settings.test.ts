import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { enterLicense, makeIssuer } from '../../../../../test/support/licences.ts';
import { makeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Namespace } from '../../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
let top: Namespace;
let below: Namespace;
let project: Project;
let mergeRequest: MergeRequest;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  top = await app.make.group();
  below = await app.make.group({ parent: await app.make.group({ parent: top }) });
  project = await app.make.project({ namespace: below });
  mergeRequest = await makeRequest(app, project);
});

async function makeRequest(server: TestApp, target: Project): Promise<MergeRequest> {
  const git = new ProjectGit(server, target);
  const base = git.commit('main', { 'a.txt': '1\n' });
  git.commit('topic', { 'b.txt': 'b\n' }, { start: base });
  return makeMergeRequest(server, target, { source_branch: 'topic' });
}

const at = ({ project_id, iid }: MergeRequest) => `/projects/${project_id}/merge_requests/${iid}`;
interface Shown {
  detailed_merge_status: string;
  blocking_discussions_resolved: boolean;
}
const shown = async (asked = mergeRequest) => expectStatus<Shown>(await app.get(at(asked)), 200);
const status = async (asked = mergeRequest) => (await shown(asked)).detailed_merge_status;
const configure = async ({ id }: Namespace, json: object) =>
  expectStatus<Record<string, unknown>>(await app.put(`/groups/${id}`, { json }), 200);

test('a group says for every project below it that pipelines must succeed', async () => {
  const elsewhere = await makeRequest(app, await app.make.project({ namespace: await app.make.group() }));
  assert.equal(await status(), 'mergeable');
  await configure(top, { only_allow_merge_if_pipeline_succeeds: true });
  assert.equal(await status(), 'ci_must_pass');
  assert.equal(await status(elsewhere), 'mergeable');
  const listed = expectStatus<Shown[]>(await app.get(`/groups/${top.id}/merge_requests`), 200);
  assert.deepEqual(
    listed.map(({ detailed_merge_status }) => detailed_merge_status),
    ['ci_must_pass'],
  );
  expectStatus(await app.put(`${at(mergeRequest)}/merge`), 405);

  // Neither the project nor a group between takes it back.
  const own = { only_allow_merge_if_pipeline_succeeds: false };
  expectStatus(await app.put(`/projects/${project.id}`, { json: own }), 200);
  await configure(below, own);
  assert.equal(await status(), 'ci_must_pass');
  const report = { json: { state: 'success', ref: 'topic' } };
  expectStatus(await app.post(`/projects/${project.id}/statuses/${mergeRequest.head_sha}`, report), 201);
  assert.equal(await status(), 'mergeable');
  expectStatus(await app.put(`${at(mergeRequest)}/merge`), 200);
});

test('a skipped pipeline counts where the project or a group above it says so', async () => {
  await configure(below, { only_allow_merge_if_pipeline_succeeds: true });
  const report = { json: { state: 'success', ref: 'topic' } };
  expectStatus(await app.post(`/projects/${project.id}/statuses/${mergeRequest.head_sha}`, report), 201);
  await app.deps.db.updateTable('pipelines').set({ status: 'skipped' }).where('project_id', '=', project.id).execute();
  assert.equal(await status(), 'ci_must_pass');
  await configure(top, { allow_merge_on_skipped_pipeline: true });
  assert.equal(await status(), 'mergeable');
  expectStatus(await app.put(`${at(mergeRequest)}/merge`), 200);
});

test('a group says for every project below it that threads must be resolved', async () => {
  const { id: discussion } = expectStatus<{ id: string }>(
    await app.post(`${at(mergeRequest)}/discussions`, { json: { body: 'Why?' } }),
    201,
  );
  const of = async () => {
    const { detailed_merge_status, blocking_discussions_resolved } = await shown();
    return [detailed_merge_status, blocking_discussions_resolved];
  };
  assert.deepEqual(await of(), ['mergeable', true]);
  await configure(top, { only_allow_merge_if_all_discussions_are_resolved: true });
  assert.deepEqual(await of(), ['discussions_not_resolved', false]);
  expectStatus(await app.put(`${at(mergeRequest)}/merge`), 405);
  expectStatus(await app.put(`${at(mergeRequest)}/discussions/${discussion}`, { json: { resolved: true } }), 200);
  assert.deepEqual(await of(), ['mergeable', true]);
  expectStatus(await app.put(`${at(mergeRequest)}/merge`), 200);
});

test('a project that moves under a group is bound by it, and one that leaves is not', async () => {
  await configure(top, { only_allow_merge_if_pipeline_succeeds: true });
  const other = await app.make.group();
  expectStatus(await app.put(`/projects/${project.id}/transfer`, { json: { namespace: other.id } }), 200);
  assert.equal(await status(), 'mergeable');
  const moving = { json: { group_id: top.id } };
  expectStatus(await app.post(`/groups/${other.id}/transfer`, moving), 201);
  assert.equal(await status(), 'ci_must_pass');
});

test('the settings of groups count on the plans that have them alone', async (t) => {
  const issuer = makeIssuer();
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free', STITHY_LICENSE_ISSUER: issuer.publicKey } });
  t.after(() => free.close());
  const group = await free.make.group();
  const path = `/groups/${group.id}`;
  const json = { only_allow_merge_if_pipeline_succeeds: true };
  const put = async () => expectStatus<typeof json>(await free.put(path, { json }), 200);
  assert.equal((await put()).only_allow_merge_if_pipeline_succeeds, false);
  const license = await enterLicense(free, issuer);
  assert.equal((await put()).only_allow_merge_if_pipeline_succeeds, true);
  const request = await makeRequest(free, await free.make.project({ namespace: group }));
  const statusNow = async () => expectStatus<Shown>(await free.get(at(request)), 200).detailed_merge_status;
  assert.equal(await statusNow(), 'ci_must_pass');
  await free.deps.db.deleteFrom('licenses').where('id', '=', license).execute();
  assert.equal(await statusNow(), 'mergeable');
});
