import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Insertable } from 'kysely';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import { storedText } from '../../core/stored-secret.ts';
import type { CiJob, CiJobsTable } from '../../db/tables/ci-jobs.table.ts';
import type { CiVariablesTable } from '../../db/tables/ci-variables.table.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { jobVariables } from './job-variables.ts';
import { storedVariables } from './pipeline-variables.stored.ts';

const NOW = '2026-06-15T12:00:00.000Z';
const DATED = { created_at: NOW, updated_at: NOW };
const TOKEN = 'glcbt-64_abcdefghijklmnopqrst';

let app: TestApp;
let root: Namespace;
let group: Namespace;
let project: Project;
let sha: string;
let iid = 0;

before(async () => {
  app = await buildTestApp({ settings: { STITHY_EXTERNAL_URL: 'http://forge.example' } });
  root = await app.make.group();
  group = await app.make.group({ parent: root });
  project = await app.make.project({ namespace: group });
  sha = new ProjectGit(app, project).commit('main', { a: '1' });
});
after(() => app.close());

async function pipeline(columns: Partial<Pipeline> = {}): Promise<Pipeline> {
  iid += 1;
  return app.deps.db
    .insertInto('pipelines')
    .values({
      iid,
      project_id: project.id,
      sha,
      ref: 'main',
      source: 'push',
      status: 'running',
      user_id: 1,
      ...DATED,
      ...columns,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function job(
  of: Pipeline,
  columns: Partial<Insertable<CiJobsTable>> = {},
  config: { variables?: Variable[]; environment?: object; options?: object } = {},
): Promise<CiJob> {
  const { db } = app.deps;
  const row = await db
    .insertInto('ci_jobs')
    .values({
      kind: 'build',
      project_id: project.id,
      pipeline_id: of.id,
      sha,
      ref: 'main',
      name: 'test',
      stage: 'test',
      stage_index: 2,
      status: 'running',
      user_id: 1,
      started_at: NOW,
      ...DATED,
      ...columns,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .insertInto('ci_job_configs')
    .values({
      job_id: row.id,
      options: JSON.stringify(config.options ?? { dependencies: null }),
      variables: JSON.stringify(config.variables ?? []),
      environment: config.environment === undefined ? null : JSON.stringify(config.environment),
    })
    .execute();
  return row;
}

async function variablesOf(
  of: CiJob,
  runner: Parameters<typeof jobVariables>[3]['runner'] = null,
): Promise<Record<string, Variable>> {
  const list = await jobVariables(app.deps, app.deps.db, of, { token: TOKEN, runner });
  const byName = Object.fromEntries(list.map((variable) => [variable.key, variable]));
  assert.equal(Object.keys(byName).length, list.length, 'no name is there twice');
  return byName;
}

const stored = ({
  value,
  ...columns
}: Partial<Omit<Insertable<CiVariablesTable>, 'value'>> & { key: string; value: string }) =>
  app.deps.db
    .insertInto('ci_variables')
    .values({ value: storedText(value), variable_type: 'env_var', environment_scope: '*', ...DATED, ...columns })
    .execute();

test('what a running job is told of itself, its user and its runner', async () => {
  const of = await pipeline();
  const made = await job(of, { name: 'rspec 2/3', run_when: 'manual' });
  const runner = { id: 5, description: 'a runner', tag_list: JSON.stringify(['docker', 'linux']) };
  const variables = await variablesOf(made, runner);
  const expected = {
    CI_JOB_ID: String(made.id),
    CI_JOB_URL: `http://forge.example/${project.full_path}/-/jobs/${made.id}`,
    CI_JOB_NAME: 'rspec 2/3',
    CI_JOB_NAME_SLUG: 'rspec-2-3',
    CI_JOB_GROUP_NAME: 'rspec',
    CI_JOB_STAGE: 'test',
    CI_JOB_MANUAL: 'true',
    CI_JOB_STARTED_AT: '2026-06-15T12:00:00Z',
    CI_JOB_STARTED_AT_SLUG: '2026-06-15t12-00-00z',
    CI_NODE_TOTAL: '1',
    CI_PIPELINE_ID: String(of.id),
    CI_PIPELINE_IID: String(of.iid),
    CI_PIPELINE_URL: `http://forge.example/${project.full_path}/-/pipelines/${of.id}`,
    CI_JOB_TOKEN: TOKEN,
    CI_REGISTRY_USER: 'gitlab-ci-token',
    CI_REGISTRY_PASSWORD: TOKEN,
    CI_REPOSITORY_URL: `http://gitlab-ci-token:${TOKEN}@forge.example/${project.full_path}.git`,
    CI_RUNNER_ID: '5',
    CI_RUNNER_DESCRIPTION: 'a runner',
    CI_RUNNER_TAGS: '["docker", "linux"]',
    GITLAB_USER_ID: '1',
    GITLAB_USER_LOGIN: 'root',
    CI_COMMIT_BRANCH: 'main',
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(variables[key]?.value, value, key);
  for (const key of ['CI_JOB_TOKEN', 'CI_REGISTRY_PASSWORD']) {
    assert.deepEqual([variables[key]?.masked, variables[key]?.public], [true, false], key);
  }
  assert.equal(variables.CI_REPOSITORY_URL?.public, false);
  assert.equal(variables.CI_JOB_NAME?.public, true);
});

test('of one name the variable of the highest precedence counts', async () => {
  const of = await pipeline();
  const levels = ['yaml', 'dotenv', 'instance', 'root', 'group', 'project', 'pipeline', 'manual'];
  const upTo = (level: string) => levels.slice(levels.indexOf(level)).map((name) => `P_${name}`);
  const build = await job(of, { name: 'build', stage: 'build', stage_index: 1, status: 'success' });
  const made = await job(of, {}, { variables: upTo('yaml').map((key) => ({ key, value: 'yaml' })) });
  const { db } = app.deps;
  for (const key of upTo('dotenv')) {
    await db
      .insertInto('ci_job_variables')
      .values({ job_id: build.id, key, value: storedText('dotenv'), source: 'dotenv' })
      .execute();
  }
  for (const key of upTo('instance')) await stored({ key, value: 'instance' });
  for (const key of upTo('root')) await stored({ key, value: 'root', group_id: root.id });
  for (const key of upTo('group')) await stored({ key, value: 'group', group_id: group.id });
  for (const key of upTo('project')) await stored({ key, value: 'project', project_id: project.id });
  for (const key of upTo('pipeline')) {
    await db
      .insertInto('ci_pipeline_variables')
      .values({ pipeline_id: of.id, key, value: storedText('pipeline'), variable_type: 'env_var' })
      .execute();
  }
  await db
    .insertInto('ci_job_variables')
    .values({ job_id: made.id, key: 'P_manual', value: storedText('manual'), source: 'manual' })
    .execute();
  const variables = await variablesOf(made);
  for (const level of levels) assert.equal(variables[`P_${level}`]?.value, level);
  assert.equal(variables.P_yaml?.public, true);
  for (const level of levels.slice(1)) assert.equal(variables[`P_${level}`]?.public, false, level);
});

test('variables of environments and of protected refs reach the jobs that they are for', async () => {
  await stored({ key: 'SCOPED', value: 'exact', project_id: project.id, environment_scope: 'review/one' });
  await stored({ key: 'SCOPED', value: 'all', project_id: project.id });
  await stored({ key: 'SCOPED', value: 'pattern', project_id: project.id, environment_scope: 'review/*' });
  await stored({ key: 'GUARDED', value: 'x', project_id: project.id, protected: 1 });
  const of = await pipeline();
  const value = async (columns: Partial<Insertable<CiJobsTable>>) =>
    (await variablesOf(await job(of, columns))).SCOPED?.value;
  assert.equal(await value({}), 'all');
  assert.equal(await value({ environment: 'review/two' }), 'pattern');
  assert.equal(await value({ environment: 'review/one' }), 'exact');
  assert.equal((await variablesOf(await job(of))).GUARDED, undefined);
  assert.equal((await variablesOf(await job(of, { protected: 1 }))).GUARDED?.value, 'x');
});

test('files, raw and masked variables keep what they are, and references to them stay', async () => {
  await stored({ key: 'KUBE', value: 'content', project_id: project.id, variable_type: 'file' });
  await stored({ key: 'RAW', value: '$A', project_id: project.id, raw: 1 });
  await stored({ key: 'SECRET', value: 'sesame-open', project_id: project.id, masked: 1 });
  const made = await job(
    await pipeline(),
    {},
    {
      variables: [
        { key: 'A', value: 'one' },
        { key: 'B', value: '$A $CI_JOB_STAGE $KUBE ${RAW} $UNKNOWN $$A' },
        { key: 'X', value: '$Y' },
      ],
    },
  );
  const variables = await variablesOf(made);
  assert.equal(variables.B?.value, 'one test $KUBE ${RAW} $UNKNOWN $$A');
  assert.equal(variables.KUBE?.file, true);
  assert.deepEqual([variables.RAW?.raw, variables.RAW?.value], [true, '$A']);
  assert.equal(variables.SECRET?.masked, true);
  const circle = await job(
    await pipeline(),
    {},
    {
      variables: [
        { key: 'X', value: '$Y' },
        { key: 'Y', value: '$X' },
      ],
    },
  );
  assert.equal((await variablesOf(circle)).X?.value, '$Y');
});

test('an environment is told with its slug, and the address may speak of it', async () => {
  await app.deps.db
    .insertInto('environments')
    .values({
      project_id: project.id,
      name: 'review/My App',
      slug: 'review-my-app-abc',
      tier: 'development',
      state: 'available',
      auto_stop_setting: 'always',
      ...DATED,
    })
    .execute();
  const environment = { name: 'review/My App', url: 'https://$CI_ENVIRONMENT_SLUG.example', action: 'start' };
  const variables = await variablesOf(await job(await pipeline(), { environment: 'review/My App' }, { environment }));
  assert.equal(variables.CI_ENVIRONMENT_NAME?.value, 'review/My App');
  assert.equal(variables.CI_ENVIRONMENT_SLUG?.value, 'review-my-app-abc');
  assert.equal(variables.CI_ENVIRONMENT_TIER?.value, 'development');
  assert.equal(variables.CI_ENVIRONMENT_ACTION?.value, 'start');
  assert.equal(variables.CI_ENVIRONMENT_URL?.value, 'https://review-my-app-abc.example');
});

test('what jobs report reaches those that depend on them', async () => {
  const of = await pipeline();
  const { db } = app.deps;
  const report = async (name: string, stage_index: number, columns = {}) => {
    const made = await job(of, { name, stage_index, status: 'success', ...columns });
    await db
      .insertInto('ci_job_variables')
      .values({ job_id: made.id, key: `FROM_${name}`, value: storedText(name), source: 'dotenv' })
      .execute();
    await db
      .insertInto('ci_job_variables')
      .values({ job_id: made.id, key: 'LAST', value: storedText(name), source: 'dotenv' })
      .execute();
    return made;
  };
  await report('a', 0);
  await report('b', 1);
  await report('old', 1, { retried: 1 });
  await report('same', 2);
  const names = async (made: CiJob) =>
    Object.keys(await variablesOf(made))
      .filter((key) => key.startsWith('FROM_'))
      .sort();
  const later = await job(of, { name: 'later' });
  assert.deepEqual(await names(later), ['FROM_a', 'FROM_b']);
  assert.equal((await variablesOf(later)).LAST?.value, 'b');
  assert.deepEqual(await names(await job(of, { name: 'only' }, { options: { dependencies: ['a'] } })), ['FROM_a']);
  assert.deepEqual(await names(await job(of, { name: 'none' }, { options: { dependencies: [] } })), []);
  const dag = await job(of, { name: 'dag', scheduling: 'dag' });
  await db
    .insertInto('ci_job_needs')
    .values([
      { job_id: dag.id, name: 'b', artifacts: 1 },
      { job_id: dag.id, name: 'a', artifacts: 0 },
      { job_id: dag.id, name: 'same', artifacts: 1 },
    ])
    .execute();
  assert.deepEqual(await names(dag), ['FROM_b', 'FROM_same']);
});

test('what a job reports takes the place of no token, number and address of another one', async () => {
  const of = await pipeline();
  const reporter = await job(of, { name: 'reporter', stage_index: 0, status: 'success' });
  const later = await job(of, { name: 'later' });
  const expected = await variablesOf(later);
  const keys = ['CI_JOB_TOKEN', 'CI_JOB_ID', 'CI_REPOSITORY_URL', 'CI_REGISTRY_PASSWORD', 'PATH'];
  await app.deps.db
    .insertInto('ci_job_variables')
    .values(
      keys.map((key) => ({
        job_id: reporter.id,
        key,
        value: storedText<'ci_job_variables.value'>('forged'),
        source: 'dotenv' as const,
      })),
    )
    .execute();
  const variables = await variablesOf(later);
  assert.equal(variables.PATH?.value, 'forged');
  for (const key of keys.slice(0, -1)) assert.deepEqual(variables[key], expected[key], key);
});

test('a triggered pipeline tells the beginning of its token', async () => {
  const { id } = await app.deps.db
    .insertInto('ci_triggers')
    .values({ project_id: project.id, owner_id: 1, description: '', token: 'glptt-abcdefgh', digest: 'd', ...DATED })
    .returning('id')
    .executeTakeFirstOrThrow();
  const variables = await variablesOf(await job(await pipeline({ trigger_id: id, source: 'trigger' })));
  assert.equal(variables.CI_PIPELINE_TRIGGERED?.value, 'true');
  assert.equal(variables.CI_TRIGGER_SHORT_TOKEN?.value, 'abcd');
});

test('a project in a personal namespace has none of groups', async () => {
  const own = await app.make.project();
  const namespace = await app.deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', own.namespace_id)
    .executeTakeFirstOrThrow();
  const variables = await storedVariables(app.deps, app.deps.db, own, namespace, { protectedRef: true });
  assert.deepEqual(new Set(variables.map(({ value }) => value)), new Set(['instance']));
});

test('the release of its tag is told, whatever stands in it', async () => {
  const values = (tag: string, text: string, name: string | null) => ({
    project_id: project.id,
    tag,
    name,
    description: text,
    released_at: NOW,
    ...DATED,
  });
  const notes = `Costs $5: $CI_JOB_TOKEN ${'é'.repeat(2_000)}`;
  await app.deps.db
    .insertInto('releases')
    .values([values('v1', notes, 'One $CI_JOB_ID'), values('v2', '', null), values('main', 'of a tag', null)])
    .execute();
  const variables = await variablesOf(await job(await pipeline({ ref: 'v1', tag: 1 }), { ref: 'v1' }));
  assert.deepEqual(variables.CI_RELEASE_DESCRIPTION, {
    key: 'CI_RELEASE_DESCRIPTION',
    value: [...notes].slice(0, 1_024).join(''),
    public: true,
    raw: true,
  });
  assert.equal(variables.CI_RELEASE_NAME?.value, 'One $CI_JOB_ID');
  const second = await variablesOf(
    await job(await pipeline({ ref: 'v2', tag: 1 }), {}, { variables: [{ key: 'CI_RELEASE_NAME', value: 'mine' }] }),
  );
  assert.deepEqual([second.CI_RELEASE_DESCRIPTION?.value, second.CI_RELEASE_NAME?.value], ['', 'v2']);
  for (const each of [await pipeline(), await pipeline({ ref: 'v3', tag: 1 })]) {
    const none = await variablesOf(await job(each));
    assert.deepEqual([none.CI_RELEASE_NAME, none.CI_RELEASE_DESCRIPTION], [undefined, undefined]);
  }
});
