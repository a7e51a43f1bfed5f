import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { auditOf } from '../../../../test/support/audit-trail.ts';
import { sendArchive } from '../../../../test/support/imports.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import { entriesOf, tarEntry, tarGzOf } from '../../../../test/support/tar.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const send = (bytes: Buffer, fields: Record<string, string>, token?: string) =>
  sendArchive(app, 'groups', bytes, fields, token);
async function bring(bytes: Buffer, fields: Record<string, string>): Promise<Json> {
  assert.deepEqual(expectStatus(await send(bytes, fields), 202), { message: '202 Accepted' });
  await app.drain();
  return expectStatus<Json>(await app.get(`/groups/${fields.path}`), 200);
}
const failures = async (groupId: unknown) =>
  (
    await app.deps.db
      .selectFrom('bulk_import_failures')
      .innerJoin('bulk_import_entities', 'bulk_import_entities.id', 'entity_id')
      .select('exception_message')
      .where('namespace_id', '=', Number(groupId))
      .orderBy('bulk_import_failures.id')
      .execute()
  ).map(({ exception_message }) => exception_message);
const self = (more: Json) => JSON.stringify({ visibility_level: 20, parent_id: null, ...more });
const line = (value: Json) => `${JSON.stringify(value)}\n`;

test('a group becomes one archive with its subgroups, and a group again', async () => {
  const ann = await app.make.user();
  const top = await app.make.group({ path: 'packed', visibility: 'public' });
  const sub = await app.make.group({ path: 'inner', parent: top, visibility: 'internal' });
  await app.make.group({ path: 'deep', parent: sub, visibility: 'private' });
  await app.make.project({ namespace: sub });
  await app.make.member({ group: sub }, ann.user, 30);
  expectStatus(await app.post(`/groups/${top.id}/labels`, { json: { name: 'wide', color: '#112233' } }), 201);
  expectStatus(await app.post(`/groups/${sub.id}/milestones`, { json: { title: 'together' } }), 201);

  assert.equal((await app.get(`/groups/${top.id}/export/download`)).statusCode, 404);
  expectStatus(await app.post(`/groups/${top.id}/export`), 202);
  assert.deepEqual(expectStatus(await app.get(`/groups/${top.id}/export/download`), 404), {
    message: 'The group export file is not available yet.',
  });
  await app.drain();
  const archive = await app.get(`/groups/${top.id}/export/download`);
  assert.equal(archive.statusCode, 200);
  assert.match(String(archive.headers['content-disposition']), /_packed_export\.tar\.gz"/);
  const entries = new Map(await entriesOf(gunzipSync(archive.rawPayload)));
  assert.equal(entries.get('VERSION'), '0.2.4');
  assert.equal(entries.get('tree/groups/_all.ndjson')?.split('\n').length, 4);
  assert.equal(JSON.parse(entries.get(`tree/groups/${top.id}.json`)!).parent_id, null);
  assert.equal(JSON.parse(entries.get(`tree/groups/${sub.id}.json`)!).parent_id, top.id);
  const members = entries.get(`tree/groups/${sub.id}/members.ndjson`)!.trim().split('\n');
  assert.ok(members.some((member) => JSON.parse(member).user_id === ann.user.id));

  const copy = await bring(archive.rawPayload, { name: 'Copied', path: 'copied' });
  assert.deepEqual([copy.name, copy.visibility, await failures(copy.id)], ['Copied', 'public', []]);
  const inner = expectStatus<Json>(await app.get('/groups/copied%2Finner'), 200);
  assert.deepEqual([inner.name, inner.visibility], [sub.name, 'internal']);
  assert.equal(expectStatus<Json>(await app.get('/groups/copied%2Finner%2Fdeep'), 200).visibility, 'private');
  const labels = expectStatus<Json[]>(await app.get('/groups/copied/labels'), 200);
  assert.deepEqual(
    labels.map(({ name }) => name),
    ['wide'],
  );
  assert.equal(expectStatus<Json[]>(await app.get('/groups/copied%2Finner/milestones'), 200)[0]!.title, 'together');
  assert.deepEqual(expectStatus(await app.get('/groups/copied%2Finner/projects'), 200), []);
  const sheet = (await app.get(`/groups/${copy.id}/placeholder_reassignments`)).body;
  assert.ok(sheet.includes(`,gitlab_group,${ann.user.id},`), sheet);
  // What came from no other server is in no list of those that did.
  expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: true } }), 200);
  assert.deepEqual(expectStatus(await app.get('/bulk_imports/entities'), 200), []);
});

