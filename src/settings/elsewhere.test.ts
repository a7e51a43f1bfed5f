import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { moveMonotonicClock } from '../../test/support/monotonic-clock.ts';
import { dieAs, secondProcess } from '../../test/support/second-process.ts';
import { changeSettings, resetSettings } from '../../test/support/settings.ts';
import { noSsh, SshPlace } from '../../test/support/ssh-user.ts';
import { type AllSettings, SETTINGS, type SettingName } from './settings-table.ts';

/** Longer than the maximum age of the settings. */
const IDLE_MS = 1_100;
const PASSWORD = 'correct horse battery';

test('settings that are changed in a process hold in it at once, and are not asked for again', async () => {
  const app = await buildTestApp();
  try {
    await changeSettings(app, { mirror_available: false });
    assert.equal(app.deps.settings.now.mirror_available, false);
    assert.equal(app.deps.settings.fresh(), null);
  } finally {
    await app.close();
  }
});

describe('settings that another process changes', { skip: !process.env.STITHY_TEST_POSTGRES }, () => {
  let app: TestApp;
  let other: TestApp;
  let person: string;
  let username: string;
  let project: number;
  before(async () => {
    app = await buildTestApp();
    const { token, user } = await app.make.user();
    person = token;
    username = user.username;
    expectStatus(await app.put(`/users/${user.id}`, { json: { password: PASSWORD } }), 200);
    const made = await app.post('/projects', { token: person, json: { name: 'theirs', visibility: 'public' } });
    project = (made.json() as { id: number }).id;
  });
  after(() => app.close());
  beforeEach(async () => {
    other = (await secondProcess(app))!;
  });
  afterEach(async () => {
    await other.close();
    await resetSettings(app);
  });

  test('are known here at once, without a question', async () => {
    let known: () => void = () => {};
    const refreshed = new Promise<void>((resolve) => {
      known = resolve;
    });
    const refresh = other.deps.settings.refresh.bind(other.deps.settings);
    other.deps.settings.refresh = () => refresh().then(known);
    await changeSettings(app, { maintenance_mode: true });
    await refreshed;
    assert.equal(other.deps.settings.now.maintenance_mode, true);
  });

  /** A request to the other process, and its expected answer under the new settings. */
  const decided: [
    changes: Partial<Record<SettingName, unknown>>,
    ask: () => Promise<{ statusCode: number }>,
    status: number,
  ][] = [
    [
      { maintenance_mode: true },
      () => other.post(`/projects/${project}/issues`, { token: person, json: { title: 'x' } }),
      503,
    ],
    [{ disable_personal_access_tokens: true }, () => other.get('/user', { token: person }), 401],
    [{ enabled_git_access_protocol: 'ssh' }, () => git(person), 403],
    [{ password_authentication_enabled_for_git: false }, () => git(PASSWORD), 401],
    [
      { allow_runner_registration_token: false },
      () => other.post('/runners', { token: null, json: { token: 'x' } }),
      410,
    ],
    [
      { disable_invite_members: true },
      () => other.post(`/projects/${project}/members`, { token: person, json: { user_id: 1, access_level: 30 } }),
      403,
    ],
    [
      { disable_overriding_approvers_per_merge_request: true },
      () =>
        other.post(`/projects/${project}/approval_rules`, {
          token: person,
          json: { name: 'r', approvals_required: 1 },
        }),
      403,
    ],
    [
      { mirror_available: false },
      () =>
        other.post(`/projects/${project}/remote_mirrors`, {
          token: person,
          json: { url: 'https://example.com/a.git' },
        }),
      403,
    ],
  ];

  const git = (secret: string) =>
    other.instance.server.app.inject({
      url: `/${path}.git/info/refs?service=git-upload-pack`,
      headers: { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` },
    });
  let path = '';
  before(async () => {
    const { full_path } = await app.deps.db
      .selectFrom('projects')
      .select('full_path')
      .where('id', '=', project)
      .executeTakeFirstOrThrow();
    path = full_path;
  });

  for (const [changes, ask, status] of decided) {
    test(`decide the first answer after idleness, also where nothing was heard of them: ${Object.keys(changes)[0]}`, async (t) => {
      await dieAs(other);
      assert.notEqual((await ask()).statusCode, status);
      await changeSettings(app, changes);
      moveMonotonicClock(t, IDLE_MS);
      assert.equal((await ask()).statusCode, status);
    });
  }

  test('decide the first command over SSH after idleness, also where nothing was heard of them', {
    skip: noSsh,
  }, async (t) => {
    const place = await SshPlace.of(other);
    try {
      const key = await place.keyOf(await app.make.user());
      const list = [...place.with(key), 'ls-remote', place.address({ full_path: path })];
      await dieAs(other);
      await place.git.ok(place.git.folder, ...list);
      await changeSettings(app, { enabled_git_access_protocol: 'http' });
      moveMonotonicClock(t, IDLE_MS);
      assert.match(await place.git.fails(place.git.folder, ...list), /SSH/);
    } finally {
      place.close();
    }
  });

  test('are all the same for both', async (t) => {
    const known = ({ deps }: TestApp) => deps.settings.now as AllSettings;
    await dieAs(other);
    const flags = (Object.keys(SETTINGS) as SettingName[]).filter((name) => SETTINGS[name].kind === 'flag');
    assert.ok(flags.length > 50);
    const changed = Object.fromEntries(flags.map((name) => [name, !known(app)[name]]));
    const value = JSON.stringify(changed);
    await app.deps.db
      .insertInto('instance_values')
      .values({ key: 'application_settings', value, updated_at: new Date().toISOString() })
      .execute();
    await app.deps.settings.changed();
    moveMonotonicClock(t, IDLE_MS);
    await other.get('/version');
    assert.deepEqual(other.deps.settings.now, app.deps.settings.now);
    for (const name of flags) assert.equal(known(other)[name], changed[name], name);
  });
});
