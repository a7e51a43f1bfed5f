import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { pushTo } from '../../../../test/support/hooks.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { mirrorUrlOf } from '../../../mirroring/stored-address.ts';

type Json = Record<string, unknown>;
const MINUTE = 60_000;
const clock = new TestClock();
let app: TestApp;
let guarded: TestApp;
let base: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  guarded = await buildTestApp();
  base = await app.listen();
});
after(async () => {
  await app.close();
  await guarded.close();
});

/** A project with a repository that follows it. */
async function scene(options: Json = {}) {
  const project = await app.make.project();
  const target = await app.make.project();
  const git = new ProjectGit(app, project);
  const there = new ProjectGit(app, target);
  const url = `${base}/${target.full_path}.git`.replace('//', `//root:${ROOT_TOKEN}@`);
  const first = git.commit('main', { a: '1' });
  const path = `/projects/${project.id}/remote_mirrors`;
  const made = expectStatus<Json>(await app.post(path, { json: { url, enabled: true, ...options } }), 201);
  const state = async () => expectStatus<Json>(await app.get(`${path}/${made.id}`), 200);
  return { project, target, git, there, first, path, made, state };
}

const refs = (git: ProjectGit) =>
  git.run(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags']);

describe('a push mirror', () => {
  test('gets what the project has, and what is pushed to it five minutes later at most', async () => {
    const { project, git, there, first, made, state } = await scene();
    git.run(['tag', 'v1', first]);
    assert.equal(made.update_status, 'none');
    await app.drain();
    const done = await state();
    assert.equal(done.last_error, null);
    assert.equal(done.update_status, 'finished');
    assert.equal(refs(there), refs(git));
    await pushTo(app, project.id, 'work');
    await app.drain();
    assert.notEqual(refs(there), refs(git));
    clock.advance(5 * MINUTE);
    await app.drain();
    assert.equal((await state()).last_error, null);
    assert.equal(refs(there), refs(git));
  });

  test('overwrites what was changed there, and deletes what is merged', async () => {
    const { git, there, first, path, made, state } = await scene();
    git.run(['branch', 'merged', first]);
    await app.drain();
    there.commit('other', { x: '1' }, { start: first });
    there.commit('merged', { x: '2' });
    git.commit('main', { b: '1' });
    expectStatus(await app.post(`${path}/${made.id}/sync`), 204);
    await app.drain();
    assert.equal((await state()).last_error, null);
    assert.equal(there.run(['rev-parse', 'merged']), first);
    git.run(['branch', '-D', 'merged']);
    expectStatus(await app.post(`${path}/${made.id}/sync`), 204);
    await app.drain();
    assert.equal((await state()).last_error, null);
    const names = there.run(['for-each-ref', '--format=%(refname:short)', 'refs/heads']).split('\n');
    assert.deepEqual(names, ['main', 'other'], 'what only the other side has stays');
  });

  test('leaves branches with commits of their own there where it shall, and says so', async () => {
    const { git, there, first, path, made, state } = await scene({ keep_divergent_refs: true });
    git.run(['branch', 'shared', first]);
    await app.drain();
    const theirs = there.commit('shared', { x: '1' });
    git.commit('shared', { y: '1' });
    git.commit('main', { z: '1' });
    expectStatus(await app.post(`${path}/${made.id}/sync`), 204);
    await app.drain();
    const after = await state();
    assert.equal(after.update_status, 'to_retry');
    assert.match(
      String(after.last_error),
      /have diverged and have not been updated on the remote:\n\nrefs\/heads\/shared$/,
    );
    assert.equal(there.run(['rev-parse', 'shared']), theirs);
    assert.equal(there.run(['rev-parse', 'main']), git.run(['rev-parse', 'main']));
  });

  test('takes only protected branches, or those of a pattern', async () => {
    const only = await scene({ only_protected_branches: true });
    only.git.run(['branch', 'free', only.first]);
    expectStatus(await app.post(`/projects/${only.project.id}/protected_branches`, { json: { name: 'main' } }), 201);
    const some = await scene({ mirror_branch_regex: '^rel' });
    some.git.run(['branch', 'release', some.first]);
    await app.drain();
    const names = (git: ProjectGit) => git.run(['for-each-ref', '--format=%(refname:short)', 'refs/heads']);
    assert.equal(names(only.there), 'main');
    assert.equal(names(some.there), 'release');
  });

  test('fails after three tries, without telling the password', async () => {
    const { project, path } = await scene({ enabled: false });
    const url = `${base}/${project.full_path}.git`.replace('//', '//ann:sesame-push@');
    const made = expectStatus<Json>(await app.post(path, { json: { url, enabled: true } }), 201);
    const seen: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      await app.drain();
      seen.push(expectStatus<Json>(await app.get(`${path}/${made.id}`), 200).update_status);
      clock.advance(5 * MINUTE);
    }
    assert.deepEqual(seen, ['to_retry', 'to_retry', 'failed', 'failed']);
    const shown = expectStatus<Json>(await app.get(`${path}/${made.id}`), 200);
    assert.match(String(shown.last_error), /refused the credentials/);
    assert.match(String(shown.url), /\/\/\*{5}:\*{5}@/);
    const jobs = await app.deps.db.selectFrom('jobs').select(['payload', 'last_error']).execute();
    for (const text of [JSON.stringify([shown, jobs]), app.logLines.join('\n')])
      assert.ok(!text.includes('sesame-push'));
  });
});

