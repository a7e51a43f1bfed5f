import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

let app: TestApp;
const groups: Record<string, Namespace> = {};
let member: { token: string };
before(async () => {
  app = await buildTestApp();
  const alpha = await app.make.group({ path: 'alpha', visibility: 'public' });
  const beta = await app.make.group({ path: 'beta', visibility: 'internal' });
  const gamma = await app.make.group({ path: 'gamma' });
  const child = await app.make.group({ path: 'zeta', parent: gamma });
  const deep = await app.make.group({ path: 'deep', parent: child });
  Object.assign(groups, { alpha, beta, gamma, child, deep });
  const made = await app.make.user();
  await app.make.member({ group: child }, made.user, 30);
  member = made;
});
after(() => app.close());

async function paths(path: string, options: RequestOptions = {}): Promise<string[]> {
  const body = expectStatus<{ full_path: string }[]>(await app.get(path, options), 200);
  return body.map((group) => group.full_path);
}

test('GET /groups shows public groups to anonymous callers and all to administrators', async () => {
  assert.deepEqual(await paths('/groups', { token: null }), ['alpha']);
  assert.deepEqual(await paths('/groups'), ['alpha', 'beta', 'gamma/zeta/deep', 'gamma', 'gamma/zeta']);
});

test('GET /groups shows users their own groups, and the open ones with all_available', async () => {
  const { token } = member;
  assert.deepEqual(await paths('/groups', { token }), ['gamma/zeta/deep', 'gamma/zeta']);
  const query = { all_available: true };
  assert.deepEqual(await paths('/groups', { token, query }), ['alpha', 'beta', 'gamma/zeta/deep', 'gamma/zeta']);
  const external = await app.make.user({ columns: { external: 1 } });
  assert.deepEqual(await paths('/groups', { token: external.token, query }), ['alpha']);
});

test('GET /groups filters', async () => {
  const { token } = member;
  const all = { all_available: true };
  assert.deepEqual(await paths('/groups', { query: { visibility: 'internal' } }), ['beta']);
  assert.deepEqual(await paths('/groups', { query: { top_level_only: true } }), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(await paths('/groups', { query: { search: 'ZET' } }), ['gamma/zeta/deep', 'gamma/zeta']);
  assert.deepEqual(await paths('/groups', { query: { search: '%' } }), []);
  const skip = [String(groups.alpha!.id), String(groups.gamma!.id)];
  assert.deepEqual(await paths('/groups', { query: { 'skip_groups[]': skip, top_level_only: true } }), ['beta']);
  assert.deepEqual(await paths('/groups', { token, query: { ...all, min_access_level: 30 } }), [
    'gamma/zeta/deep',
    'gamma/zeta',
  ]);
  assert.deepEqual(await paths('/groups', { token, query: { ...all, min_access_level: 40 } }), []);
  assert.deepEqual(await paths('/groups', { token, query: { ...all, owned: true } }), []);
  assert.deepEqual(await paths('/groups', { token: null, query: { owned: true } }), []);
  assert.deepEqual(await paths('/groups', { token: null, query: { min_access_level: 10 } }), []);
  assert.deepEqual(await paths('/groups', { query: { archived: true } }), []);
  assert.deepEqual(await paths('/groups', { query: { active: false } }), []);
  expectStatus(await app.get('/groups', { query: { visibility: 'secret' } }), 400);
});

test('GET /groups orders', async () => {
  const query = { top_level_only: true };
  assert.deepEqual(await paths('/groups', { query: { ...query, order_by: 'id', sort: 'desc' } }), [
    'gamma',
    'beta',
    'alpha',
  ]);
  assert.deepEqual(await paths('/groups', { query: { ...query, order_by: 'path', sort: 'desc' } }), [
    'gamma',
    'beta',
    'alpha',
  ]);
  const similar = { search: 'gamma', order_by: 'similarity' };
  assert.deepEqual(await paths('/groups', { query: similar }), ['gamma', 'gamma/zeta/deep', 'gamma/zeta']);
  expectStatus(await app.get('/groups', { query: { order_by: 'id; drop table users' } }), 400);
});

test('GET /groups pages with headers', async () => {
  const response = await app.get('/groups', { query: { per_page: 2, page: 2 } });
  expectStatus(response, 200);
  assert.deepEqual(
    [response.headers['x-total'], response.headers['x-next-page'], response.headers['x-prev-page']],
    ['5', '3', '1'],
  );
});

test('GET /groups by keyset is for anonymous callers, by name', async () => {
  for (const name of ['k1', 'k2', 'k3']) await app.make.group({ path: name, visibility: 'public' });
  const query = { pagination: 'keyset', per_page: 2 };
  const first = await app.get('/groups', { token: null, query });
  assert.deepEqual(
    expectStatus<{ full_path: string }[]>(first, 200).map((group) => group.full_path),
    ['alpha', 'k1'],
  );
  assert.equal(first.headers['x-total'], undefined);
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))![1]!;
  const second = await app.get(next.slice(next.indexOf('/groups')), { token: null });
  assert.deepEqual(
    expectStatus<{ full_path: string }[]>(second, 200).map((group) => group.full_path),
    ['k2', 'k3'],
  );
  assert.equal(second.headers.link, undefined);
  const refusal = { message: 'Keyset pagination is not yet available for this type of request' };
  assert.equal(expectStatus(await app.get('/groups', { query }), 405).error, refusal.message);
  expectStatus(await app.get('/groups', { token: null, query: { ...query, order_by: 'id' } }), 405);
  expectStatus(await app.get('/groups', { token: null, query: { ...query, cursor: '!' } }), 400);
  const cursor = Buffer.from('["a\\u0000",1]').toString('base64url');
  expectStatus(await app.get('/groups', { token: null, query: { ...query, cursor } }), 400);
  expectStatus(await app.get('/groups', { token: null, query: { page: 502, per_page: 100 } }), 405);
});

