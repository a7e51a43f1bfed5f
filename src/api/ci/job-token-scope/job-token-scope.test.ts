import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { Rows } from '../../../../test/support/rows.ts';
import { changeSettings } from '../../../../test/support/settings.ts';
import { callerOfJobToken } from '../../../access/job-token-caller.ts';
import { revalidateCaller } from '../../../access/revalidate.ts';
import { randomText, tokenDigest } from '../../../core/core.secrets.ts';

let app: TestApp;
let rows: Rows;
before(async () => {
  app = await buildTestApp();
  rows = new Rows(app.deps);
});
after(() => app.close());

type Project = Awaited<ReturnType<TestApp['make']['project']>>;

/** A running job of a project and user, with its token. */
async function runningJob(project: Project, userId: number): Promise<{ id: number; token: string }> {
  const now = new Date().toISOString();
  const sha = '1'.repeat(40);
  const pipeline = await app.deps.db
    .insertInto('pipelines')
    .values({
      iid: Math.floor(Math.random() * 1e9),
      project_id: project.id,
      sha,
      ref: 'main',
      source: 'push',
      status: 'running',
      user_id: userId,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const token = `glcbt-1_${randomText(20)}`;
  const job = await app.deps.db
    .insertInto('ci_jobs')
    .values({
      kind: 'build',
      project_id: project.id,
      pipeline_id: pipeline.id,
      sha,
      ref: 'main',
      name: 'test',
      status: 'running',
      user_id: userId,
      created_at: now,
      token_digest: tokenDigest(token),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id: job.id, token };
}

const ofJob = (token: string) => ({ token: null, headers: { 'job-token': token } });

/** Two private projects with a branch each, and a developer of both who runs a job of the first. */
async function scene() {
  const { user } = await app.make.user();
  const [own, other] = [await app.make.project(), await app.make.project()];
  for (const project of [own, other]) {
    await app.make.member({ project }, user, 30);
    await new ProjectGit(app, project).commit('main', { 'a.txt': 'a' });
  }
  return { user, own, other, ...(await runningJob(own, user.id)) };
}

describe('the token of a job', () => {
  test('opens what jobs may read, as header and as parameter, and nothing else', async () => {
    const { own, token } = await scene();
    const at = `/projects/${own.id}`;
    expectStatus(await app.get(`${at}/repository/branches`, ofJob(token)), 200);
    expectStatus(await app.get(`${at}/repository/branches?job_token=${token}`, { token: null }), 200);
    assert.equal((await app.get(`${at}/repository/files/a.txt/raw?ref=main`, ofJob(token))).body, 'a');
    expectStatus(await app.get(`${at}/issues`, ofJob(token)), 200);
    expectStatus(await app.get(`${at}/merge_requests`, ofJob(token)), 200);
    for (const path of [at, '/user', `${at}/repository/commits`, `${at}/members`, `${at}/repository/tree`]) {
      const { statusCode } = await app.get(path, ofJob(token));
      assert.ok([401, 404].includes(statusCode), `${path}: ${statusCode}`);
    }
    expectStatus(await app.post(`${at}/issues`, { ...ofJob(token), json: { title: 'x' } }), 401);
    expectStatus(await app.get('/user', { token }), 401);
  });

  test('ends with the job, with its log, and with the sign-in of its user', async () => {
    const { own, user, id, token } = await scene();
    const path = `/projects/${own.id}/repository/branches`;
    const change = (values: object) => app.deps.db.updateTable('ci_jobs').set(values).where('id', '=', id).execute();
    await change({ status: 'canceling' });
    expectStatus(await app.get(path, ofJob(token)), 200);
    await change({ status: 'running', erased_at: new Date().toISOString() });
    expectStatus(await app.get(path, ofJob(token)), 401);
    const long = new Date(Date.now() - 3_600_000).toISOString();
    await change({ erased_at: null, started_at: long, timeout: 600 });
    expectStatus(await app.get(path, ofJob(token)), 401);
    await change({ started_at: null });
    await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
    expectStatus(await app.get(path, ofJob(token)), 403);
    await app.deps.db.updateTable('users').set({ state: 'active' }).where('id', '=', user.id).execute();
    for (const status of ['success', 'failed', 'canceled'] as const) {
      await change({ status });
      expectStatus(await app.get(path, ofJob(token)), 401);
    }
    expectStatus(await app.get(path, ofJob('glcbt-1_guess')), 401);
  });

  test('is no longer good after a wait in which its job, its log, its time or its project ended', async () => {
    const { own, id, token } = await scene();
    const caller = (await callerOfJobToken(app.deps, token))!;
    const job = (values: object) => app.deps.db.updateTable('ci_jobs').set(values).where('id', '=', id).execute();
    const project = (pending_delete: 0 | 1) =>
      app.deps.db.updateTable('projects').set({ pending_delete }).where('id', '=', own.id).execute();
    const long = new Date(Date.now() - 3_600_000).toISOString();
    for (const [end, undo] of [
      [() => job({ status: 'success' }), () => job({ status: 'running' })],
      [() => job({ erased_at: long }), () => job({ erased_at: null })],
      [() => job({ started_at: long, timeout: 600 }), () => job({ started_at: null, timeout: null })],
      [() => project(1), () => project(0)],
    ] as const) {
      assert.equal((await revalidateCaller(app.deps, caller)).user?.id, caller.user?.id);
      await end();
      await assert.rejects(revalidateCaller(app.deps, caller), { status: 401 });
      await undo();
    }
  });

  test('opens another project only if that one lists the project or a group above it', async () => {
    const { own, other, token } = await scene();
    const path = `/projects/${other.id}/repository/branches`;
    const scope = `/projects/${other.id}/job_token_scope`;
    const root = { token: ROOT_TOKEN };
    expectStatus(await app.get(path, ofJob(token)), 404);
    expectStatus(await app.post(`${scope}/allowlist`, { ...root, json: { target_project_id: own.id } }), 201);
    expectStatus(await app.get(path, ofJob(token)), 200);
    expectStatus(await app.delete(`${scope}/allowlist/${own.id}`, root), 204);
    expectStatus(await app.get(path, ofJob(token)), 404);
    expectStatus(await app.patch(scope, { ...root, json: { enabled: false } }), 204);
    const isLimited = async () => expectStatus(await app.get(scope, root), 200).inbound_enabled;
    // The allowlist is enforced by default.
    assert.equal(await isLimited(), true);
    expectStatus(await app.get(path, ofJob(token)), 404);
    await changeSettings(app, { enforce_ci_inbound_job_token_scope_enabled: false });
    assert.equal(await isLimited(), false);
    expectStatus(await app.get(path, ofJob(token)), 200);
    await changeSettings(app, { enforce_ci_inbound_job_token_scope_enabled: true });
    expectStatus(await app.get(path, ofJob(token)), 404);
    await changeSettings(app, { enforce_ci_inbound_job_token_scope_enabled: false });
    expectStatus(await app.patch(scope, { ...root, json: { enabled: true } }), 204);

    const group = await app.make.group();
    const subgroup = await app.make.group({ parent: group });
    const { user } = await app.make.user();
    const inside = await app.make.project({ namespace: subgroup });
    for (const project of [inside, other]) await app.make.member({ project }, user, 30);
    const job = await runningJob(inside, user.id);
    expectStatus(await app.get(path, ofJob(job.token)), 404);
    expectStatus(await app.post(`${scope}/groups_allowlist`, { ...root, json: { target_group_id: group.id } }), 201);
    expectStatus(await app.get(path, ofJob(job.token)), 200);
    assert.equal((await app.get(path, ofJob(token))).statusCode, 404);
  });

  test('reads of projects that do not list it what strangers see, for administrators too', async () => {
    const { own } = await scene();
    const open = await app.make.project({ visibility: 'public' });

    await app.deps.db
      .updateTable('projects')
      .set({ issues_access_level: 'private' })
      .where('id', '=', open.id)
      .execute();
    const { user } = await app.make.user({ admin: true });
    const { token } = await runningJob(own, user.id);
    expectStatus(await app.get(`/projects/${open.id}/merge_requests`, ofJob(token)), 200);
    await rows.issue(open.id);
    assert.deepEqual(expectStatus(await app.get(`/projects/${open.id}/issues`, ofJob(token)), 200), []);
  });
});

test('git clones with it, and pushes to the own project where that lets it, without a pipeline', async () => {
  const { own, other, token } = await scene();
  const git = await GitUser.of(app);
  const clone = join(git.folder, 'clone');
  await git.ok(git.folder, 'clone', '--quiet', '--branch', 'main', git.address(own, token), clone);
  assert.match(await git.fails(git.folder, 'ls-remote', git.address(other, token)), /could not be found/);
  await git.commit(clone, 'b.txt', 'b');
  assert.match(await git.fails(clone, 'push', 'origin', 'HEAD:by-job'), /with a job token/);
  const settings = JSON.stringify({ ci_push_repository_for_job_token_allowed: true });
  await app.deps.db.updateTable('projects').set({ settings }).where('id', '=', own.id).execute();
  await git.ok(clone, 'push', 'origin', 'HEAD:by-job');
  const pushes = await app.deps.db.selectFrom('domain_events').select('payload').where('type', '=', 'push').execute();
  assert.equal(JSON.parse(pushes.at(-1)!.payload).via, 'job');
});

describe('the list of a project', () => {
  test('is shown, added to and taken from', async () => {
    const [project, friend] = [await app.make.project(), await app.make.project()];
    const group = await app.make.group();
    const path = `/projects/${project.id}/job_token_scope`;
    const as = { token: ROOT_TOKEN };
    assert.deepEqual(expectStatus(await app.get(path, as), 200), { inbound_enabled: true, outbound_enabled: false });
    const added = expectStatus(
      await app.post(`${path}/allowlist`, { ...as, json: { target_project_id: friend.id } }),
      201,
    );
    assert.deepEqual(added, { source_project_id: project.id, target_project_id: friend.id });
    const ids = expectStatus<{ id: number }[]>(await app.get(`${path}/allowlist`, as), 200).map(({ id }) => id);
    assert.deepEqual(ids, [project.id, friend.id]);
    const twice = await app.post(`${path}/allowlist`, { ...as, json: { target_project_id: friend.id } });
    const text = 'This project is already in the job token allowlist.';
    assert.match(expectStatus<{ message: string }>(twice, 400).message, new RegExp(text));
    expectStatus(await app.post(`${path}/allowlist`, { ...as, json: { target_project_id: project.id } }), 400);
    const missing = await app.post(`${path}/allowlist`, { ...as, json: { target_project_id: 424_242 } });
    assert.equal(expectStatus<{ message: string }>(missing, 404).message, '404 target_project_id not found Not Found');
    expectStatus(await app.post(`${path}/groups_allowlist`, { ...as, json: { target_group_id: group.id } }), 201);
    expectStatus(await app.post(`${path}/groups_allowlist`, { ...as, json: { target_group_id: group.id } }), 400);
    const groups = expectStatus<{ id: number }[]>(await app.get(`${path}/groups_allowlist`, as), 200);
    assert.deepEqual(
      groups.map(({ id }) => id),
      [group.id],
    );
    expectStatus(await app.delete(`${path}/groups_allowlist/${group.id}`, as), 204);
    const gone = await app.delete(`${path}/groups_allowlist/${group.id}`, as);
    assert.match(expectStatus<{ message: string }>(gone, 400).message, /Target group is not in the job token scope/);
    const itself = await app.delete(`${path}/allowlist/${project.id}`, as);
    assert.match(expectStatus<{ message: string }>(itself, 400).message, /Source project cannot be removed/);
    expectStatus(await app.patch(path, { ...as, json: {} }), 400);
  });

  test('is for maintainers, who list only what they see', async () => {
    const project = await app.make.project();
    const people = await app.make.members(project);
    const secret = await app.make.project();
    const path = `/projects/${project.id}/job_token_scope`;
    for (const [role, expected] of [
      ['guest', 403],
      ['developer', 403],
      ['maintainer', 200],
      ['owner', 200],
    ] as const) {
      for (const list of ['', '/allowlist', '/groups_allowlist']) {
        expectStatus(await app.get(`${path}${list}`, { token: people[role].token }), expected);
      }
    }
    expectStatus(await app.get(path, { token: people.stranger.token }), 404);
    expectStatus(await app.get(path, { token: null }), 401);
    const json = { target_project_id: secret.id };
    expectStatus(await app.post(`${path}/allowlist`, { token: people.maintainer.token, json }), 404);
  });

  test('shows and counts those alone that the caller sees', async () => {
    const [project, secret, open] = [
      await app.make.project(),
      await app.make.project(),
      await app.make.project({ visibility: 'internal' }),
    ];
    const [hidden, own] = [await app.make.group(), await app.make.group()];
    const path = `/projects/${project.id}/job_token_scope`;
    for (const { id } of [secret, open]) {
      expectStatus(await app.post(`${path}/allowlist`, { json: { target_project_id: id } }), 201);
    }
    for (const { id } of [hidden, own]) {
      expectStatus(await app.post(`${path}/groups_allowlist`, { json: { target_group_id: id } }), 201);
    }
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 40);
    await app.make.member({ group: own }, user, 10);
    const seen = async (list: string) => {
      const response = await app.get(`${path}/${list}`, { token, query: { per_page: 1 } });
      const [first] = expectStatus<{ id: number }[]>(response, 200);
      return [first?.id, response.headers['x-total']];
    };
    assert.deepEqual(await seen('allowlist'), [project.id, '2']);
    assert.deepEqual(await seen('groups_allowlist'), [own.id, '1']);
  });
});
