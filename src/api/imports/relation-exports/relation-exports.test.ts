import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import { entriesOf } from '../../../../test/support/tar.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

type Json = Record<string, unknown>;
const clock = new TestClock(new Date());
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const of = (group: Pick<Namespace, 'id'>, rest = '') => `/groups/${group.id}/export_relations${rest}`;
const message = (response: Awaited<ReturnType<TestApp['get']>>, status: number) =>
  String(expectStatus<Json>(response, status).message);
const statusOf = async (path: string, relation: string) =>
  expectStatus<Json[]>(await app.get(`${path}/status`, { query: { relation } }), 200)[0]!;
async function linesOf(path: string, query: Record<string, string | number | boolean>): Promise<Json[]> {
  const response = await app.get(`${path}/download`, { query });
  assert.equal(response.statusCode, 200, response.body);
  const text = gunzipSync(response.rawPayload).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Json]));
}
const addLabels = async (column: 'group_id' | 'project_id', id: number, count: number) => {
  const now = clock.now().toISOString();
  for (let at = 0; at < count; at += 500) {
    const values = Array.from({ length: Math.min(500, count - at) }, (_, n) => ({
      project_id: null,
      group_id: null,
      [column]: id,
      name: `label ${at + n}`,
      color: '#112233',
      description: null,
      created_at: now,
      updated_at: now,
    }));
    await app.deps.db.insertInto('labels').values(values).execute();
  }
};

