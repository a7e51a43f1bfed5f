import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ROLE_PERMISSIONS } from '../../../access/role-permissions.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const SERVER = '/member_roles';
const create = async (path: string, json: Json, status = 201) =>
  expectStatus<Json>(await app.post(path, { json }), status);
const names = async (path: string) => expectStatus<Json[]>(await app.get(path), 200).map(({ name }) => name);
const NONE = Object.fromEntries(ROLE_PERMISSIONS.map((name) => [name, false]));

describe('roles of the server', () => {
  test('are made, listed and removed', async () => {
    const made = await create(SERVER, { name: 'Reader', base_access_level: 10, read_code: true });
    assert.deepEqual(made, {
      id: made.id,
      group_id: null,
      name: 'Reader',
      description: null,
      base_access_level: 10,
      ...NONE,
      read_code: true,
    });
    const second = await create(SERVER, { name: 'Plain', base_access_level: 50, description: 'An owner' });
    assert.deepEqual(second, {
      ...made,
      ...NONE,
      id: second.id,
      name: 'Plain',
      description: 'An owner',
      base_access_level: 50,
    });
    assert.deepEqual(expectStatus(await app.get(SERVER), 200), [made, second]);
    for (const { id } of [made, second]) expectStatus(await app.delete(`${SERVER}/${id}`), 204);
    assert.deepEqual(await names(SERVER), []);
  });

  test('hold any of the permissions', async () => {
    assert.equal(ROLE_PERMISSIONS.length, 21);
    const all = Object.fromEntries(ROLE_PERMISSIONS.map((name) => [name, true]));
    const made = await create(SERVER, { name: 'All', base_access_level: 10, ...all });
    for (const name of ROLE_PERMISSIONS) assert.equal(made[name], true, name);
    expectStatus(await app.delete(`${SERVER}/${made.id}`), 204);
  });

  test('are for administrators', async () => {
    const { token } = await app.make.user();
    for (const [who, status] of [
      [token, 403],
      [null, 401],
    ] as const) {
      expectStatus(await app.get(SERVER, { token: who }), status);
      expectStatus(await app.post(SERVER, { token: who, json: { name: 'x', base_access_level: 10 } }), status);
      expectStatus(await app.delete(`${SERVER}/1`, { token: who }), status);
    }
  });

  test('are 404 where there is none of that id, be it that of a group', async () => {
    const { id } = await app.make.group();
    const role = await create(`/groups/${id}/member_roles`, { name: 'Theirs', base_access_level: 10 });
    for (const unknown of [role.id, 999_999]) {
      const response = expectStatus<Json>(await app.delete(`${SERVER}/${unknown}`), 404);
      assert.equal(response.message, '404 Member Role Not Found');
    }
    expectStatus(await app.delete(`${SERVER}/0x1`), 400);
  });
});

describe('roles of a group', () => {
  test('are made, listed and removed by its owners', async () => {
    const group = await app.make.group();
    const path = `/groups/${group.id}/member_roles`;
    const { user, token } = await app.make.user();
    await app.make.member({ group }, user, 50);
    const json = { name: 'Reader', base_access_level: 15, read_code: true };
    const made = expectStatus<Json>(await app.post(path, { token, json }), 201);
    assert.equal(made.group_id, group.id);
    assert.deepEqual(expectStatus(await app.get(`/groups/${group.path}/member_roles`, { token }), 200), [made]);
    assert.deepEqual(await names(SERVER), []);
    const other = await app.make.group();
    expectStatus(await app.delete(`/groups/${other.id}/member_roles/${made.id}`), 404);
    expectStatus(await app.delete(`${path}/${made.id}`, { token }), 204);
    expectStatus(await app.delete(`${path}/${made.id}`, { token }), 404);
  });

  test('are refused to everyone else', async () => {
    const group = await app.make.group();
    const path = `/groups/${group.id}/member_roles`;
    for (const [level, status] of [
      [0, 404],
      [10, 403],
      [40, 403],
    ] as const) {
      const { user, token } = await app.make.user();
      if (level > 0) await app.make.member({ group }, user, level);
      expectStatus(await app.get(path, { token }), status);
      expectStatus(await app.post(path, { token, json: { name: 'x', base_access_level: 10 } }), status);
      expectStatus(await app.delete(`${path}/1`, { token }), status);
    }
    expectStatus(await app.get(path, { token: null }), 401);
  });

  test('are those of the group at the top', async () => {
    const parent = await app.make.group();
    const group = await app.make.group({ parent });
    const path = `/groups/${group.id}/member_roles`;
    const { message } = await create(path, { name: 'x', base_access_level: 10 }, 400);
    assert.equal(message, 'namespace must be top-level namespace');
    assert.deepEqual(await names(path), []);
  });

  test('go with the group', async () => {
    const group = await app.make.group();
    const role = await create(`/groups/${group.id}/member_roles`, {
      name: 'x',
      base_access_level: 10,
      read_code: true,
    });
    expectStatus(await app.delete(`/groups/${group.id}`), 202);
    await app.drain();
    for (const table of ['member_roles', 'member_role_permissions'] as const) {
      const column = table === 'member_roles' ? 'id' : 'member_role_id';
      const { rows } = await app.deps.db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .where(column, '=', role.id as number)
        .executeTakeFirstOrThrow();
      assert.equal(Number(rows), 0);
    }
  });
});

