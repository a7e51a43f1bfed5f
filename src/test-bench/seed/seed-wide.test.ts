import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { applySeed } from './seed.apply.ts';

const FILE = resolve(import.meta.dirname, '../../../test/fixtures/wide.seed.yml');
const TEXT = readFileSync(FILE, 'utf8');

type Json = Record<string, unknown>;

async function seededApp(): Promise<TestApp> {
  const app = await buildTestApp({ clock: new TestClock(), settings: { STITHY_BENCH: '1' } });
  await applySeed(app.instance, { text: TEXT, file: FILE, bundles: async () => null });
  return app;
}

let app: TestApp;
before(async () => {
  app = await seededApp();
});
after(() => app.close());

const get = async <T = Json>(path: string): Promise<T> => expectStatus<T>(await app.get(path), 200);
const P = '/projects/acme%2Fweb';

/** What clients see of everything; secrets and places on disk are nobody's business. */
async function viewOf(of: TestApp): Promise<string> {
  const paths = [
    ...['/users', '/groups', '/projects', '/member_roles', '/broadcast_messages', '/applications', '/todos', '/events'],
    ...[
      'issues',
      'merge_requests',
      'pipelines',
      'jobs',
      'releases',
      'labels',
      'milestones',
      'members',
      'events',
      'packages',
    ].map((name) => `${P}/${name}`),
    ...[
      'repository/commits?all=true',
      'repository/tags',
      'repository/branches',
      'feature_flags',
      'snippets',
      'wikis',
      'hooks',
    ].map((name) => `${P}/${name}`),
    ...[1, 2, 3, 4].map((iid) => `${P}/merge_requests/${iid}/discussions`),
  ];
  const answers: string[] = [];
  for (const path of paths) answers.push((await of.get(path)).body);
  return answers
    .join('\n')
    .replaceAll(/"(runners_token|token)":"[^"]*"/g, '')
    .replaceAll(/"statistics":\{[^}]*\}/g, '');
}

test('merge requests are in the state that the file tells', async () => {
  const merged = await get(`${P}/merge_requests/1`);
  assert.equal(merged.state, 'merged');
  assert.equal(merged.merged_at, '2024-06-01T00:00:00.000Z');
  assert.equal((merged.merge_user as Json).username, 'ada');
  const { approved_by: approvals } = await get<{ approved_by: { user: Json }[] }>(`${P}/merge_requests/1/approvals`);
  assert.deepEqual(
    approvals.map(({ user }) => user.username),
    ['ada'],
  );
  const threads = await get<{ notes: Json[] }[]>(`${P}/merge_requests/1/discussions`);
  const thread = threads.find(({ notes }) => notes[0]!.body === 'Why?')!;
  assert.deepEqual(
    thread.notes.map(({ body, resolved }) => [body, resolved]),
    [
      ['Why?', true],
      ['Because', true],
    ],
  );
  assert.equal((thread.notes[0]!.position as Json).new_line, 2);
  assert.equal((await get(`${P}/merge_requests/2`)).title, 'Draft: fix 1');
  assert.equal((await get(`${P}/merge_requests/4`)).state, 'closed');
});

test('pipelines have jobs in their states, with logs and artifacts, and no script was run', async () => {
  const jobs = await get<Json[]>(`${P}/pipelines/1/jobs`);
  assert.deepEqual(
    jobs.map(({ name, status }) => [name, status]),
    [
      ['deploy', 'skipped'],
      ['test', 'failed'],
      ['build', 'success'],
    ],
  );
  assert.equal((await app.get(`${P}/jobs/1/trace`)).body, 'made\n');
  assert.equal((await app.get(`${P}/jobs/1/artifacts/out/a.txt`)).body, 'hi');
  assert.equal(jobs[1]!.coverage, 81.5);
  const states = await get<Json[]>(`${P}/pipelines?order_by=id&sort=asc`);
  assert.deepEqual(
    states.map(({ status }) => status),
    ['failed', 'running', 'pending'],
  );
  // What goes on then is not ended by the server as stuck.
  await app.deps.jobs.maintain();
  await app.drain();
  assert.deepEqual((await get<Json[]>(`${P}/pipelines`)).map(({ status }) => status).toReversed(), [
    'failed',
    'running',
    'pending',
  ]);
});

test('packages, releases, protections, settings and the rest are there', async () => {
  const packages = await get<Json[]>(`${P}/packages`);
  assert.deepEqual(packages.map(({ package_type }) => package_type).sort(), ['generic', 'maven', 'npm']);
  assert.equal((await app.get(`${P}/packages/generic/app/1.0.0/app.txt`)).body, 'hello');
  assert.equal((await get(`${P}/releases/v1.0`)).name, 'One');
  const main = await get<{ push_access_levels: Json[] }>(`${P}/protected_branches/main`);
  assert.equal(main.push_access_levels[0]!.access_level, 40);
  assert.equal((await get(`${P}/push_rule`)).commit_message_regex, '.');
  assert.equal((await get(`${P}/integrations/jira`)).active, true);
  assert.equal((await get(`${P}/custom_attributes/team`)).value, 'core');
  assert.equal((await get(`${P}/feature_flags/beta`)).active, true);
  assert.equal((await get<{ star_count: number }>(P)).star_count, 1);
  assert.equal((await get<{ forked_from_project: Json }>('/projects/bob%2Fweb')).forked_from_project.id, 1);
  assert.equal((await get('/projects/root%2Fold')).archived, true);
  assert.equal((await get<Json[]>('/users?username=eve'))[0]!.state, 'blocked');
  assert.equal((await get('/application/settings')).signup_enabled, false);
  assert.deepEqual(await get('/-/bench/clock').then(({ now, frozen }) => [now, frozen]), [
    '2026-06-15T12:00:00.000Z',
    true,
  ]);
});

test('applied again it changes nothing', async () => {
  const before = await viewOf(app);
  const { made } = await applySeed(app.instance, { text: TEXT, file: FILE, bundles: async () => null });
  assert.deepEqual(made, {});
  assert.equal(await viewOf(app), before);
});

test('another server made of the same file is the same', async () => {
  const other = await seededApp();
  try {
    await app.drain();
    await other.drain();
    assert.equal(await viewOf(other), await viewOf(app));
  } finally {
    await other.close();
  }
});
