import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { commitFiles } from '../../../test/support/commits.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../../test/support/settings.ts';
import type { CompileRequest } from '../../ci/compile-request.ts';
import { CompileHost } from '../../ci/compiler/host.ts';
import { Busy } from '../../core/busy.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { destroyPipeline } from '../removal/pipeline-removal.destroy.ts';
import { retryJob } from '../states/pipeline-states.retry.ts';
import { openedVariable } from '../variables/at-rest.ts';
import { createPipeline } from './pipeline-creation.create.ts';
import type { PipelineRequest } from './pipeline-creation.request.ts';
import { keepPipelineRef } from './pipeline-ref.ts';

let app: TestApp;
let pipelines: Pipelines;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp();
  pipelines = new Pipelines(app);
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
});

const TWO = 'build-it:\n  stage: build\n  script: make\ntest-it:\n  script: make test\n';
const configure = (content: string, branch = 'main', message?: string) =>
  git.commit(branch, { '.gitlab-ci.yml': content }, message === undefined ? {} : { message });
const create = (request: Partial<PipelineRequest> = {}) =>
  createPipeline(app.deps, { projectId: project.id, source: 'api', userId: 1, ref: 'main', ...request });
/** What it says where no pipeline is made. */
async function refusal(request: Partial<PipelineRequest> = {}): Promise<string> {
  const { pipeline, texts } = await create(request);
  assert.equal(pipeline, null);
  return texts.join('\n');
}
const all = () =>
  app.deps.db.selectFrom('pipelines').selectAll().where('project_id', '=', project.id).orderBy('id').execute();
/** A commit through the API, as a push of root. */
async function push(files: Record<string, string>, more: Record<string, unknown> = {}): Promise<Pipeline[]> {
  await commitFiles(app, project.id, files, more);
  await app.drain();
  return all();
}

