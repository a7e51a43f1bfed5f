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
  await app.settle();
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
  await app.settle();
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
    await app.settle();
    assert.equal((await app.get(`/groups/${hidden.id}/export/download`, { token })).statusCode, 200);
    expectStatus(await app.get(`/groups/${hidden.id}/export/download`, { token }), 429);
  });

  test('is told', async () => {
    const group = await app.make.group();
    const { token } = await app.make.user({ admin: true });
    const told = await auditOf(app, async () => {
      expectStatus(await app.post(`/groups/${group.id}/export`, { token }), 202);
      await app.settle();
      await app.get(`/groups/${group.id}/export/download`, { token });
    });
    assert.deepEqual(
      told.map(({ event_name }) => event_name),
      ['group_export_created', 'group_export_file_download_started'],
    );
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
    assert.match((await failures(none.id))[0]!, /not packed by gzip/);
    const old = await bring(await tarGzOf([['VERSION', '0.1.0']]), { name: 'Old', path: 'old' });
    assert.match((await failures(old.id))[0]!, /version mismatch/);
    const empty = await bring(await tarGzOf([HEAD]), { name: 'Empty', path: 'empty' });
    assert.match((await failures(empty.id))[0]!, /no group that is above all others/);
    const broken = await bring(await tarGzOf([HEAD, ['tree/groups/1.json', '[]']]), { name: 'Broken', path: 'broken' });
    assert.match((await failures(broken.id))[0]!, /cannot be read/);
  });

  test('is put where its sender may, no more open than that', async () => {
    const parent = await app.make.group({ path: 'closed', visibility: 'private' });
    const archive = await tarGzOf([HEAD, ['tree/groups/7.json', self({ name: 'Open', path: 'open' })]]);
    const fields = { name: 'Below', path: 'below', parent_id: String(parent.id) };
    expectStatus(await send(archive, fields), 202);
    await app.settle();
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
