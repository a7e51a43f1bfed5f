import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { makeMergeRequest } from '../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { PipelineFacts } from './pipeline-variables.facts.ts';
import { predefinedVariables } from './pipeline-variables.ts';

let app: TestApp;
let group: Namespace;
let project: Project;
let sha: string;
const clock = new TestClock();

before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_EXTERNAL_URL: 'https://forge.example:8443/base' } });
  const parent = await app.make.group({ path: 'Top.Group' });
  group = await app.make.group({ path: 'sub', parent });
  project = await app.make.project({ path: 'App_1', namespace: group, visibility: 'public' });
  const { db } = app.deps;
  await db.updateTable('projects').set({ description: 'What $HOME is' }).where('id', '=', project.id).execute();
  await db
    .insertInto('project_languages')
    .values([
      { project_id: project.id, name: 'Ruby', bytes: 5 },
      { project_id: project.id, name: 'C++', bytes: 9 },
    ])
    .execute();
  await app.put(`/projects/${project.id}`, { json: { topics: ['Zebra', 'ant'] } });
  project = await db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
  sha = new ProjectGit(app, project).commit('main', { a: '1' }, { message: 'Cost $5\n\nIt is %dear%.\nVery.\n' });
});
after(() => app.close());

const facts = (changes: Partial<PipelineFacts> = {}): PipelineFacts => ({
  project,
  namespace: group,
  source: 'push',
  refType: 'branch',
  ref: 'main',
  sha,
  beforeSha: null,
  refProtected: true,
  createdAt: '2026-06-15T12:00:00.123Z',
  ...changes,
});

async function variables(changes: Partial<PipelineFacts> = {}): Promise<Map<string, Variable>> {
  const list = await predefinedVariables(app.deps, facts(changes));
  const byName = new Map(list.map((variable) => [variable.key, variable]));
  assert.equal(byName.size, list.length, 'no name is there twice');
  return byName;
}
const valuesOf = (byName: ReadonlyMap<string, Variable>) =>
  Object.fromEntries([...byName].map(([key, { value }]) => [key, value]));

const ALWAYS =
  `CI GITLAB_CI CI_SERVER_NAME CI_SERVER_VERSION CI_SERVER_VERSION_MAJOR CI_SERVER_VERSION_MINOR CI_SERVER_VERSION_PATCH
  CI_SERVER_REVISION CI_SERVER_URL CI_SERVER_HOST CI_SERVER_PORT CI_SERVER_PROTOCOL CI_SERVER_FQDN CI_SERVER_SHELL_SSH_HOST
  CI_SERVER_SHELL_SSH_PORT CI_API_V4_URL CI_API_GRAPHQL_URL CI_TEMPLATE_REGISTRY_HOST GITLAB_FEATURES CI_PROJECT_ID
  CI_PROJECT_NAME CI_PROJECT_TITLE CI_PROJECT_DESCRIPTION CI_PROJECT_TOPICS CI_PROJECT_PATH CI_PROJECT_PATH_SLUG
  CI_PROJECT_NAMESPACE CI_PROJECT_NAMESPACE_SLUG CI_PROJECT_NAMESPACE_ID CI_PROJECT_ROOT_NAMESPACE CI_PROJECT_URL
  CI_PROJECT_VISIBILITY CI_PROJECT_REPOSITORY_LANGUAGES CI_PROJECT_CLASSIFICATION_LABEL CI_DEFAULT_BRANCH
  CI_DEFAULT_BRANCH_SLUG CI_CONFIG_PATH CI_PIPELINE_SOURCE CI_PIPELINE_CREATED_AT CI_COMMIT_SHA CI_COMMIT_SHORT_SHA
  CI_COMMIT_BEFORE_SHA CI_COMMIT_REF_NAME CI_COMMIT_REF_SLUG CI_COMMIT_MESSAGE CI_COMMIT_MESSAGE_IS_TRUNCATED CI_COMMIT_TITLE
  CI_COMMIT_DESCRIPTION CI_COMMIT_REF_PROTECTED CI_COMMIT_TIMESTAMP CI_COMMIT_AUTHOR`.split(/\s+/);
const OF_MERGE_REQUESTS =
  `ID IID REF_PATH PROJECT_ID PROJECT_PATH PROJECT_URL TARGET_BRANCH_NAME TARGET_BRANCH_PROTECTED TITLE DRAFT
  DESCRIPTION DESCRIPTION_IS_TRUNCATED SQUASH_ON_MERGE SOURCE_PROJECT_ID SOURCE_PROJECT_PATH SOURCE_PROJECT_URL
  SOURCE_BRANCH_NAME SOURCE_BRANCH_PROTECTED EVENT_TYPE SOURCE_BRANCH_SHA TARGET_BRANCH_SHA DIFF_ID DIFF_BASE_SHA`
    .split(/\s+/)
    .map((name) => `CI_MERGE_REQUEST_${name}`);

