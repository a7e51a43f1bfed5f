import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface LintAnswer {
  valid: boolean;
  errors: string[];
  warnings: string[];
  merged_yaml: string | null;
  includes: { type: string; location: string; blob: string | null; raw: string | null }[] | null;
  jobs?: Record<string, unknown>[] | null;
}

const CONFIG = `stages: [build, test]
build:
  stage: build
  script: make
  tags: [linux]
test:
  script: [make test, echo done]
  before_script: [setup]
  after_script: [teardown]
  environment: review/$CI_COMMIT_REF_SLUG
  needs: [build]
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      when: manual
later:
  script: echo
  when: manual
  except: [tags]
`;

let app: TestApp;
let staff: Awaited<ReturnType<typeof staffedGroup>>;
let project: Project;
let open: Project;
let empty: Project;
let first: string;

before(async () => {
  app = await buildTestApp();
  staff = await staffedGroup(app);
  project = await app.make.project({ namespace: staff.group });
  open = await app.make.project({ namespace: staff.group, visibility: 'public' });
  empty = await app.make.project({ namespace: staff.group });
  const git = new ProjectGit(app, project);
  first = git.commit('main', { 'README.md': 'no configuration yet\n', 'ci/part.yml': 'part: {script: old}\n' });
  git.commit('main', { '.gitlab-ci.yml': CONFIG, 'ci/part.yml': 'part: {script: echo}\n' });
  git.commit(
    'topic',
    { 'ci/part.yml': 'part: {script: topic}\n', '.gitlab-ci.yml': 'x: {script: x}\n' },
    { start: 'main' },
  );
  git.run(['tag', 'v1', 'main']);
  git.run(['branch', 'both', 'main']);
  git.run(['tag', 'both', 'main']);
  new ProjectGit(app, open).commit('main', { '.gitlab-ci.yml': 'open: {script: echo}\n' });
});
after(() => app.close());

const pathOf = ({ id }: Project) => `/projects/${id}/ci/lint`;
const response = async (sent: ReturnType<TestApp['get']>) => expectStatus<LintAnswer>(await sent, 200);
const post = (content: string, json: object = {}, options: RequestOptions = {}) =>
  response(app.post(pathOf(project), { token: staff.developer.token, ...options, json: { content, ...json } }));
const get = (query: RequestOptions['query'] = {}, options: RequestOptions = {}) =>
  response(app.get(pathOf(project), { token: staff.developer.token, ...options, query }));