describe('a role is refused', () => {
  const refusal = async (json: Json) => (await create(SERVER, json, 400)).message;

  test('without a name or a level that roles start from', async () => {
    assert.equal(await refusal({ base_access_level: 10 }), 'name is missing, name is empty');
    assert.equal(await refusal({ name: 'x' }), 'base_access_level is missing');
    for (const level of [0, 5, 11, 60, -10]) {
      assert.equal(
        await refusal({ name: 'x', base_access_level: level }),
        'base_access_level does not have a valid value',
      );
    }
    assert.match(String(await refusal({ name: ' ', base_access_level: 10 })), /name/);
    assert.match(String(await refusal({ name: 'x'.repeat(256), base_access_level: 10 })), /name/);
    assert.match(String(await refusal({ name: 'x', base_access_level: 10, description: 'x'.repeat(256) })), /descr/);
    assert.match(String(await refusal({ name: 'x', base_access_level: 10, read_code: 'maybe' })), /read_code/);
  });

  test('with a permission that takes another one', async () => {
    const json = { name: 'x', base_access_level: 15, admin_merge_request: true, admin_vulnerability: true };
    assert.equal(
      await refusal(json),
      'Admin merge request requires Read code, Admin vulnerability requires Read vulnerability',
    );
    const held = await create(SERVER, { ...json, name: 'held', base_access_level: 30 });
    expectStatus(await app.delete(`${SERVER}/${held.id}`), 204);
    assert.match(String(await refusal({ ...json, base_access_level: 20 })), /^Admin vulnerability requires/);
  });

  test('when its name is taken in its place', async () => {
    const group = await app.make.group();
    const path = `/groups/${group.id}/member_roles`;
    const json = { name: 'Taken', base_access_level: 10 };
    const { id } = await create(SERVER, json);
    await create(path, json);
    for (const each of [SERVER, path]) {
      assert.equal((await create(each, json, 400)).message, 'name has already been taken');
    }
    expectStatus(await app.delete(`${SERVER}/${id}`), 204);
  });

  test('when there are ten, however many ask at once', async () => {
    const group = await app.make.group();
    for (const path of [SERVER, `/groups/${group.id}/member_roles`]) {
      const answers = await Promise.all(
        Array.from({ length: 14 }, (_, n) => app.post(path, { json: { name: `role ${n}`, base_access_level: 10 } })),
      );
      const made = answers.filter(({ statusCode }) => statusCode === 201);
      assert.equal(made.length, 10);
      const refused = answers.filter(({ statusCode }) => statusCode === 400);
      assert.equal(refused.length, 4);
      assert.match(refused[0]!.json<Json>().message as string, /10 member roles/);
      for (const each of made) expectStatus(await app.delete(`${path}/${each.json<Json>().id}`), 204);
    }
  });
});

test('the operating page tells how many there may be, and what takes another permission', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/operating.md'), 'utf8');
  assert.match(
    page,
    /installation has at most ten custom roles, and each top-level group ten; .* `admin_merge_request` needs `read_code`/,
  );
});

test('a role in use stays: as that of a member, of an invitation or of a share', async () => {
  const group = await app.make.group();
  const { user } = await app.make.user();
  const role = await create(SERVER, { name: 'Used', base_access_level: 10 });
  const member_role_id = role.id as number;
  const at = { source_type: 'group', source_id: group.id, created_at: '2026-01-01T00:00:00.000Z' } as const;
  const { db } = app.deps;
  const other = await app.make.group();
  const uses = {
    members: () => db.insertInto('members').values({ ...at, user_id: user.id, access_level: 10, member_role_id }),
    invitations: () =>
      db.insertInto('invitations').values({ ...at, email: 'a@example.org', access_level: 10, member_role_id }),
    group_links: () =>
      db.insertInto('group_links').values({ ...at, group_id: other.id, group_access: 10, member_role_id }),
  };
  for (const [table, insert] of Object.entries(uses)) {
    await insert().execute();
    const { message } = expectStatus<Json>(await app.delete(`${SERVER}/${role.id}`), 400);
    assert.match(String(message), /in use/, table);
    await db
      .deleteFrom(table as 'members')
      .where('source_id', '=', group.id)
      .where('source_type', '=', 'group')
      .execute();
  }
  expectStatus(await app.delete(`${SERVER}/${role.id}`), 204);
});
