import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { FakeRunner } from '../../../test/support/fake-runner.ts';
import { mustGit } from '../../../test/support/git-client.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import { allRefs, wholeState } from '../../../test/support/whole-state.ts';
import { zipOf } from '../../../test/support/zip.ts';
import { SERVER } from '../../core/fair-slots.ts';
import { currentScope, type RequestScope } from '../../core/request-scope.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';

interface Facts {
  name: string;
  created_at: string;
  bytes: number;
}
interface Made {
  id: number;
  iid: number;
  path_with_namespace: string;
}

const SNAPSHOTS = '/-/bench/snapshots';
const CONFIGURATION = `
build:
  script: [make]
  artifacts: {paths: [out/]}
test:
  script: [make test]
  stage: test
`;

const LOOK = jobKind<Record<string, never>>('test.look', { lane: 'ci' });
/** Those in which jobs have run. */
const scopes: RequestScope[] = [];

let app: TestApp;
let user: GitUser;
let url: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  app.deps.jobs.register(LOOK, async () => {
    scopes.push(currentScope());
  });
  app.deps.jobs.start();
  user = await GitUser.of(app);
  url = await app.listen();
});
after(() => app.close());

const take = async (name: string) => expectStatus<Facts>(await app.post(SNAPSHOTS, { json: { name } }), 201);
const restore = async (name: string) => expectStatus<Facts>(await app.post(`${SNAPSHOTS}/${name}/restore`), 200);
const idle = async () => expectStatus(await app.post('/-/bench/clock/advance', { json: { seconds: 0 } }), 200);
const make = async (path: string, json: object) => expectStatus<Made>(await app.post(path, { json }), 201);
const state = async () => ({ ...(await wholeState(app.deps)), refs: await allRefs(app.deps) });

/** A project with history, a wiki, an upload, a hook and a pipeline of which a runner has done one job. */
async function seed(name: string): Promise<{ project: Made; tree: string; runner: FakeRunner }> {
  const project = await make('/projects', { name, visibility: 'public' });
  const at = `/projects/${project.id}`;
  const runner = await FakeRunner.make(app);
  const tree = await user.tree();
  await user.commit(tree, '.gitlab-ci.yml', CONFIGURATION);
  const address = user.address({ full_path: project.path_with_namespace });
  await user.ok(tree, 'push', '--quiet', address, 'main', 'main:feature');
  await make(`${at}/issues`, { title: 'One', labels: 'bug' });
  await make(`${at}/wikis`, { title: 'Home', content: 'Hello' });
  await make(`${at}/hooks`, { url: 'https://example.com/hook', push_events: false });
  await idle();
  const job = await runner.take();
  await job.upload('artifacts.zip', await zipOf({ 'out/a.txt': 'one' }));
  await job.finish('success');
  await idle();
  return { project, tree, runner };
}

test('a restore brings everything back as it was', async () => {
  const { project, tree, runner } = await seed('first');
  const at = `/projects/${project.id}`;
  expectStatus(await app.put('/-/bench/clock', { json: { now: '2030-01-01T00:00:00Z', frozen: true } }), 200);
  await idle();
  const facts = await take('seeded');
  assert.ok(facts.bytes > 100_000 && Math.abs(Date.parse(facts.created_at) - Date.now()) < 60_000);
  const before = await state();
  const reads = [`${at}/repository/branches`, `${at}/repository/commits`, `${at}/issues`, '/projects', `${at}/jobs`];
  const shown = async () => Promise.all(reads.map(async (path) => (await app.get(path)).body));
  const seen = await shown();

  // Changes by the API, git and a runner.
  await user.commit(tree, 'later.txt', 'later\n');
  const later = (await mustGit(tree, ['rev-parse', 'HEAD'])).toString().trim();
  const address = user.address({ full_path: project.path_with_namespace });
  await user.ok(tree, 'push', '--quiet', address, 'main', 'main:another', ':feature');
  const made = await make('/projects', { name: 'second', initialize_with_readme: true });
  await make(`${at}/issues`, { title: 'Two' });
  await idle();
  const job = await runner.take();
  await job.finish('failed');
  expectStatus(await app.delete(`${at}/artifacts`), 202);
  const { token: secret } = await app.make.user();
  expectStatus(await app.post('/-/bench/clock/advance', { json: { seconds: 86_400 } }), 200);
  expectStatus(await app.get(`${at}/repository/commits/${later}`), 200);
  const gone = await app.deps.db.selectFrom('projects').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow();
  const dir = app.deps.storages.dirOf({ storage: gone.repository_storage, diskPath: gone.disk_path });
  assert.ok(existsSync(dir));
  await shown();

  assert.deepEqual(await restore('seeded'), facts);
  assert.deepEqual(await state(), before);
  assert.deepEqual(await shown(), seen);
  expectStatus(await app.get(`${at}/repository/commits/${later}`), 404);
  expectStatus(await app.get(`/projects/${made.id}`), 404);
  expectStatus(await app.get('/user', { token: secret }), 401);
  assert.ok(!existsSync(dir));
  const clock = expectStatus<{ now: string; frozen: boolean }>(await app.get('/-/bench/clock'), 200);
  assert.deepEqual([clock.now, clock.frozen], ['2030-01-01T00:00:00.000Z', true]);
  // What is made now gets the same ids again, and everything works on.
  const again = await make('/projects', { name: 'second', initialize_with_readme: true });
  assert.equal(again.id, made.id);
  await user.ok(tree, 'push', '--quiet', address, 'main');
  expectStatus(await app.get(`${at}/repository/commits/${later}`), 200);
  await idle();
  await (await runner.take()).finish('success');
  await restore('seeded');
  assert.deepEqual(await state(), before);
});