describe('an export of a group', () => {
  test('is for owners, and limited in number', async () => {
    const { group, owner, maintainer } = await staffedGroup(app);
    expectStatus(await app.post(`/groups/${group.id}/export`, { token: owner.token }), 202);
    expectStatus(await app.post(`/groups/${group.id}/export`, { token: maintainer.token }), 403);
    expectStatus(await app.get(`/groups/${group.id}/export/download`, { token: maintainer.token }), 403);
    const hidden = await app.make.group();
    const stranger = await app.make.user();
    expectStatus(await app.post(`/groups/${hidden.id}/export`, { token: stranger.token }), 404);
    expectStatus(await app.post(`/groups/${hidden.id}/export`, { token: null }), 401);
    const { token } = await app.make.user({ admin: true });
    for (let count = 0; count < 6; count += 1) {
      expectStatus(await app.post(`/groups/${hidden.id}/export`, { token }), 202);
    }
    expectStatus(await app.post(`/groups/${hidden.id}/export`, { token }), 429);
    await app.drain();
    assert.equal((await app.get(`/groups/${hidden.id}/export/download`, { token })).statusCode, 200);
    expectStatus(await app.get(`/groups/${hidden.id}/export/download`, { token }), 429);
  });

  test('is told', async () => {
    const group = await app.make.group();
    const { token } = await app.make.user({ admin: true });
    const events = await auditOf(app, async () => {
      expectStatus(await app.post(`/groups/${group.id}/export`, { token }), 202);
      await app.drain();
      await app.get(`/groups/${group.id}/export/download`, { token });
    });
    assert.deepEqual(
      events.map(({ event_name }) => event_name),
      ['group_export_created', 'group_export_file_download_started'],
    );
  });
});