describe('createPipeline', () => {
  it('makes what the configuration of the ref says', async () => {
    const sha = configure(`${TWO}hidden:\n  rules: [{if: $CI_COMMIT_BRANCH == "other"}]\n  script: x\n`);
    const { pipeline, texts } = await create();
    assert.deepEqual(texts, []);
    assert.equal(await pipelines.states(pipeline!.id), 'pending: build-it pending, test-it created');
    const { sha: at, ref, tag, source, config_path, user_id } = pipeline!;
    assert.deepEqual(
      { at, ref, tag, source, config_path, user_id },
      { at: sha, ref: 'main', tag: 0, source: 'api', config_path: '.gitlab-ci.yml', user_id: 1 },
    );
  });

  it('runs for tags, and for full names where a short one may mean either', async () => {
    configure(TWO);
    git.run(['tag', '-m', 'x', 'v1', 'main']);
    git.run(['branch', 'both', 'main']);
    git.run(['tag', 'both', 'main']);
    assert.deepEqual(
      [(await create({ ref: 'v1' })).pipeline!.tag, (await create({ ref: 'v1' })).pipeline!.ref],
      [1, 'v1'],
    );
    assert.equal(await refusal({ ref: 'both' }), 'Ref is ambiguous');
    assert.equal((await create({ ref: 'refs/heads/both' })).pipeline!.tag, 0);
    assert.equal((await create({ ref: 'refs/tags/both' })).pipeline!.tag, 1);
  });

  it('says why there is none', async () => {
    assert.equal(await refusal(), 'Reference not found');
    git.commit('main', { a: '1' });
    assert.equal(await refusal(), 'Missing CI config file');
    assert.equal(await refusal({ ref: 'nope' }), 'Reference not found');
    assert.equal(await refusal({ sha: 'f'.repeat(40) }), 'Commit not found');
    configure(TWO);
    const inputs = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`i${index}`, 'x']));
    assert.equal(await refusal({ inputs }), 'There cannot be more than 20 inputs');
    const variable = (key: string) => ({ key, value: '1', variable_type: 'env_var' as const });
    assert.equal(await refusal({ variables: ['A', 'B', 'A', 'B'].map(variable) }), 'Duplicate variable names: A, B');
    assert.equal(await refusal({ variables: [variable('A'), variable('A')] }), 'Duplicate variable name: A');
    configure('job:\n  script: x\n  rules: [{when: never}]\n');
    assert.match(await refusal(), /^The resulting pipeline would have been empty\./);
    configure(`workflow:\n  rules: [{when: never}]\n${TWO}`);
    assert.match(await refusal(), /^The pipeline did not run\./);
    assert.deepEqual(await all(), []);
  });

  it('asks what the user may do', async () => {
    configure(TWO);
    git.run(['branch', 'open', 'main']);
    const users = await app.make.members(project);
    for (const name of ['stranger', 'guest', 'reporter'] as const) {
      const text = 'Insufficient permissions to create a new pipeline';
      assert.equal(await refusal({ userId: users[name].user.id, ref: 'open' }), text, name);
    }
    expectStatus(
      await app.post(`/projects/${project.id}/protected_branches`, {
        json: { name: 'main', push_access_level: 40, merge_access_level: 40 },
      }),
      201,
    );
    const userId = users.developer.user.id;
    const text = `You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.`;
    assert.equal(await refusal({ userId }), text);
    assert.notEqual((await create({ userId, ref: 'open' })).pipeline, null);
    const protectedPipeline = (await create({ userId: users.maintainer.user.id })).pipeline!;
    assert.equal(protectedPipeline.protected, 1);
    const blocked = await app.make.user({ columns: { state: 'blocked' } });
    await app.make.member({ project }, blocked.user, 50);
    assert.equal(await refusal({ userId: blocked.user.id }), 'Insufficient permissions to create a new pipeline');
    await app.deps.db
      .updateTable('projects')
      .set({ builds_access_level: 'disabled' })
      .where('id', '=', project.id)
      .execute();
    assert.equal(await refusal(), 'Pipelines are disabled!');
    assert.equal(await refusal({ projectId: 999_999 }), 'Project is deleted!');
  });

  it('lets variables be given by those whom the project lets', async () => {
    project = await app.make.project({
      columns: { settings: '{"ci_pipeline_variables_minimum_override_role":"maintainer"}' },
    });
    git = new ProjectGit(app, project);
    configure('job:\n  script: x\n  rules: [{if: $DEPLOY == "yes"}]\n');
    const { developer, maintainer } = await app.make.members(project);
    const variables = [{ key: 'DEPLOY', value: 'yes', variable_type: 'env_var' as const }];
    const text = 'Insufficient permissions to set pipeline variables';
    assert.equal(await refusal({ userId: developer.user.id, variables }), text);
    const { pipeline } = await create({ userId: maintainer.user.id, variables });
    const rows = await app.deps.db
      .selectFrom('ci_pipeline_variables')
      .select(['key', 'value'])
      .where('pipeline_id', '=', pipeline!.id)
      .execute();
    assert.deepEqual(
      rows
        .map((row) => openedVariable(app.deps, 'ci_pipeline_variables', row))
        .map(({ key, value }) => `${key}=${value}`),
      ['DEPLOY=yes'],
    );
  });

  it('keeps errors of the configuration only where nobody waits for them', async () => {
    configure('job:\n  script: x\n  stage: nowhere\n');
    const text = /chosen stage nowhere does not exist/;
    assert.match(await refusal(), text);
    const { pipeline, texts } = await create({ source: 'push' });
    assert.match(texts.join(), text);
    assert.deepEqual([pipeline!.status, pipeline!.failure_reason], ['failed', 'config_error']);
    assert.match(pipeline!.yaml_errors!, text);
    configure('a: [\n');
    assert.notEqual(await refusal(), '');
  });

  it('reads the configuration where the project says that it is', async () => {
    const other = await app.make.project();
    new ProjectGit(app, other).commit('main', { 'ci/own.yml': 'elsewhere:\n  script: x\n' });
    git.commit('main', { 'deep/ci.yml': 'deep:\n  script: x\n' });
    const at = async (ci_config_path: string) => {
      const settings = JSON.stringify({ ci_config_path });
      await app.deps.db.updateTable('projects').set({ settings }).where('id', '=', project.id).execute();
      return create();
    };
    assert.equal(await pipelines.states((await at('deep/ci.yml')).pipeline!.id), 'pending: deep pending');
    assert.equal(
      await pipelines.states((await at(`ci/own.yml@${other.full_path}`)).pipeline!.id),
      'pending: elsewhere pending',
    );
    assert.match((await at('nowhere.yml@no/project')).texts.join(), /no\/project/);
    assert.equal((await at('absent.yml')).texts.join(), 'Missing CI config file');
  });
});