describe('a configuration in the context of a project', () => {
  test('a valid one comes back merged', async () => {
    const lintResult = await post('a: &a {script: [echo]}\nb: {<<: *a, stage: test}\n');
    assert.deepEqual(lintResult, {
      valid: true,
      errors: [],
      warnings: [],
      merged_yaml: '---\na:\n  script:\n  - echo\nb:\n  script:\n  - echo\n  stage: test\n',
      includes: [],
    });
  });

  test('an invalid one is an answer, too', async () => {
    const lintResult = await post('job: {script: echo, stage: nowhere}\n', { include_jobs: true });
    assert.equal(lintResult.valid, false);
    assert.deepEqual(lintResult.errors, [
      'job job: chosen stage nowhere does not exist; available stages are .pre, build, test, deploy, .post',
    ]);
    assert.equal(lintResult.merged_yaml, '---\njob:\n  script: echo\n  stage: nowhere\n');
    assert.deepEqual([lintResult.includes, lintResult.warnings, lintResult.jobs], [[], [], []]);
    assert.deepEqual((await post('invalid')).errors, ['Invalid configuration format']);
    assert.deepEqual((await post('')).errors, ['Please provide content of .gitlab-ci.yml']);
  });

  test('its jobs are listed where asked for', async () => {
    assert.equal((await post(CONFIG)).jobs, undefined);
    const { jobs } = await post(CONFIG, { include_jobs: true });
    assert.deepEqual(jobs?.[0], {
      name: 'build',
      stage: 'build',
      before_script: [],
      script: ['make'],
      after_script: [],
      tag_list: ['linux'],
      only: { refs: ['branches', 'tags'] },
      except: null,
      environment: null,
      when: 'on_success',
      allow_failure: false,
      needs: null,
    });
    assert.deepEqual(jobs?.[1], {
      name: 'test',
      stage: 'test',
      before_script: ['setup'],
      script: ['make test', 'echo done'],
      after_script: ['teardown'],
      tag_list: [],
      only: null,
      except: null,
      environment: 'review/$CI_COMMIT_REF_SLUG',
      when: 'on_success',
      allow_failure: false,
      needs: [{ name: 'build', artifacts: true, optional: false }],
    });
    assert.deepEqual(jobs?.[2]?.except, { refs: ['tags'] });
    assert.deepEqual([jobs?.[2]?.when, jobs?.[2]?.allow_failure], ['manual', true]);
  });

  test('a dry run has the jobs of the pipeline', async () => {
    const { valid, jobs } = await post(CONFIG, { dry_run: true, include_jobs: true });
    assert.equal(valid, true);
    assert.deepEqual(
      jobs?.map(({ name }) => name),
      ['build', 'test', 'later'],
    );
    assert.deepEqual(jobs?.[1], {
      name: 'test',
      stage: 'test',
      before_script: ['setup'],
      script: ['make test', 'echo done'],
      after_script: ['teardown'],
      tag_list: [],
      environment: 'review/main',
      when: 'manual',
      allow_failure: false,
    });
    const names = async (ref: string) =>
      (await post(CONFIG, { dry_run: true, include_jobs: true, ref })).jobs?.map(({ name }) => name);
    assert.deepEqual(await names('topic'), ['build', 'later']);
    assert.deepEqual(await names('v1'), ['build']);
    assert.deepEqual(await names('refs/heads/topic'), ['build', 'later']);
    assert.deepEqual(await names('refs/tags/both'), ['build']);
  });

  test('rules of a dry run know who asks, as those of their pipelines do', async () => {
    const content = (name: string) => `a: {script: echo, rules: [{if: $GITLAB_USER_LOGIN == "${name}"}]}`;
    const valid = async (name: string) => (await post(content(name), { dry_run: true })).valid;
    assert.equal(await valid(staff.developer.user.username), true);
    assert.equal(await valid('somebody-else'), false);
  });

  test('a dry run without a pipeline says why', async () => {
    const errors = async (content: string, json: object = {}) =>
      (await post(content, { dry_run: true, include_jobs: true, ...json })).errors.join();
    assert.equal(await errors(CONFIG, { ref: 'none' }), 'Reference not found');
    assert.equal(await errors(CONFIG, { ref: first }), 'Reference not found');
    assert.equal(await errors(CONFIG, { ref: 'both' }), 'Ref is ambiguous');
    assert.match(
      await errors('a: {script: echo, rules: [{if: $NO}]}'),
      /^The resulting pipeline would have been empty\./,
    );
    assert.match(
      await errors('workflow: {rules: [{if: $NO}]}\na: {script: echo}'),
      /^The pipeline did not run\. Review the <a [^>]+>workflow:rules<\/a>/,
    );
    assert.match(
      await errors('a: {script: echo, only: [tags]}\nb: {script: echo, needs: [a]}'),
      /^'b' job needs 'a' job, but 'a' does not exist in the pipeline\./,
    );
    const refused = await post(CONFIG, { dry_run: true, ref: 'none' });
    assert.deepEqual([refused.valid, refused.merged_yaml, refused.includes], [false, null, null]);
    const nothing = await response(
      app.post(pathOf(empty), { token: staff.developer.token, json: { content: CONFIG, dry_run: true } }),
    );
    assert.deepEqual(nothing.errors, ['Reference not found']);
  });

  test('a dry run tells of more jobs than a pipeline may have', async () => {
    const limit = (ci_pipeline_size: number) =>
      app.put('/application/plan_limits', { json: { plan_name: 'default', ci_pipeline_size } });
    expectStatus(await limit(1), 200);
    try {
      const content = 'a: {script: echo}\nb: {script: echo}\n';
      const lintResult = await post(content, { dry_run: true, include_jobs: true });
      assert.deepEqual([lintResult.valid, lintResult.jobs], [false, []]);
      assert.match(lintResult.errors.join(), /^The number of jobs has exceeded the limit of 1\. Try splitting/);
      assert.ok(lintResult.merged_yaml?.includes('script'));
      assert.equal((await post(content)).valid, true, 'the configuration itself is right');
      assert.equal((await post('a: {script: echo}', { dry_run: true })).valid, true);
    } finally {
      expectStatus(await limit(0), 200);
    }
  });

  test('a dry run on a protected ref takes the rights to push to it', async () => {
    const guarded = await app.make.project({ namespace: staff.group });
    new ProjectGit(app, guarded).commit('main', { 'README.md': '' });
    const path = `/projects/${guarded.id}`;
    expectStatus(await app.post(`${path}/protected_branches`, { json: { name: 'main' } }), 201);
    const of = async (token: string) =>
      response(app.post(`${path}/ci/lint`, { token, json: { content: CONFIG, dry_run: true, ref: 'main' } }));
    assert.equal((await of(staff.maintainer.token)).valid, true);
    assert.deepEqual((await of(staff.developer.token)).errors, [
      "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.",
    ]);
  });

  test('content must be given, as a text', async () => {
    const refused = async (json: object) =>
      expectStatus<{ message: string }>(await app.post(pathOf(project), { token: staff.developer.token, json }), 400)
        .message;
    assert.equal(await refused({}), 'content is missing');
    assert.equal(await refused({ content: { a: 1 } }), 'content is invalid');
    assert.equal(await refused({ content: 'a', dry_run: 'perhaps' }), 'dry_run is invalid');
  });
});