describe('settings of a group', () => {
  const SETTINGS = {
    description: 'What we make',
    request_access_enabled: false,
    project_creation_level: 'noone',
    subgroup_creation_level: 'owner',
    require_two_factor_authentication: true,
    two_factor_grace_period: 24,
    share_with_group_lock: true,
    membership_lock: true,
    prevent_sharing_groups_outside_hierarchy: true,
    prevent_forking_outside_group: true,
    emails_enabled: false,
    mentions_disabled: true,
    show_diff_preview_in_email: false,
    lfs_enabled: false,
    auto_devops_enabled: false,
    shared_runners_setting: 'disabled_and_overridable',
    max_artifacts_size: 12,
    default_branch: 'trunk',
    wiki_access_level: 'private',
    enabled_git_access_protocol: 'ssh',
    service_access_tokens_expiration_enforced: false,
    math_rendering_limits_enabled: false,
    lock_math_rendering_limits_enabled: true,
    only_allow_merge_if_pipeline_succeeds: true,
    allow_merge_on_skipped_pipeline: true,
    only_allow_merge_if_all_discussions_are_resolved: true,
  };
  const STAY = {
    ldap_cn: 'admins',
    ldap_access: 50,
    shared_runners_minutes_limit: 1_000,
    extra_shared_runners_minutes_limit: 500,
    unique_project_download_limit_allowlist: ['root'],
  };
  const RULES = { allowed_to_push: [{ access_level: 40 }], allow_force_push: true };
  const shown = async (path: string) =>
    expectStatus<Json>(await app.get(`/groups/${encodeURIComponent(path)}`, { query: { with_projects: false } }), 200);
  const picked = (from: Json, names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, from[name]]));
  const HEAD = ['VERSION', '0.2.4'] as const;

  test('come with it and its subgroups, but for those that are about the other server', async () => {
    const top = await app.make.group({ path: 'strict' });
    const all = { ...SETTINGS, ...STAY, default_branch_protection_defaults: RULES };
    expectStatus(await app.put(`/groups/${top.id}`, { json: all }), 200);
    const { prevent_sharing_groups_outside_hierarchy: _only, ...inner } = SETTINGS;
    const sub = await app.make.group({ path: 'inner', parent: top });
    expectStatus(await app.put(`/groups/${sub.id}`, { json: { ...inner, ...STAY } }), 200);
    await app.make.group({ path: 'plain', parent: top });
    expectStatus(await app.post(`/groups/${top.id}/export`), 202);
    await app.drain();
    const archive = (await app.get(`/groups/${top.id}/export/download`)).rawPayload;
    const entries = new Map(await entriesOf(gunzipSync(archive)));
    // As the platform's own archives have them.
    const self = JSON.parse(entries.get(`tree/groups/${top.id}.json`)!);
    assert.deepEqual([self.project_creation_level, self.subgroup_creation_level], [0, 0]);

    const copy = await bring(archive, { name: 'Strict again', path: 'strict-again' });
    assert.deepEqual(await failures(copy.id), []);
    const before = await shown('strict');
    const after = await shown('strict-again');
    assert.deepEqual(picked(after, SETTINGS), SETTINGS);
    assert.deepEqual(after.default_branch_protection_defaults, before.default_branch_protection_defaults);
    assert.equal((after.default_branch_protection_defaults as Json).allow_force_push, true);
    const plain = await shown('strict-again/plain');
    assert.deepEqual(picked(after, STAY), picked(plain, STAY));
    assert.notDeepEqual(picked(before, STAY), picked(plain, STAY));
    const below = await shown('strict-again/inner');
    assert.deepEqual(picked(below, inner), inner);
    assert.deepEqual(picked(below, STAY), picked(plain, STAY));
    assert.deepEqual(picked(plain, SETTINGS), picked(await shown('strict/plain'), SETTINGS));
  });

  test('are taken from archives of the platform, as far as they mean anything', async () => {
    const files: [string, string][] = [
      [
        'tree/groups/1.json',
        self({
          name: 'One',
          path: 'one',
          project_creation_level: 1,
          subgroup_creation_level: 0,
          emails_disabled: true,
          shared_runners_enabled: false,
          allow_descendants_override_disabled_shared_runners: false,
          lfs_enabled: null,
          two_factor_grace_period: 1e300,
          max_artifacts_size: -1,
          default_branch: '../evil..lock',
          mentions_disabled: 'yes',
          runners_token: 'secret',
          ldap_access: 50,
          owner_id: 1,
        }),
      ],
      ['tree/groups/1/namespace_settings.ndjson', line({ prevent_sharing_groups_outside_hierarchy: true })],
      ['tree/groups/2.json', self({ name: 'Two', path: 'two', parent_id: 1, project_creation_level: 99 })],
      ['tree/groups/2/namespace_settings.ndjson', line({ prevent_sharing_groups_outside_hierarchy: true })],
      ['tree/groups/3.json', self({ name: 'Three', path: 'three', parent_id: 1, emails_enabled: false })],
      ['tree/groups/3/namespace_settings.ndjson', 'no object'],
    ];
    const group = await bring(await tarGzOf([HEAD, ...files]), { name: 'Platform', path: 'platform' });
    assert.deepEqual(await failures(group.id), []);
    const expectedSettings = {
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      emails_enabled: false,
      shared_runners_setting: 'disabled_and_unoverridable',
      prevent_sharing_groups_outside_hierarchy: true,
    };
    assert.deepEqual(picked(await shown('platform'), expectedSettings), expectedSettings);
    const untouched = {
      lfs_enabled: true,
      two_factor_grace_period: 48,
      max_artifacts_size: null,
      default_branch: null,
      mentions_disabled: null,
      ldap_access: null,
    };
    assert.deepEqual(picked(await shown('platform'), untouched), untouched);
    const two = await shown('platform/two');
    assert.deepEqual(
      [two.project_creation_level, two.prevent_sharing_groups_outside_hierarchy, two.subgroup_creation_level],
      ['developer', false, 'maintainer'],
    );
    assert.equal((await shown('platform/three')).emails_enabled, false);
  });

  test('of a paid plan are not taken on a lower one', async () => {
    const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
    try {
      const archive = await tarGzOf([
        HEAD,
        ['tree/groups/1.json', self({ name: 'One', path: 'one', membership_lock: true, lfs_enabled: false })],
        ['tree/groups/2.json', self({ name: 'Two', path: 'two', parent_id: 1, membership_lock: true })],
      ]);
      expectStatus(await sendArchive(free, 'groups', archive, { name: 'Paid', path: 'paid' }), 202);
      await free.drain();
      const { settings } = await free.deps.db
        .selectFrom('namespaces')
        .select('settings')
        .where('full_path', '=', 'paid')
        .executeTakeFirstOrThrow();
      assert.deepEqual(JSON.parse(settings).membership_lock, undefined);
      assert.deepEqual(JSON.parse(settings).lfs_enabled, false);
      const two = await free.deps.db
        .selectFrom('namespaces')
        .select('settings')
        .where('full_path', '=', 'paid/two')
        .executeTakeFirstOrThrow();
      assert.deepEqual(JSON.parse(two.settings).membership_lock, undefined);
    } finally {
      await free.close();
    }
  });

  test('stay as they are where the sender may change the group no more', async () => {
    const { user, token } = await app.make.user();
    const archive = await tarGzOf([
      HEAD,
      ['tree/groups/1.json', self({ name: 'One', path: 'one', lfs_enabled: false })],
    ]);
    expectStatus(await send(archive, { name: 'Lost', path: 'lost' }, token), 202);
    const group = await shown('lost');
    await app.make.member({ group: group as never }, (await app.make.user()).user, 50);
    expectStatus(await app.put(`/groups/${group.id}/members/${user.id}`, { json: { access_level: 40 } }), 200);
    await app.drain();
    assert.equal((await shown('lost')).lfs_enabled, true);
    assert.deepEqual(await failures(group.id), ['403 Forbidden']);
  });
});

