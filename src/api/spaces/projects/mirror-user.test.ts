import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
});
after(() => app.close());

const MIRROR = { import_url: 'http://127.0.0.1:8081/a/b.git', mirror: true };

async function world() {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const put = (json: object, token?: string) =>
    app.put(`/projects/${project.id}`, { json, ...(token ? { token } : {}) });
  const userAfter = async (json: object, token?: string) => {
    expectStatus(await put(json, token), 200);
    return expectStatus<{ mirror_user_id: number | null }>(await app.get(`/projects/${project.id}`), 200)
      .mirror_user_id;
  };
  return { project, ...people, put, userAfter };
}

test('administrators name the user of a mirror; others only themselves, and else are passed over', async () => {
  const { developer, maintainer, owner, stranger, put, userAfter } = await world();
  assert.equal(await userAfter({ ...MIRROR, mirror_user_id: developer.user.id }), developer.user.id);
  assert.equal(await userAfter({ mirror_user_id: maintainer.user.id }), maintainer.user.id);
  assert.equal(await userAfter({ mirror_user_id: owner.user.id }, maintainer.token), maintainer.user.id);
  assert.equal(await userAfter({ mirror_user_id: owner.user.id }, owner.token), owner.user.id);
  assert.equal(await userAfter({ mirror_user_id: null }), owner.user.id);
  assert.equal(
    await userAfter({ mirror_branch_regex: '^main$', mirror_user_id: owner.user.id }, maintainer.token),
    maintainer.user.id,
  );
  expectStatus(await put({ mirror_user_id: developer.user.id }, developer.token), 403);
  expectStatus(await put({ mirror_user_id: stranger.user.id }, stranger.token), 404);
  for (const id of ['somebody', 2 ** 60, -1]) expectStatus(await put({ mirror_user_id: id }), 400);
  assert.equal(await userAfter({ mirror: false, mirror_user_id: owner.user.id }), null);
  assert.equal(await userAfter({ mirror_user_id: owner.user.id }), null);
});

test('whoever cannot push is refused as the user of a mirror, with all else that was asked for', async () => {
  const { project, guest, reporter, stranger, developer, put, userAfter } = await world();
  await userAfter({ ...MIRROR, mirror_user_id: developer.user.id });
  const blocked = (await app.make.members(project)).maintainer.user.id;
  await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked).execute();
  for (const id of [guest.user.id, reporter.user.id, stranger.user.id, blocked, 4_711_000]) {
    const { message } = expectStatus<{ message: string }>(
      await put({ mirror_user_id: id, description: 'Changed', mirror_branch_regex: 'x' }),
      400,
    );
    assert.equal(message, 'mirror_user_id must be a user who can push to the project');
  }
  const { mirror_user_id, description } = expectStatus(await app.get(`/projects/${project.id}`), 200);
  assert.deepEqual([mirror_user_id, description], [developer.user.id, project.description]);
});

test('the user of a mirror is for those who may set mirrors up, on plans that have them', async () => {
  const { owner, maintainer, put, userAfter } = await world();
  await userAfter(MIRROR, owner.token);
  await changeSettings(app, { mirror_available: false });
  expectStatus(await put({ mirror_user_id: maintainer.user.id }, maintainer.token), 403);
  assert.equal(await userAfter({ mirror_user_id: maintainer.user.id }), maintainer.user.id);
  await resetSettings(app);
  app.deps.config.plan = 'free';
  try {
    assert.equal(await userAfter({ mirror_user_id: owner.user.id, description: 'Kept' }), maintainer.user.id);
  } finally {
    app.deps.config.plan = 'ultimate';
  }
});