describe('the configuration of a project', () => {
  test('is that of the head of the default branch', async () => {
    const lintResult = await get({ include_jobs: true });
    assert.equal(lintResult.valid, true);
    assert.deepEqual(
      lintResult.jobs?.map(({ name }) => name),
      ['build', 'test', 'later'],
    );
  });

  test('or of another commit, branch or tag', async () => {
    const names = async (query: RequestOptions['query']) =>
      (await get({ include_jobs: true, ...query })).jobs?.map(({ name }) => name);
    assert.deepEqual(await names({ content_ref: 'topic' }), ['x']);
    assert.deepEqual(await names({ content_ref: 'v1' }), ['build', 'test', 'later']);
    assert.deepEqual(await names({ sha: 'topic' }), ['x']);
    for (const name of ['none', 'f'.repeat(40), '-x', '../x']) {
      const sent = await app.get(pathOf(project), { token: staff.developer.token, query: { content_ref: name } });
      assert.equal(expectStatus<{ message: string }>(sent, 404).message, '404 Commit Not Found');
    }
  });

  test('a commit without one is an answer, a repository without commits is not there', async () => {
    assert.deepEqual(await get({ content_ref: first, include_jobs: true }), {
      valid: false,
      errors: ['Please provide content of .gitlab-ci.yml'],
      warnings: [],
      merged_yaml: null,
      includes: null,
      jobs: [],
    });
    for (const query of [{ dry_run: false }, { dry_run: true }]) {
      const sent = await app.get(pathOf(empty), { token: staff.developer.token, query });
      assert.equal(expectStatus<{ message: string }>(sent, 404).message, '404 Repository Not Found');
    }
  });

  test('a dry run takes the content from one ref and runs for another', async () => {
    const names = async (query: RequestOptions['query']) =>
      (await get({ include_jobs: true, dry_run: true, ...query })).jobs?.map(({ name }) => name);
    assert.deepEqual(await names({}), ['build', 'test', 'later']);
    assert.deepEqual(await names({ dry_run_ref: 'topic' }), ['build', 'later']);
    assert.deepEqual(await names({ ref: 'v1' }), ['build']);
    assert.deepEqual(await names({ content_ref: 'topic', dry_run_ref: 'v1' }), ['x']);
    assert.deepEqual((await get({ dry_run: true, dry_run_ref: 'none' })).errors, ['Reference not found']);
  });

  test('old and new names of a parameter exclude each other', async () => {
    for (const [query, message] of [
      [{ sha: 'main', content_ref: 'main' }, 'sha, content_ref are mutually exclusive'],
      [{ ref: 'main', dry_run_ref: 'main' }, 'ref, dry_run_ref are mutually exclusive'],
    ] as const) {
      const sent = await app.get(pathOf(project), { token: staff.developer.token, query });
      assert.equal(expectStatus<{ message: string }>(sent, 400).message, message);
    }
  });

  test('it stands where the settings of the project say', async () => {
    const elsewhere = await app.make.project({ namespace: staff.group });
    new ProjectGit(app, elsewhere).commit('main', { 'build/ci.yml': 'there: {script: echo}\n' });
    const path = `/projects/${elsewhere.id}`;
    expectStatus(await app.put(path, { json: { ci_config_path: 'build/ci.yml' } }), 200);
    const lintResult = await response(app.get(`${path}/ci/lint`, { query: { include_jobs: true } }));
    assert.deepEqual(
      lintResult.jobs?.map(({ name }) => name),
      ['there'],
    );
  });
});