describe('an archive of a group', () => {
  const HEAD = ['VERSION', '0.2.4'] as const;

  test('gives nothing but plain files of known names, and what cannot be made leaves the rest', async () => {
    const parts = [
      tarEntry('VERSION', '0.2.4'),
      tarEntry('../../tmp/evil', 'evil'),
      tarEntry('tree/groups/1/../../../evil.ndjson', 'evil'),
      tarEntry('tree/groups/1/labels.ndjson', '/etc/passwd', { type: '2' }),
      tarEntry('tree/groups/1.json', self({ name: 'One', path: 'one', description: 'x'.repeat(2_000) })),
      tarEntry('tree/groups/2.json', self({ name: 'Bad', path: '../bad', parent_id: 1 })),
      tarEntry('tree/groups/3.json', self({ name: 'Below bad', path: 'below', parent_id: 2 })),
      tarEntry('tree/groups/4.json', self({ name: 'Good', path: 'good', parent_id: 1, visibility_level: 99 })),
      tarEntry('tree/groups/5.json', self({ name: 'Circle', path: 'circle', parent_id: 6 })),
      tarEntry('tree/groups/6.json', self({ name: 'Circle', path: 'circle', parent_id: 5 })),
      tarEntry('tree/groups/4/milestones.ndjson', line({ iid: 1, title: 'Kept' })),
      Buffer.alloc(1_024),
    ];
    const group = await bring(gzipSync(Buffer.concat(parts)), { name: 'Odd', path: 'odd' });
    assert.deepEqual([String(group.description).length, group.visibility], [500, 'public']);
    const below = expectStatus<Json[]>(await app.get(`/groups/${group.id}/descendant_groups`), 200);
    assert.deepEqual(
      below.map(({ full_path, visibility }) => [full_path, visibility]),
      [['odd/good', 'private']],
    );
    assert.equal((await failures(group.id)).length, 1);
    assert.equal(expectStatus<Json[]>(await app.get('/groups/odd%2Fgood/milestones'), 200).length, 1);
    assert.deepEqual(expectStatus(await app.get('/groups/odd/labels'), 200), []);
  });

  test('that is none leaves an empty group, and says why', async () => {
    const none = await bring(Buffer.from('no archive'), { name: 'None', path: 'none' });
    assert.match((await failures(none.id))[0]!, /not in gzip format/);
    const old = await bring(await tarGzOf([['VERSION', '0.1.0']]), { name: 'Old', path: 'old' });
    assert.match((await failures(old.id))[0]!, /version mismatch/);
    const empty = await bring(await tarGzOf([HEAD]), { name: 'Empty', path: 'empty' });
    assert.match((await failures(empty.id))[0]!, /no top-level group/);
    const broken = await bring(await tarGzOf([HEAD, ['tree/groups/1.json', '[]']]), { name: 'Broken', path: 'broken' });
    assert.match((await failures(broken.id))[0]!, /cannot be read/);
  });

  test('is put where its sender may, no more open than that', async () => {
    const parent = await app.make.group({ path: 'closed', visibility: 'private' });
    const archive = await tarGzOf([HEAD, ['tree/groups/7.json', self({ name: 'Open', path: 'open' })]]);
    const fields = { name: 'Below', path: 'below', parent_id: String(parent.id) };
    expectStatus(await send(archive, fields), 202);
    await app.drain();
    assert.equal(expectStatus<Json>(await app.get('/groups/closed%2Fbelow'), 200).visibility, 'private');
    const stranger = await app.make.user();
    expectStatus(await send(archive, { ...fields, path: 'other' }, stranger.token), 404);
    const visible = await app.make.group({ visibility: 'public' });
    expectStatus(await send(archive, { ...fields, parent_id: String(visible.id) }, stranger.token), 403);
    expectStatus(await send(archive, { name: 'x' }, stranger.token), 400);
    expectStatus(await send(archive, { name: 'x', path: '../x' }, stranger.token), 400);
    expectStatus(await app.post('/groups/import', { token: stranger.token, json: { name: 'x', path: 'x' } }), 400);
    expectStatus(await app.post('/groups/import', { token: null, json: {} }), 401);
    expectStatus(await app.put('/application/settings', { json: { import_sources: ['git'] } }), 200);
    expectStatus(await send(archive, { name: 'x', path: 'x' }), 403);
  });
});
