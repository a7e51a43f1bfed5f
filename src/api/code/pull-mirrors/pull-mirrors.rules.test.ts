import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { MirrorPair } from '../../../../test/support/mirrors.ts';
import { storedText } from '../../../core/stored-secret.ts';

const MINUTE = 60_000;
const CI = 'test: {script: [true]}\n';
const settings = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings });
});
after(() => app.close());

const started = async (files: Record<string, string> = { a: '1' }, on = app) => {
  const pair = await MirrorPair.make(on);
  const first = pair.from.commit('main', files);
  return { pair, first, from: pair.from, to: pair.to };
};
const names = (pair: MirrorPair, folder?: string) => pair.names(folder);
const tip = (git: MirrorPair['to'], name: string) => git.run(['rev-parse', name]);

describe('branches that have gone another way here', () => {
  test('stay as they are, and the rest is brought up to date', async () => {
    const { pair, first, from, to } = await started();
    from.run(['branch', 'both', first]);
    await pair.follow();
    const ours = to.commit('both', { x: '1' });
    from.commit('both', { y: '1' });
    from.commit('main', { z: '1' });
    const after = await pair.update();
    assert.equal(after.update_status, 'finished');
    assert.equal(tip(to, 'both'), ours);
    assert.equal(tip(to, 'main'), tip(from, 'main'));
  });

  test('fail the update where it is the default branch', async () => {
    const { pair, from, to } = await started();
    await pair.follow();
    to.commit('main', { x: '1' });
    from.commit('main', { y: '1' });
    from.commit('other', { y: '1' });
    const after = await pair.update();
    assert.equal(after.update_status, 'failed');
    assert.match(String(after.last_error), /^The default branch \(main\) has diverged from its upstream counterpart/);
    assert.equal(tip(to, 'other'), tip(from, 'other'));
  });

  test('are overwritten where that is asked for, but for protected ones', async () => {
    const { pair, first, from, to } = await started();
    from.run(['branch', 'both', first]);
    await pair.follow({ mirror_overwrites_diverged_branches: true });
    for (const branch of ['both', 'main']) to.commit(branch, { x: '1' });
    for (const branch of ['both', 'main']) from.commit(branch, { y: '1' });
    const after = await pair.update();
    assert.equal(
      after.last_error,
      "'main': You are not allowed to force push code to a protected branch on this project.",
    );
    assert.equal(tip(to, 'both'), tip(from, 'both'));
    const json = { allow_force_push: true };
    expectStatus(await app.patch(`/projects/${pair.copy.id}/protected_branches/main`, { json }), 200);
    assert.equal((await pair.update()).last_error, null);
    assert.deepEqual(pair.refs(to), pair.refs(from));
  });

  test('and others are kept when they are gone there, also where changes here are overwritten; what was deleted here comes back', async () => {
    const { pair, first, from, to } = await started();
    for (const branch of ['changed', 'untouched', 'lost']) from.run(['branch', branch, first]);
    await pair.follow();
    to.commit('changed', { x: '1' });
    to.run(['branch', '-D', 'lost']);
    for (const branch of ['changed', 'untouched']) from.run(['branch', '-D', branch]);
    assert.equal((await pair.update()).last_error, null);
    assert.deepEqual(names(pair), ['changed', 'lost', 'main', 'untouched']);
    from.run(['branch', '-D', 'lost']);
    assert.equal((await pair.follow({ mirror_overwrites_diverged_branches: true })).last_error, null);
    assert.deepEqual(names(pair), ['changed', 'lost', 'main', 'untouched']);
  });
});

test('another address deletes nothing that it never had', async () => {
  const { pair, first, from } = await started();
  from.run(['branch', 'old', first]);
  await pair.follow();
  const other = await started();
  await pair.follow({ url: other.pair.address });
  assert.deepEqual(names(pair), ['main', 'old']);
});