test('two projects that push to each other come to an end', async () => {
  const { project, target, git, there, path } = await scene();
  const url = `${base}/${project.full_path}.git`.replace('//', `//root:${ROOT_TOKEN}@`);
  expectStatus(await app.post(`/projects/${target.id}/remote_mirrors`, { json: { url, enabled: true } }), 201);
  for (let round = 0; round < 4; round += 1) {
    await app.drain();
    clock.advance(5 * MINUTE);
  }
  assert.equal(refs(there), refs(git));
  const waiting = await app.deps.db
    .selectFrom('jobs')
    .select('kind')
    .where('kind', '=', 'remote-mirror.update')
    .where('project_id', 'in', [project.id, target.id])
    .execute();
  assert.deepEqual(waiting, []);
  assert.equal(expectStatus<Json[]>(await app.get(path), 200).length, 1);
});

test('addresses inside, of other kinds and attributes that do not fit are refused with 400', async () => {
  const project = await guarded.make.project();
  const path = `/projects/${project.id}/remote_mirrors`;
  for (const url of [
    'http://127.0.0.1/x.git',
    'file:///etc',
    'ext::sh -c id',
    'ssh://-oProxyCommand=id/x',
    '--exec=id',
    '',
  ]) {
    const errors = expectStatus<Json>(await guarded.post(path, { json: { url } }), 400).errors as Json | undefined;
    if (url !== '') assert.match(String(errors?.url), /^is blocked: /, url);
  }
  const own = `/projects/${(await app.make.project()).id}/remote_mirrors`;
  const post = async (json: Json) => expectStatus<Json>(await app.post(own, { json }), 400).message;
  assert.match(String(await post({})), /url is missing/);
  assert.match(String(await post({ url: `${base}/x`, auth_method: 'ssh_public_key' })), /requires an SSH URL/);
  assert.match(String(await post({ url: `${base}/x`, mirror_branch_regex: '(' })), /not a valid regular expression/);
  assert.match(
    String(await post({ url: `${base}/x`, mirror_branch_regex: 'a', only_protected_branches: true })),
    /requires only_protected_branches/,
  );
});

