import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
const PATH = '/admin/security/compliance_policy_settings';
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const get = async () => expectStatus<Json>(await app.get(PATH), 200).csp_namespace_id;
const put = async (json: Json, status = 200) => expectStatus<Json>(await app.put(PATH, { json }), status);

test('a top-level group is named, and no longer', async () => {
  assert.equal(await get(), null);
  const { id } = await app.make.group();
  assert.deepEqual(await put({ csp_namespace_id: id }), { csp_namespace_id: id });
  assert.equal(await get(), id);
  const other = await app.make.group();
  await put({ csp_namespace_id: other.id });
  assert.equal(await get(), other.id);
  assert.deepEqual(await put({ csp_namespace_id: null }), { csp_namespace_id: null });
  assert.equal(await get(), null);
});

test('what is no top-level group is refused', async () => {
  const parent = await app.make.group();
  const child = await app.make.group({ parent });
  const { user } = await app.make.user();
  const personal = await app.deps.db
    .selectFrom('namespaces')
    .select('id')
    .where('owner_id', '=', user.id)
    .executeTakeFirstOrThrow();
  await put({ csp_namespace_id: parent.id });
  assert.match(
    String((await put({ csp_namespace_id: child.id }, 422)).message),
    /CSP namespace must be a top level Group/,
  );
  assert.match(String((await put({ csp_namespace_id: personal.id }, 422)).message), /CSP namespace must be a group/);
  assert.match(String((await put({ csp_namespace_id: 999_999 }, 422)).message), /CSP namespace must be a group/);
  assert.equal((await put({}, 400)).message, 'csp_namespace_id is missing');
  assert.equal((await put({ csp_namespace_id: 'x' }, 400)).message, 'csp_namespace_id is invalid');
  await put({ csp_namespace_id: Number.MAX_SAFE_INTEGER }, 422);
  assert.equal(await get(), parent.id);
});

test('a group that is removed, or moved below another, is named no longer', async () => {
  const [first, second] = [await app.make.group(), await app.make.group()];
  await put({ csp_namespace_id: first.id });
  expectStatus(await app.post(`/groups/${first.id}/transfer`, { json: { group_id: second.id } }), 201);
  assert.equal(await get(), null);
  await put({ csp_namespace_id: second.id });
  expectStatus(await app.delete(`/groups/${second.id}`), 202);
  await app.drain();
  assert.equal(await get(), null);
});

test('only administrators see and change it', async () => {
  const { token } = await app.make.user();
  for (const [who, status] of [
    [token, 403],
    [null, 401],
  ] as const) {
    expectStatus(await app.get(PATH, { token: who }), status);
    expectStatus(await app.put(PATH, { token: who, json: { csp_namespace_id: null } }), status);
  }
});