test('only protected branches, or those that a pattern fits', async () => {
  const { pair, first, from } = await started();
  for (const branch of ['release/1', 'release/2', 'work']) from.run(['branch', branch, first]);
  from.run(['tag', 'v1', first]);
  await pair.follow({ mirror_branch_regex: '^release/[0-9]+$' });
  assert.deepEqual(names(pair), ['release/1', 'release/2']);
  assert.deepEqual(names(pair, 'refs/tags'), ['v1']);
  expectStatus(await app.post(`/projects/${pair.copy.id}/protected_branches`, { json: { name: 'w*' } }), 201);
  const only = await pair.follow({ only_mirror_protected_branches: true });
  assert.equal(only.mirror_branch_regex, null, 'the pattern is off then');
  assert.deepEqual(names(pair), ['release/1', 'release/2', 'work']);
});

test('names that are object ids are not taken over, and the others are', async () => {
  const { pair, first, from } = await started();
  const hex = 'a'.repeat(40);
  for (const name of [hex, `${hex}-x`, `${hex}/x`, 'b'.repeat(64)]) {
    if (name === hex) from.run(['tag', name, first]);
    else from.run(['update-ref', `refs/heads/${name}`, first]);
  }
  from.run(['branch', 'good', first]);
  assert.equal((await pair.follow()).last_error, null);
  assert.deepEqual([...names(pair), ...names(pair, 'refs/tags')], ['good', 'main']);
  const json = { name: `imported-${pair.copy.id}`, import_url: pair.address };
  const { id } = expectStatus(await app.post('/projects', { json }), 201);
  await app.drain();
  const branches = expectStatus<{ name: string }[]>(await app.get(`/projects/${id}/repository/branches`), 200);
  assert.deepEqual(
    branches.map(({ name }) => name),
    ['good', 'main'],
  );
  assert.deepEqual(expectStatus(await app.get(`/projects/${id}/repository/tags`), 200), []);
});

describe('the mirror user', () => {
  test('has the pipelines made in their name, where they are wanted', async () => {
    const { pair, from } = await started({ '.gitlab-ci.yml': CI });
    const { maintainer } = await app.make.members(pair.copy);
    const pipelines = async () =>
      expectStatus<{ id: number; sha: string }[]>(await app.get(`/projects/${pair.copy.id}/pipelines`), 200);
    await pair.follow({}, maintainer.token);
    assert.deepEqual(await pipelines(), []);
    await pair.follow({ mirror_trigger_builds: true }, maintainer.token);
    const sha = from.commit('main', { b: '1' });
    await pair.update();
    const [made, ...more] = await pipelines();
    assert.deepEqual([made?.sha, more.length], [sha, 0]);
    const { user } = expectStatus<{ user: { id: number } }>(
      await app.get(`/projects/${pair.copy.id}/pipelines/${made!.id}`),
      200,
    );
    assert.equal(user.id, maintainer.user.id);
    const project = expectStatus(await app.get(`/projects/${pair.copy.id}`), 200);
    assert.equal(project.mirror_user_id, maintainer.user.id);
    assert.equal(project.mirror, true);
  });

  test('stops the mirror when they are blocked or no member any more, until somebody else saves it', async () => {
    const { pair, from, to } = await started();
    const { maintainer, owner } = await app.make.members(pair.copy);
    await pair.follow({}, maintainer.token);
    const before = tip(to, 'main');
    from.commit('main', { b: '1' });
    await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', maintainer.user.id).execute();
    assert.match(String((await pair.update()).last_error), /^The mirror user is blocked or no longer exists/);
    await app.deps.db.updateTable('users').set({ state: 'active' }).where('id', '=', maintainer.user.id).execute();
    expectStatus(await app.delete(`/projects/${pair.copy.id}/members/${maintainer.user.id}`), 204);
    assert.equal((await pair.update()).last_error, 'The mirror user is not allowed to push to this project.');
    assert.equal(tip(to, 'main'), before);
    expectStatus(await app.put(pair.path, { json: { mirror_trigger_builds: false }, token: owner.token }), 200);
    await app.drain();
    assert.equal((await pair.state()).last_error, null);
    assert.equal(tip(to, 'main'), tip(from, 'main'));
  });
});