const CLOSED = {
  repository_access_level: 'private',
  merge_requests_access_level: 'private',
  builds_access_level: 'private',
};

describe('rights', () => {
  const statuses = async (target: Project, token: string | null) => [
    (await app.get(pathOf(target), { token })).statusCode,
    (await app.post(pathOf(target), { token, json: { content: 'a: {script: echo}' } })).statusCode,
  ];

  test('code must be readable to check what is there, and pipelines allowed to check anything else', async () => {
    const stranger = await app.make.user();
    const planner = await staff.at(15);
    const reporter = await staff.at(20);
    assert.deepEqual(await statuses(project, null), [401, 401]);
    assert.deepEqual(await statuses(project, stranger.token), [404, 404]);
    assert.deepEqual(await statuses(project, staff.guest.token), [403, 403]);
    assert.deepEqual(await statuses(project, planner.token), [403, 403]);
    assert.deepEqual(await statuses(project, reporter.token), [200, 403]);
    for (const { token } of [staff.developer, staff.maintainer, staff.owner]) {
      assert.deepEqual(await statuses(project, token), [200, 200]);
    }
    assert.deepEqual(await statuses(open, null), [200, 401]);
    assert.deepEqual(await statuses(open, stranger.token), [200, 403]);
    assert.deepEqual(await statuses(open, staff.guest.token), [200, 403]);
    assert.deepEqual(await statuses(open, staff.developer.token), [200, 200]);
  });

  test('anonymous callers learn nothing of what is there', async () => {
    assert.equal((await app.get('/projects/999999/ci/lint', { token: null })).statusCode, 401);
    assert.equal((await app.get('/projects/999999/ci/lint', { token: staff.developer.token })).statusCode, 404);
    const hidden = await app.make.project({ namespace: staff.group, visibility: 'public' });
    expectStatus(await app.put(`/projects/${hidden.id}`, { json: CLOSED }), 200);
    assert.equal((await app.get(pathOf(hidden), { token: null })).statusCode, 401);
  });

  test('who may not start pipelines gets no dry run', async () => {
    for (const token of [null, (await app.make.user()).token]) {
      const lintResult = await response(app.get(pathOf(open), { token, query: { dry_run: true, include_jobs: true } }));
      assert.deepEqual(lintResult.errors, ['Insufficient permissions to create a new pipeline']);
      assert.deepEqual(
        [lintResult.valid, lintResult.merged_yaml, lintResult.includes, lintResult.jobs],
        [false, null, null, []],
      );
    }
    const closed = await app.make.project({ namespace: staff.group });
    new ProjectGit(app, closed).commit('main', { '.gitlab-ci.yml': CONFIG });
    await app.put(`/projects/${closed.id}`, { json: { builds_access_level: 'disabled' } });
    const lintResult = await response(app.get(pathOf(closed), { query: { dry_run: true } }));
    assert.deepEqual(lintResult.errors, ['Pipelines are disabled!']);
    assert.equal((await app.post(pathOf(closed), { json: { content: CONFIG } })).statusCode, 403);
  });

  test('a token to read does for the one, not for the other', async () => {
    const { user } = staff.developer;
    const token = await app.make.token(user.id, ['read_api']);
    assert.deepEqual(await statuses(project, token), [200, 403]);
  });
});