test('a branch pipeline has every name of the table, and no other', async () => {
  assert.deepEqual([...(await variables()).keys()].sort(), [...ALWAYS, 'CI_COMMIT_BRANCH'].sort());
});

test('values of server, project and commit', async () => {
  const valueByKey = valuesOf(await variables());
  const expected = {
    CI: 'true',
    CI_SERVER_VERSION: '18.9.0-ee',
    CI_SERVER_VERSION_MAJOR: '18',
    CI_SERVER_VERSION_PATCH: '0',
    CI_SERVER_URL: 'https://forge.example:8443/base',
    CI_SERVER_HOST: 'forge.example',
    CI_SERVER_PORT: '8443',
    CI_SERVER_PROTOCOL: 'https',
    CI_SERVER_FQDN: 'forge.example:8443',
    CI_API_V4_URL: 'https://forge.example:8443/base/api/v4',
    CI_PROJECT_NAME: 'App_1',
    CI_PROJECT_PATH: 'Top.Group/sub/App_1',
    CI_PROJECT_PATH_SLUG: 'top-group-sub-app-1',
    CI_PROJECT_NAMESPACE: 'Top.Group/sub',
    CI_PROJECT_NAMESPACE_SLUG: 'top-group-sub',
    CI_PROJECT_NAMESPACE_ID: String(group.id),
    CI_PROJECT_ROOT_NAMESPACE: 'Top.Group',
    CI_PROJECT_URL: 'https://forge.example:8443/base/Top.Group/sub/App_1',
    CI_PROJECT_VISIBILITY: 'public',
    CI_PROJECT_TOPICS: 'ant,zebra',
    CI_PROJECT_REPOSITORY_LANGUAGES: 'c++,ruby',
    CI_DEFAULT_BRANCH: 'main',
    CI_CONFIG_PATH: '.gitlab-ci.yml',
    CI_PIPELINE_CREATED_AT: '2026-06-15T12:00:00Z',
    CI_COMMIT_SHA: sha,
    CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
    CI_COMMIT_BRANCH: 'main',
    CI_COMMIT_REF_PROTECTED: 'true',
    CI_COMMIT_MESSAGE: 'Cost $5\n\nIt is %dear%.\nVery.\n',
    CI_COMMIT_TITLE: 'Cost $5',
    CI_COMMIT_DESCRIPTION: '\nIt is %dear%.\nVery.',
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(valueByKey[key], value, key);
  assert.match(valueByKey.CI_COMMIT_TIMESTAMP!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(valueByKey.CI_COMMIT_AUTHOR!, /^.+ <.+@.+>$/);
});

test('what people write refers to nothing', async () => {
  const variableByKey = await variables();
  for (const key of ['CI_COMMIT_MESSAGE', 'CI_COMMIT_TITLE', 'CI_PROJECT_DESCRIPTION']) {
    assert.equal(variableByKey.get(key)?.raw, true, key);
  }
  assert.ok([...variableByKey.values()].every((each) => each.public === true && each.masked === undefined));
});

test('a tag has its name and message and no branch', async () => {
  const git = new ProjectGit(app, project);
  git.run(['tag', '-a', '-m', 'The first', 'v1.0', sha]);
  git.run(['tag', 'light', sha]);
  const variableByKey = await variables({ refType: 'tag', ref: 'v1.0' });
  assert.equal(variableByKey.get('CI_COMMIT_TAG')?.value, 'v1.0');
  assert.equal(variableByKey.get('CI_COMMIT_TAG_MESSAGE')?.value, 'The first');
  assert.equal(variableByKey.get('CI_COMMIT_REF_SLUG')?.value, 'v1-0');
  assert.equal(variableByKey.has('CI_COMMIT_BRANCH'), false);
  assert.equal((await variables({ refType: 'tag', ref: 'light' })).get('CI_COMMIT_TAG_MESSAGE')?.value, '');
});

test('numbers, schedules and upstream pipelines are told where they are known', async () => {
  const valueByKey = valuesOf(
    await variables({
      iid: 7,
      name: 'Nightly',
      scheduleDescription: 'Every night',
      source: 'schedule',
      upstream: { pipelineId: 3, projectId: 2, jobId: 9 },
    }),
  );
  assert.equal(valueByKey.CI_PIPELINE_IID, '7');
  assert.equal(valueByKey.CI_PIPELINE_NAME, 'Nightly');
  assert.equal(valueByKey.CI_PIPELINE_SCHEDULE_DESCRIPTION, 'Every night');
  assert.deepEqual(
    [valueByKey.CI_UPSTREAM_PIPELINE_ID, valueByKey.CI_UPSTREAM_PROJECT_ID, valueByKey.CI_UPSTREAM_JOB_ID],
    ['3', '2', '9'],
  );
});

test('a merge request is told with its people and labels, and the branch names the open ones', async () => {
  const { project: target, row } = await withMergeRequest();
  const mergeRequest = { row, eventType: 'detached' as const, sourceSha: null, targetSha: null };
  const changes = {
    project: target,
    refType: 'merge_request' as const,
    ref: row.source_branch,
    sha: row.head_sha!,
    mergeRequest,
  };
  const variableByKey = await variables({ ...changes, source: 'merge_request_event' });
  const names = [
    ...ALWAYS,
    ...OF_MERGE_REQUESTS,
    'CI_OPEN_MERGE_REQUESTS',
    'CI_MERGE_REQUEST_LABELS',
    'CI_MERGE_REQUEST_ASSIGNEES',
    'CI_MERGE_REQUEST_MILESTONE',
    'CI_MERGE_REQUEST_APPROVED',
  ];
  assert.deepEqual([...variableByKey.keys()].sort(), names.sort());
  const values = valuesOf(variableByKey);
  assert.equal(values.CI_MERGE_REQUEST_REF_PATH, `refs/merge-requests/${row.iid}/head`);
  assert.equal(values.CI_MERGE_REQUEST_LABELS, 'bug,urgent');
  assert.equal(values.CI_MERGE_REQUEST_ASSIGNEES, 'root');
  assert.equal(values.CI_MERGE_REQUEST_MILESTONE, 'M1');
  assert.equal(values.CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED, 'true');
  assert.equal(values.CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED, 'false');
  assert.equal(values.CI_MERGE_REQUEST_DESCRIPTION, 'x'.repeat(2_700));
  assert.equal(values.CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED, 'true');
  assert.equal(values.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA, '');
  assert.equal(values.CI_MERGE_REQUEST_DIFF_ID, String(row.latest_diff_id));
  assert.equal(values.CI_OPEN_MERGE_REQUESTS, `${target.full_path}!${row.iid}`);
  const rule = { name: 'Two', approvals_required: 1 };
  expectStatus(await app.post(`/projects/${target.id}/approval_rules`, { json: rule }), 201);
  assert.equal((await variables({ ...changes })).has('CI_MERGE_REQUEST_APPROVED'), false);
  const branch = await variables({ project: target, ref: row.source_branch, sha: row.head_sha! });
  assert.equal(branch.get('CI_OPEN_MERGE_REQUESTS')?.value, `${target.full_path}!${row.iid}`);
  assert.equal(branch.has('CI_MERGE_REQUEST_IID'), false);
});

async function withMergeRequest() {
  const target = await app.make.project({ namespace: group });
  const git = new ProjectGit(app, target);
  const start = git.commit('main', { a: '1' });
  git.commit('feature', { a: '2' }, { start });
  const made = await makeMergeRequest(app, target, { source_branch: 'feature' });
  await app.post(`/projects/${target.id}/milestones`, { json: { title: 'M1' } });
  const milestones = JSON.parse((await app.get(`/projects/${target.id}/milestones`)).body);
  await app.put(`/projects/${target.id}/merge_requests/${made.iid}`, {
    json: { labels: 'urgent,bug', assignee_ids: [1], milestone_id: milestones[0].id, description: 'x'.repeat(3_000) },
  });
  await app.post(`/projects/${target.id}/protected_branches`, { json: { name: 'main' } });
  const row = await app.deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', '=', made.id)
    .executeTakeFirstOrThrow();
  return { project: target, row };
}

test('a deploy freeze is told while it lasts', async () => {
  const other = await app.make.project({ namespace: group });
  await app.deps.db
    .insertInto('freeze_periods')
    .values({
      project_id: other.id,
      freeze_start: '0 11 15 6 *',
      freeze_end: '0 13 15 6 *',
      cron_timezone: 'UTC',
      created_at: '',
      updated_at: '',
    })
    .execute();
  assert.equal((await variables({ project: other })).get('CI_DEPLOY_FREEZE')?.value, 'true');
  clock.advance(61 * 60_000);
  assert.equal((await variables({ project: other })).has('CI_DEPLOY_FREEZE'), false);
});

test('a long message is cut, between characters', async () => {
  const long = new ProjectGit(app, project).commit('long', { b: '1' }, { message: `T\n\n${'ä'.repeat(60_000)}` });
  const valueByKey = valuesOf(await variables({ sha: long, ref: 'long' }));
  assert.equal(valueByKey.CI_COMMIT_MESSAGE_IS_TRUNCATED, 'true');
  assert.ok(Buffer.byteLength(valueByKey.CI_COMMIT_MESSAGE!) <= 100_000);
  assert.match(valueByKey.CI_COMMIT_MESSAGE!, /ä$/);
});