test('updates come by themselves, more seldom after failures, and not for ever', async (t) => {
  // A clock of its own: with a shared clock, advancing it would update all mirrors.
  const clock = new TestClock();
  const alone = await buildTestApp({ settings, clock });
  t.after(() => alone.close());
  await alone.deps.jobs.maintain();
  const { pair, from, to } = await started({ a: '1' }, alone);
  const row = () =>
    alone.deps.db
      .selectFrom('pull_mirrors')
      .selectAll()
      .where('project_id', '=', pair.copy.id)
      .executeTakeFirstOrThrow();
  const pause = async () => {
    const { next_update_at } = await row();
    return next_update_at === null ? null : (Date.parse(next_update_at) - clock.now().getTime()) / MINUTE;
  };
  await pair.follow();
  assert.equal(await pause(), 30);
  from.commit('main', { b: '1' });
  clock.advance(32 * MINUTE);
  await alone.drain();
  assert.equal(tip(to, 'main'), tip(from, 'main'));
  await alone.deps.db
    .updateTable('projects')
    .set({ import_url: storedText(`${pair.plain}x`) })
    .where('id', '=', pair.copy.id)
    .execute();
  const pauses: unknown[] = [];
  for (let round = 0; round < 14; round += 1) {
    clock.advance(302 * MINUTE);
    await alone.drain();
    pauses.push(await pause());
  }
  assert.deepEqual(pauses.slice(0, 3), [60, 90, 120]);
  assert.deepEqual(pauses.slice(-3), [300, 300, null]);
  clock.advance(1_000 * MINUTE);
  const { last_update_at } = await row();
  await alone.drain();
  assert.equal((await row()).last_update_at, last_update_at);
  await pair.update();
  assert.equal(await pause(), 60, 'who asks for one begins anew');
});

describe('the deprecated way', () => {
  test('a project that is made with import_url and mirror follows it', async () => {
    const { pair, from, first } = await started();
    from.run(['branch', 'gone', first]);
    const json = {
      name: `follows-${pair.copy.id}`,
      import_url: pair.address,
      mirror: true,
      mirror_trigger_builds: true,
    };
    const made = expectStatus(await app.post('/projects', { json }), 201);
    assert.equal(made.mirror, true);
    assert.equal(made.import_status, 'scheduled');
    await app.drain();
    const path = `/projects/${made.id}/mirror/pull`;
    const mirror = expectStatus(await app.get(path), 200);
    assert.equal(mirror.update_status, 'finished', String(mirror.last_error));
    assert.equal(mirror.mirror_trigger_builds, true);
    assert.ok(mirror.last_successful_update_at !== null);
    from.run(['branch', '-D', 'gone']);
    from.commit('main', { b: '1' });
    expectStatus(await app.post(path), 202);
    await app.drain();
    const branches = expectStatus<{ name: string; commit: { id: string } }[]>(
      await app.get(`/projects/${made.id}/repository/branches`),
      200,
    );
    assert.deepEqual(
      branches.map(({ name, commit }) => [name, commit.id]),
      [
        ['gone', first],
        ['main', tip(from, 'main')],
      ],
    );
  });

  test('PUT /projects/:id switches it on and off', async () => {
    const { pair, from, to } = await started();
    const path = `/projects/${pair.copy.id}`;
    const put = async (json: object) => expectStatus(await app.put(path, { json }), 200);
    assert.match(
      String(expectStatus(await app.put(path, { json: { mirror: true } }), 400).message),
      /import_url can't be blank/,
    );
    const on = await put({ import_url: pair.address, mirror: true, only_mirror_protected_branches: false });
    assert.deepEqual([on.mirror, on.import_status], [true, 'scheduled']);
    assert.ok(!JSON.stringify(on).includes(ROOT_TOKEN));
    await app.drain();
    assert.deepEqual(pair.refs(to), pair.refs(from));
    assert.equal((await put({ mirror: false })).mirror, false);
    expectStatus(await app.get(pair.path), 400);
    expectStatus(await app.put(path, { json: { import_url: 'file:///etc', mirror: true } }), 422);
  });

  test('takes a plan that has pull mirrors', async () => {
    const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
    try {
      const project = await free.make.project();
      const json = { import_url: 'https://1.1.1.1/x.git', mirror: true };
      expectStatus(await free.put(`/projects/${project.id}`, { json }), 403);
      expectStatus(await free.post('/projects', { json: { ...json, name: 'paid' } }), 403);
      expectStatus(await free.get(`/projects/${project.id}/mirror/pull`), 403);
    } finally {
      await free.close();
    }
  });
});