test('GET /groups shows statistics and custom attributes to administrators alone', async () => {
  const group = await app.make.group({ path: 'sized', visibility: 'public' });
  const project = await app.make.project({ namespace: group });
  await app.deps.db
    .updateTable('projects')
    .set({ statistics: JSON.stringify({ repository_size: 5, storage_size: 7 }) })
    .where('id', '=', project.id)
    .execute();
  await app.deps.db
    .insertInto('custom_attributes')
    .values({ source_type: 'group', source_id: group.id, key: 'team', value: 'red' })
    .execute();
  const query = { statistics: true, with_custom_attributes: true, search: 'sized', all_available: true };
  const [shown] = expectStatus<Record<string, unknown>[]>(await app.get('/groups', { query }), 200);
  assert.deepEqual(shown?.custom_attributes, [{ key: 'team', value: 'red' }]);
  const { repository_size, storage_size, packages_size } = shown!.statistics as Record<string, number>;
  assert.deepEqual([repository_size, storage_size, packages_size], [5, 7, 0]);
  const [plain] = expectStatus<Record<string, unknown>[]>(
    await app.get('/groups', { token: member.token, query }),
    200,
  );
  assert.equal('statistics' in plain! || 'custom_attributes' in plain!, false);
  assert.deepEqual(await paths('/groups', { query: { 'custom_attributes[team]': 'red' } }), ['sized']);
  assert.deepEqual(await paths('/groups', { query: { 'custom_attributes[team]': 'blue' } }), []);
  for (const nested of ['custom_attributes[team][a]', 'custom_attributes[team][]', 'custom_attributes']) {
    expectStatus(await app.get('/groups', { query: { [nested]: 'red' } }), 400);
    expectStatus(await app.get('/projects', { query: { [nested]: 'red' } }), 400);
  }
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`custom_attributes[k${index}]`, 'x']));
  expectStatus(await app.get('/groups', { query: many }), 400);
  expectStatus(await app.get('/projects', { query: many }), 400);
});

test('GET /groups/:id/subgroups and /descendant_groups list below a group what the caller may see', async () => {
  const { gamma, child } = groups;
  assert.deepEqual(await paths(`/groups/${gamma!.id}/subgroups`), ['gamma/zeta']);
  assert.deepEqual(await paths(`/groups/${gamma!.id}/descendant_groups`), ['gamma/zeta/deep', 'gamma/zeta']);
  const { token } = member;
  assert.deepEqual(await paths(`/groups/${child!.id}/subgroups`, { token }), ['gamma/zeta/deep']);
  expectStatus(await app.get(`/groups/${gamma!.id}/subgroups`, { token }), 404);
  expectStatus(await app.get(`/groups/${gamma!.id}/descendant_groups`, { token: null }), 404);
  const open = await app.make.group({ path: 'open', visibility: 'public' });
  await app.make.group({ path: 'hidden', parent: open });
  await app.make.group({ path: 'shown', parent: open, visibility: 'public' });
  assert.deepEqual(await paths(`/groups/${open.id}/subgroups`, { token: null }), ['open/shown']);
});