test('a deleted project comes back, with its files', async () => {
  const { project, tree } = await seed('third');
  await take('with-third');
  const before = await state();
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  await idle();
  await restore('with-third');
  assert.deepEqual(await state(), before);
  const clone = join(user.folder, 'clone-of-third');
  await user.ok(tree, 'clone', '--quiet', user.address({ full_path: project.path_with_namespace }), clone);
});

test('snapshots outlive restores of others, are listed, and deleted', async () => {
  await take('a');
  const first = await state();
  await make('/projects', { name: 'between' });
  await idle();
  await take('b');
  const second = await state();
  for (const [name, expected] of [
    ['a', first],
    ['b', second],
    ['b', second],
    ['a', first],
  ] as const) {
    await restore(name);
    assert.deepEqual(await state(), expected);
  }
  const names = async () => expectStatus<Facts[]>(await app.get(SNAPSHOTS), 200).map(({ name }) => name);
  assert.ok((await names()).includes('a') && (await names()).includes('b'));
  expectStatus(await app.delete(`${SNAPSHOTS}/a`), 204);
  assert.ok(!(await names()).includes('a'));
  expectStatus(await app.post(`${SNAPSHOTS}/a/restore`), 404);
  await restore('b');
  assert.deepEqual(await state(), second);
});

test('restores leave nothing of the rows that they replace on the disk', async (t) => {
  // An embedded database is replaced as a whole.
  if (app.deps.config.database.kind === 'sqlite') return t.skip();
  const project = await make('/projects', { name: 'many-rows' });
  const issue = (title: string) => make(`/projects/${project.id}/issues`, { title, description: 'x'.repeat(2_000) });
  for (let count = 0; count < 30; count += 1) await issue(`Issue ${count}`);
  await idle();
  await take('many-rows');
  const restoredSize = async () => {
    await issue('more');
    await restore('many-rows');
    const { rows } = await sql<{ bytes: number }>`
      select sum(pg_total_relation_size(oid)) as bytes from pg_class
       where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(app.deps.db);
    return Number(rows[0]!.bytes);
  };
  const first = await restoredSize();
  let last = first;
  for (let times = 0; times < 10; times += 1) last = await restoredSize();
  assert.ok(last <= first + 64 * 1024, `${first} bytes after the first, ${last} after the last`);
});

test('jobs run as work of the server after a restore, whoever asked for that', async () => {
  await take('quiet');
  await restore('quiet');
  await app.deps.jobs.enqueue(app.deps.db, LOOK, {});
  await idle();
  assert.deepEqual(scopes, [{ caller: SERVER }]);
});

test('wrong names and callers are refused', async () => {
  for (const name of ['', '.start', '-a', 'a/b', '..', 'a'.repeat(101), 'ä'])
    expectStatus(await app.post(SNAPSHOTS, { json: { name } }), 400);
  expectStatus(await app.post(SNAPSHOTS, { json: { name: 'c', more: 1 } }), 400);
  expectStatus(await app.post(SNAPSHOTS, { json: {} }), 400);
  await take('a'.repeat(100));
  expectStatus(await app.post(SNAPSHOTS, { json: { name: 'a'.repeat(100) } }), 409);
  for (const name of ['unknown', '..%2f..', '.start']) {
    expectStatus(await app.post(`${SNAPSHOTS}/${name}/restore`), 404);
    expectStatus(await app.delete(`${SNAPSHOTS}/${name}`), 404);
  }
  const { token } = await app.make.user();
  for (const path of [SNAPSHOTS, `${SNAPSHOTS}/a/restore`, '/-/bench/reset']) {
    expectStatus(await app.post(path, { token, json: { name: 'x' } }), 403);
    expectStatus(await app.post(path, { token: null, json: { name: 'x' } }), 401);
  }
});

test('reset goes back to the start', async () => {
  const { snapshots } = app.instance.bench!;
  await snapshots.markStart(true);
  const before = await state();
  expectStatus(await app.post('/-/bench/reset'), 204);
  // Over the network, as what keeps the start stands before all requests.
  const json = { method: 'POST', headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' } };
  const answer = await fetch(`${url}/api/v4/projects`, { ...json, body: JSON.stringify({ name: 'after-start' }) });
  assert.equal(answer.status, 201, await answer.text());
  await idle();
  assert.notDeepEqual(await state(), before);
  expectStatus(await app.post('/-/bench/reset'), 204);
  assert.deepEqual(await state(), before);
});