describe('an export of a group', () => {
  test('makes a file of each relation, which can be had when it is done', async () => {
    const group = await app.make.group();
    const place = `/groups/${group.id}`;
    expectStatus(
      await app.post(`${place}/labels`, { json: { name: 'bug', color: '#ff0000', description: 'é☃' } }),
      201,
    );
    expectStatus(await app.post(`${place}/milestones`, { json: { title: 'v1', due_date: '2026-12-24' } }), 201);
    const badge = {
      link_url: 'https://example.org/%{project_path}',
      image_url: 'https://example.org/b.svg',
      name: 'b',
    };
    expectStatus(await app.post(`${place}/badges`, { json: badge }), 201);
    const changes = { lfs_enabled: false, only_allow_merge_if_pipeline_succeeds: true, description: 'All of us' };
    expectStatus(await app.put(place, { json: changes }), 200);
    const upload = multipart({}, { field: 'file', name: 'a b.txt', bytes: Buffer.from('of the upload') });
    const { url } = expectStatus<{ url: string }>(await app.post(`${place}/uploads`, upload), 201);

    assert.deepEqual(expectStatus(await app.get(of(group, '/status')), 200), []);
    assert.deepEqual(expectStatus(await app.post(of(group)), 202), { message: '202 Accepted' });
    const begun = expectStatus<Json[]>(await app.get(of(group, '/status')), 200);
    assert.deepEqual([...new Set(begun.map(({ status }) => status))], [0]);
    assert.equal(
      message(await app.get(of(group, '/download'), { query: { relation: 'labels' } }), 404),
      'Export file not found',
    );
    await app.drain();

    const done = expectStatus<Json[]>(await app.get(of(group, '/status')), 200);
    assert.deepEqual(
      done.map(({ relation, status, batched, total_objects_count: n }) => [relation, status, batched, n]),
      [
        ['self', 1, false, 1],
        ['namespace_settings', 1, false, 1],
        ['milestones', 1, false, 1],
        ['badges', 1, false, 1],
        ['boards', 1, false, 0],
        ['labels', 1, false, 1],
        ['uploads', 1, false, 1],
        ['user_contributions', 1, false, 1],
      ],
    );
    const [label] = await linesOf(of(group), { relation: 'labels' });
    assert.deepEqual(
      [label!.title, label!.color, label!.description, label!.type],
      ['bug', '#ff0000', 'é☃', 'GroupLabel'],
    );
    const [milestone] = await linesOf(of(group), { relation: 'milestones' });
    assert.deepEqual([milestone!.title, milestone!.iid, milestone!.due_date], ['v1', 1, '2026-12-24']);
    assert.equal((await linesOf(of(group), { relation: 'badges' }))[0]!.link_url, badge.link_url);
    const [apart] = await linesOf(of(group), { relation: 'namespace_settings' });
    assert.deepEqual(apart, { namespace_id: group.id, only_allow_merge_if_pipeline_succeeds: true });
    const [self] = await linesOf(of(group), { relation: 'self' });
    assert.deepEqual([self!.path, self!.description, self!.lfs_enabled], [group.path, 'All of us', false]);
    assert.deepEqual(
      (await linesOf(of(group), { relation: 'user_contributions' })).map(({ username }) => username),
      ['root'],
    );
    const archive = await app.get(of(group, '/download'), { query: { relation: 'uploads' } });
    assert.match(String(archive.headers['content-disposition']), /^attachment; filename="uploads\.tar\.gz"/);
    const entries = await entriesOf(gunzipSync(archive.rawPayload));
    assert.deepEqual(entries, [[`${url.split('/')[2]}/a_b.txt`, 'of the upload']]);
    const file = await app.get(of(group, '/download'), { query: { relation: 'self' } });
    assert.match(String(file.headers['content-disposition']), /filename="self\.json\.gz"/);
  });

  test('comes in batches of a thousand where it is asked to', async () => {
    const group = await app.make.group();
    await addLabels('group_id', group.id, 2_345);
    expectStatus(await app.post(of(group), { json: { batched: true } }), 202);
    await app.drain();
    const { batches, ...status } = await statusOf(of(group), 'labels');
    assert.deepEqual(
      [status.status, status.batched, status.batches_count, status.total_objects_count],
      [1, true, 3, 2_345],
    );
    assert.deepEqual(
      (batches as Json[]).map(({ status, batch_number, objects_count, error }) => [
        status,
        batch_number,
        objects_count,
        error,
      ]),
      [
        [1, 1, 1_000, null],
        [1, 2, 1_000, null],
        [1, 3, 345, null],
      ],
    );
    const names: unknown[] = [];
    for (const batch_number of [1, 2, 3]) {
      const lines = await linesOf(of(group), { relation: 'labels', batched: true, batch_number });
      names.push(...lines.map(({ title }) => title));
    }
    assert.deepEqual(
      names,
      Array.from({ length: 2_345 }, (_, n) => `label ${n}`),
    );
    const empty = await statusOf(of(group), 'badges');
    assert.deepEqual([empty.status, empty.batches_count, empty.batches], [1, 0, []]);
    assert.equal((await statusOf(of(group), 'self')).batched, false);

    const download = (query: Json) => app.get(of(group, '/download'), { query } as object);
    assert.equal(message(await download({ relation: 'labels' }), 400), 'Export is batched');
    assert.equal(
      message(await download({ relation: 'self', batched: true, batch_number: 1 }), 400),
      'Export is not batched',
    );
    assert.equal(
      message(await download({ relation: 'labels', batched: true, batch_number: 4 }), 404),
      'Batch not found',
    );
    assert.equal(message(await download({ relation: 'labels', batched: true }), 400), 'batch_number is missing');
    assert.equal(message(await download({ relation: 'boots' }), 404), 'Export not found');
    assert.equal(message(await download({}), 400), 'relation is missing, relation is empty');
    assert.equal(
      message(await app.get(of(group, '/status'), { query: { relation: 'boots' } }), 404),
      'Export not found',
    );
  });

  test('that was cut off goes on behind its last batch', async () => {
    const group = await app.make.group();
    await addLabels('group_id', group.id, 1_500);
    expectStatus(await app.post(of(group), { json: { batched: true } }), 202);
    await app.drain();
    const { id } = await app.deps.db
      .selectFrom('relation_exports')
      .select('id')
      .where('group_id', '=', group.id)
      .where('relation', '=', 'labels')
      .executeTakeFirstOrThrow();
    await app.deps.db
      .deleteFrom('relation_export_batches')
      .where('export_id', '=', id)
      .where('batch_number', '=', 2)
      .execute();
    await app.deps.db
      .updateTable('relation_exports')
      .set({ status: 0, total_objects_count: 1_000, batches_count: 1 })
      .where('id', '=', id)
      .execute();
    const { EXPORT } = await import('../../../import-export/exports/export.start.ts');
    await app.deps.jobs.enqueue(app.deps.db, EXPORT, { export_id: id });
    await app.drain();
    const status = await statusOf(of(group), 'labels');
    assert.deepEqual([status.status, status.total_objects_count, status.batches_count], [1, 1_500, 2]);
    assert.equal((await linesOf(of(group), { relation: 'labels', batched: true, batch_number: 2 })).length, 500);
  });

  test('is replaced by the next, and its files go', async () => {
    const group = await app.make.group();
    await addLabels('group_id', group.id, 3);
    expectStatus(await app.post(of(group), { json: { batched: true } }), 202);
    await app.drain();
    const { sha256 } = await app.deps.db
      .selectFrom('relation_export_batches')
      .select('sha256')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    await app.deps.db.updateTable('labels').set({ description: 'new' }).where('group_id', '=', group.id).execute();
    expectStatus(await app.post(of(group)), 202);
    expectStatus(await app.post(of(group)), 202);
    assert.equal((await statusOf(of(group), 'labels')).status, 0);
    await app.drain();
    assert.deepEqual(
      (await linesOf(of(group), { relation: 'labels' })).map(({ description }) => description),
      ['new', 'new', 'new'],
    );
    clock.advance(3 * 3_600_000);
    await app.drain();
    assert.equal(await app.deps.blobs.stat(sha256), null);
  });

  test('is removed after a week, and with its group', async () => {
    const emptyGroup = await app.make.group();
    const gone = await app.make.group();
    expectStatus(await app.post(of(gone)), 202);
    await app.drain();
    expectStatus(await app.delete(`/groups/${gone.id}`), 202);
    await app.deps.jobs.maintain();
    clock.advance(40 * 86_400_000);
    await app.drain();
    const left = await app.deps.db
      .selectFrom('relation_exports')
      .select('id')
      .where('group_id', '=', gone.id)
      .execute();
    assert.deepEqual(left, []);
    expectStatus(await app.post(of(emptyGroup)), 202);
    await app.drain();
    clock.advance(6 * 86_400_000);
    await app.drain();
    assert.equal((await statusOf(of(emptyGroup), 'self')).status, 1);
    clock.advance(2 * 86_400_000);
    await app.drain();
    assert.deepEqual(expectStatus(await app.get(of(emptyGroup, '/status')), 200), []);
  });

  test('that cannot be written says so', async () => {
    const group = await app.make.group();
    const upload = multipart({}, { field: 'file', name: 'a.txt', bytes: Buffer.from('only here') });
    expectStatus(await app.post(`/groups/${group.id}/uploads`, upload), 201);
    const { sha256 } = await app.deps.db
      .selectFrom('uploads')
      .select('sha256')
      .where('group_id', '=', group.id)
      .executeTakeFirstOrThrow();
    await app.deps.blobs.delete(sha256);
    expectStatus(await app.post(of(group)), 202);
    for (let tries = 0; tries < 8; tries += 1) {
      await app.drain();
      clock.advance(60_000);
    }
    const status = await statusOf(of(group), 'uploads');
    assert.deepEqual([status.status, status.error], [-1, 'The relation could not be exported.']);
    assert.equal((await statusOf(of(group), 'user_contributions')).status, 1);
    assert.equal(
      message(await app.get(of(group, '/download'), { query: { relation: 'uploads' } }), 404),
      'Export file not found',
    );
  });

  test('is for owners alone', async () => {
    const { group, owner, maintainer, guest } = await staffedGroup(app);
    const stranger = await app.make.user();
    for (const [method, rest] of [
      ['POST', ''],
      ['GET', '/status'],
      ['GET', '/download?relation=self'],
    ] as const) {
      const ask = async (token: string | null) => (await app.request(method, of(group, rest), { token })).statusCode;
      assert.equal(await ask(null), 401);
      assert.equal(await ask(stranger.token), 404);
      assert.equal(await ask(guest.token), 403);
      assert.equal(await ask(maintainer.token), 403);
    }
    expectStatus(await app.post(of(group), { token: owner.token }), 202);
    expectStatus(
      await app.get(of(group, '/status'), { token: await app.make.token(owner.user.id, ['read_api']) }),
      200,
    );
    expectStatus(await app.post(of(group), { token: await app.make.token(owner.user.id, ['read_api']) }), 403);
  });
});