describe('a push', () => {
  it('makes a pipeline of a branch, once, and remembers what was before', async () => {
    const [first] = await push({ '.gitlab-ci.yml': TWO });
    assert.deepEqual([first!.source, first!.ref, first!.before_sha, first!.iid], ['push', 'main', null, 1]);
    const [, second] = await push({ a: '1' });
    assert.equal(second!.before_sha, first!.sha);
    assert.equal(await pipelines.states(second!.id), 'pending: build-it pending, test-it created');
    assert.equal(await pipelines.states(first!.id), 'canceled: build-it canceled, test-it canceled');
  });

  it('compares with what was before where rules ask for changes', async () => {
    const config =
      'docs:\n  script: x\n  rules: [{changes: [docs/*]}]\ncode:\n  script: x\n  rules: [{changes: [src/*]}]\n';
    await push({ '.gitlab-ci.yml': config });
    const made = await push({ 'src/a': '1' });
    assert.equal(await pipelines.states(made.at(-1)!.id), 'pending: code pending');
    assert.equal((await push({ other: '1' })).length, made.length);
  });

  it('that asks for none is a skipped pipeline', async () => {
    for (const [index, message] of ['x [ci skip]', '[Skip CI] x', 'a\n\n[skip-ci]'].entries()) {
      const made = await push({ [`f${index}`]: TWO }, { commit_message: message });
      assert.equal(made.at(-1)!.status, 'skipped', message);
    }
  });

  it('has its pipeline later where there was no time to compile the configuration, as often as that was so', async (t) => {
    const { compile } = CompileHost.prototype;
    let refusals = 0;
    t.mock.method(CompileHost.prototype, 'compile', function (this: CompileHost, request: CompileRequest) {
      refusals += 1;
      if (refusals <= 8) throw new Busy(503, 'no time', 5);
      return compile.call(this, request);
    });
    await changeSettings(app, { pipeline_limit_per_project_user_sha: 1 });
    try {
      await commitFiles(app, project.id, { '.gitlab-ci.yml': `${TWO}${'#'.repeat(3_000)}\n` });
      await app.drain();
      const [made, ...others] = await all();
      assert.deepEqual(others, []);
      assert.equal(made?.yaml_errors, null);
      assert.equal(await pipelines.states(made!.id), 'pending: build-it pending, test-it created');
      assert.equal(refusals, 9);
    } finally {
      await resetSettings(app);
    }
  });

  it('gives no pipeline to what has no configuration, or to a branch that goes', async () => {
    assert.deepEqual(await push({ a: '1' }), []);
    await push({ '.gitlab-ci.yml': TWO });
    expectStatus(
      await app.post(`/projects/${project.id}/repository/branches`, { query: { branch: 'side', ref: 'main' } }),
      201,
    );
    await app.drain();
    const made = await all();
    assert.deepEqual(
      made.map(({ ref }) => ref),
      ['main', 'side'],
    );
    expectStatus(await app.delete(`/projects/${project.id}/repository/branches/side`), 204);
    await app.drain();
    assert.equal((await all()).length, 2);
  });
});

it('the commit of a pipeline is kept by a ref of its own while something is to be done', async () => {
  const sha = configure('a:\n  script: x\n');
  const { pipeline } = await create();
  const refs = () => git.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/pipelines']);
  await app.drain();
  assert.equal(refs(), `refs/pipelines/${pipeline!.id} ${sha}`);
  await pipelines.run(pipeline!.id, 'a', 'script_failure');
  await app.drain();
  assert.equal(refs(), '');
  await retryJob(app.deps, (await pipelines.job(pipeline!.id, 'a')).id, { userId: 1 });
  assert.equal(await keepPipelineRef(app.deps, project, pipeline!), true);
  await app.drain();
  assert.equal(refs(), `refs/pipelines/${pipeline!.id} ${sha}`);
  await destroyPipeline(app.deps, pipeline!.id);
  await app.drain();
  assert.equal(refs(), '');
});

it('what a job pushes makes no pipeline', async () => {
  const sha = configure(TWO);
  await app.deps.events.record(
    app.deps.db,
    'push',
    {
      project_id: project.id,
      updates: [{ ref: 'refs/heads/main', old: null, new: sha }],
      push_options: [],
      via: 'job',
    },
    { projectId: project.id, actorId: 1 },
  );
  await app.drain();
  assert.deepEqual(await all(), []);
});

it('a push makes pipelines for four refs, and takes its options', async () => {
  const sha = configure(`${TWO}extra:\n  script: x\n  rules: [{if: $MODE == "a=b"}]\n`);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) git.run(['branch', name, 'main']);
  const updates = names.map((name) => ({ ref: `refs/heads/${name}`, old: null, new: sha }));
  const recorded = (push_options: string[]) =>
    app.deps.events.record(
      app.deps.db,
      'push',
      { project_id: project.id, updates, push_options, via: 'git' },
      { projectId: project.id, actorId: 1 },
    );
  await recorded(['ci.variable=MODE=a=b', 'ci.variable=1 2=x', 'ci.nothing']);
  await app.drain();
  const made = await all();
  assert.deepEqual(made.map(({ ref }) => ref).sort(), ['a', 'b', 'c', 'd']);
  assert.equal(await pipelines.states(made[0]!.id), 'pending: build-it pending, test-it created, extra created');
  await recorded(['ci.skip']);
  await app.drain();
  assert.deepEqual(
    (await all()).slice(4).map(({ status }) => status),
    ['skipped', 'skipped', 'skipped', 'skipped'],
  );
});