test('the key of a mirror is shown, and the secret one never', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/remote_mirrors`;
  const json = { url: 'ssh://git@127.0.0.1/x.git', auth_method: 'ssh_public_key' };
  const made = expectStatus<Json>(await app.post(path, { json }), 201);
  assert.deepEqual(made.host_keys, []);
  const { public_key } = expectStatus<Json>(await app.get(`${path}/${made.id}/public_key`), 200);
  assert.match(String(public_key), /^ssh-ed25519 [\w+/]+=* /);
  const plain = expectStatus<Json>(await app.put(`${path}/${made.id}`, { json: { auth_method: 'password' } }), 200);
  assert.equal(plain.auth_method, 'password');
  expectStatus(await app.get(`${path}/${made.id}/public_key`), 404);
  const row = await app.deps.db
    .selectFrom('remote_mirrors')
    .selectAll()
    .where('id', '=', Number(made.id))
    .executeTakeFirstOrThrow();
  assert.equal(row.private_key, null);
});

test('another repository gets neither the password nor the key of the one before', async () => {
  const { path, made, project } = await scene({ enabled: false });
  const row = () =>
    app.deps.db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', project.id).executeTakeFirstOrThrow();
  const put = async (json: Json) => expectStatus<Json>(await app.put(`${path}/${made.id}`, { json }), 200);
  const other = mirrorUrlOf(app.deps, await row())!
    .replace(/[^/]+$/, 'other.git')
    .replace(/\/\/.*@/, '//');
  await put({ url: other });
  assert.equal(mirrorUrlOf(app.deps, await row()), other);
  await put({ url: 'ssh://git@127.0.0.1/one.git', auth_method: 'ssh_public_key' });
  const { public_key } = await row();
  await put({ url: 'ssh://git@127.0.0.1/one' });
  assert.equal((await row()).public_key, public_key);
  await put({ url: 'ssh://git@127.0.0.1/two.git' });
  assert.notEqual((await row()).public_key, public_key);
});

test('two changes at once are both there afterwards', async () => {
  const { path, made } = await scene({ enabled: false });
  for (let round = 0; round < 5; round += 1) {
    const value = round % 2 === 0;
    const [one, two] = await Promise.all([
      app.put(`${path}/${made.id}`, { json: { keep_divergent_refs: value } }),
      app.put(`${path}/${made.id}`, { json: { only_protected_branches: value } }),
    ]);
    for (const response of [one, two]) expectStatus(response, 200);
    const now = expectStatus<Json>(await app.get(`${path}/${made.id}`), 200);
    assert.deepEqual([now.keep_divergent_refs, now.only_protected_branches], [value, value]);
  }
});

test('PUT changes, DELETE removes, and another host does not get the password', async () => {
  const { path, made, project } = await scene({ enabled: false });
  expectStatus(await app.put(`${path}/${made.id}`, { json: {} }), 400);
  const changed = expectStatus<Json>(await app.put(`${path}/${made.id}`, { json: { keep_divergent_refs: true } }), 200);
  assert.equal(changed.keep_divergent_refs, true);
  expectStatus(await app.post(`${path}/${made.id}/sync`), 400);
  expectStatus(await app.put(`${path}/${made.id}`, { json: { url: 'http://127.0.0.2:8999/x.git' } }), 200);
  const row = await app.deps.db
    .selectFrom('remote_mirrors')
    .select('url')
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  assert.equal(mirrorUrlOf(app.deps, row), 'http://127.0.0.2:8999/x.git');
  expectStatus(await app.delete(`${path}/${made.id}`), 204);
  expectStatus(await app.get(`${path}/${made.id}`), 404);
  expectStatus(await app.delete(`${path}/${made.id}`), 404);
});

test('push mirrors are for Maintainers, and those of another project are not there', async () => {
  const { path, made, project } = await scene({ enabled: false });
  const members = await app.make.members(project);
  const ask = async (token: string | null, at = path) => {
    const one = `${at}/${made.id}`;
    const answers = [
      await app.get(at, { token }),
      await app.get(one, { token }),
      await app.get(`${one}/public_key`, { token }),
      await app.put(one, { token, json: { keep_divergent_refs: false } }),
      await app.post(`${one}/sync`, { token }),
    ];
    return answers.map(({ statusCode }) => statusCode);
  };
  assert.deepEqual(await ask(null), [401, 401, 401, 401, 401]);
  assert.deepEqual(await ask(members.stranger.token), [404, 404, 404, 404, 404]);
  for (const name of ['guest', 'planner', 'reporter', 'developer'] as const) {
    const { token } = members[name];
    assert.deepEqual(await ask(token), [403, 403, 403, 403, 403], name);
    expectStatus(await app.post(path, { token, json: { url: 'http://127.0.0.1/x' } }), 403);
    expectStatus(await app.delete(`${path}/${made.id}`, { token }), 403);
  }
  for (const name of ['maintainer', 'owner'] as const) {
    assert.deepEqual(await ask(members[name].token), [200, 200, 404, 200, 400], name);
  }
  const other = `/projects/${(await app.make.project()).id}/remote_mirrors`;
  assert.deepEqual(await ask(ROOT_TOKEN, other), [200, 404, 404, 404, 404]);
});

test('a project has at most twenty push mirrors', async () => {
  const path = `/projects/${(await app.make.project()).id}/remote_mirrors`;
  const json = { url: 'http://127.0.0.1/x.git' };
  for (let count = 0; count < 20; count += 1) expectStatus(await app.post(path, { json }), 201);
  assert.match(
    String(expectStatus<Json>(await app.post(path, { json }), 400).message),
    /Maximum number of push mirrors/,
  );
});
