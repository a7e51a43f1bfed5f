import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import type { RolePermission } from '../../../access/role-permissions.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const GUEST = 10;
/** A group with a project in it, its owner and somebody who is no member. */
async function scene(): Promise<{ group: Namespace; project: Project; owner: TestUser; other: TestUser }> {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const [owner, other] = [await app.make.user(), await app.make.user()];
  await app.make.member({ group }, owner.user, 50);
  return { group, project, owner, other };
}

const roleOf = async (path: string, user: TestUser) =>
  expectStatus<{ member_role?: Json }>(await app.get(`${path}/members/${user.user.id}`), 200).member_role ?? null;

for (const kind of ['group', 'project'] as const) {
  describe(`a custom role in a ${kind}`, () => {
    const place = async () => {
      const made = await scene();
      return { ...made, path: `/${kind}s/${made[kind].id}`, token: made.owner.token };
    };

    test('is given with a membership, shown with it, changed and taken away', async () => {
      const { path, token, other, group } = await place();
      const reader = await app.make.memberRole(GUEST, ['read_code'], group.id);
      const json = { user_id: other.user.id, access_level: GUEST, member_role_id: reader };
      const made = expectStatus<Json>(await app.post(`${path}/members`, { token, json }), 201);
      const shown = made.member_role as Json;
      assert.deepEqual([shown.id, shown.group_id, shown.read_code], [reader, group.id, true]);
      assert.deepEqual(await roleOf(path, other), shown);
      const all = expectStatus<Json[]>(await app.get(`${path}/members/all`, { token }), 200);
      assert.deepEqual(all.find(({ id }) => id === other.user.id)?.member_role, shown);
      const server = await app.make.memberRole(20, ['remove_project']);
      const at = `${path}/members/${other.user.id}`;
      const change = { access_level: 20, member_role_id: server };
      expectStatus(await app.put(at, { token, json: change }), 200);
      assert.equal((await roleOf(path, other))?.id, server);
      expectStatus(await app.put(at, { token, json: { access_level: 20 } }), 200);
      assert.equal(await roleOf(path, other), null);
    });

    test('must be of the server or of that tree of groups, and of that level', async () => {
      const { path, token, other, group } = await place();
      const elsewhere = await app.make.memberRole(GUEST, [], (await app.make.group()).id);
      const own = await app.make.memberRole(GUEST, [], group.id);
      const refusal = async (member_role_id: number, access_level = GUEST) => {
        const json = { user_id: other.user.id, access_level, member_role_id };
        return expectStatus<Json>(await app.post(`${path}/members`, { token, json }), 400).message;
      };
      assert.equal(await refusal(elsewhere), "member_role can't be blank");
      assert.equal(await refusal(999_999), "member_role can't be blank");
      assert.equal(await refusal(own, 20), 'access_level must be 10, the base access level of the custom role');
      expectStatus(await app.get(`${path}/members/${other.user.id}`), 404);
      app.deps.config.plan = 'premium';
      const json = { user_id: other.user.id, access_level: GUEST, member_role_id: own };
      const plain = expectStatus<Json>(await app.post(`${path}/members`, { token, json }), 201);
      assert.equal(plain.member_role, undefined, 'on a lower plan the role is as if it had not been sent');
      app.deps.config.plan = 'ultimate';
    });

    test('comes with an approved request and an accepted invitation', async () => {
      const { path, token, other, group } = await place();
      const role = await app.make.memberRole(GUEST, ['read_code'], group.id);
      await app.make.member({ group }, other.user, 5);
      await app.deps.db
        .insertInto('access_requests')
        .values({
          source_type: kind,
          source_id: Number(path.split('/')[2]),
          user_id: other.user.id,
          created_at: '2026-01-01T00:00:00.000Z',
        })
        .execute();
      await app.deps.db.deleteFrom('members').where('user_id', '=', other.user.id).execute();
      const approve = `${path}/access_requests/${other.user.id}/approve`;
      const wrong = { access_level: 20, member_role_id: role };
      expectStatus(await app.put(approve, { token, json: wrong }), 400);
      const json = { access_level: GUEST, member_role_id: role };
      const member = expectStatus<Json>(await app.put(approve, { token, json }), 201);
      assert.equal((member.member_role as Json).id, role);

      const email = `new-${kind}@example.org`;
      const invited = await app.post(`${path}/invitations`, { token, json: { ...json, email } });
      assert.deepEqual(expectStatus(invited, 201), { status: 'success' });
      expectStatus(await app.delete(`/groups/${group.id}/member_roles/${role}`), 400);
      const bad = await app.post(`${path}/invitations`, { token, json: { ...wrong, email: `x${email}` } });
      assert.equal(expectStatus<Json>(bad, 201).status, 'error');
      const person = await app.post('/users', {
        json: { name: 'New', username: `new-${kind}`, email, password: 'a-long-password-1', skip_confirmation: true },
      });
      const { id } = expectStatus<{ id: number }>(person, 201);
      await app.drain();
      const joined = expectStatus<Json>(await app.get(`${path}/members/${id}`), 200);
      assert.deepEqual([joined.access_level, (joined.member_role as Json).id], [GUEST, role]);
    });

    test('of an invitation goes when the level changes, unless another one is named', async () => {
      const { path, token, group } = await place();
      const role = await app.make.memberRole(GUEST, ['read_code'], group.id);
      const email = `kept-${kind}@example.org`;
      const input = { email, access_level: GUEST, member_role_id: role };
      expectStatus(await app.post(`${path}/invitations`, { token, json: input }), 201);
      const stored = async () =>
        (await app.deps.db.selectFrom('invitations').selectAll().where('email', '=', email).executeTakeFirstOrThrow())
          .member_role_id;
      const change = async (json: Json, status = 200) =>
        expectStatus(await app.put(`${path}/invitations/${email}`, { token, json }), status);
      await change({ expires_at: '2999-01-01' });
      assert.equal(await stored(), role);
      await change({ access_level: 20, member_role_id: role }, 400);
      await change({ access_level: 20 });
      assert.equal(await stored(), null);
      await change({ access_level: GUEST, member_role_id: role });
      assert.equal(await stored(), role);
      expectStatus(await app.delete(`${path}/invitations/${email}`, { token }), 204);
    });
  });
}

describe('nobody gives more than they have', () => {
  /** Somebody who may manage the members of a group as a guest. */
  async function manager(permissions: readonly RolePermission[] = []) {
    const made = await scene();
    const role = await app.make.memberRole(GUEST, ['admin_group_member', ...permissions]);
    const guest = await app.make.user();
    await app.make.member({ group: made.group }, guest.user, GUEST, null, role);
    return { ...made, ...guest, role, path: `/groups/${made.group.id}` };
  }

  test('a manager of members who is a guest gives their own level and permissions', async () => {
    const { path, token, other, role } = await manager(['read_code']);
    const [same, less, more] = [
      role,
      await app.make.memberRole(GUEST, ['read_code']),
      await app.make.memberRole(GUEST, ['read_code', 'remove_project']),
    ];
    const give = async (access_level: number, member_role_id: number | null, status: number) => {
      const json = { user_id: other.user.id, access_level, member_role_id };
      expectStatus(await app.post(`${path}/members`, { token, json }), status);
      if (status === 201) expectStatus(await app.delete(`${path}/members/${other.user.id}`, { token }), 204);
    };
    await give(GUEST, null, 201);
    await give(GUEST, same, 201);
    await give(GUEST, less, 201);
    await give(GUEST, more, 403);
    await give(15, null, 403);
    await give(50, null, 403);
    const invite = (json: Json) => app.post(`${path}/invitations`, { token, json });
    expectStatus(await invite({ email: 'high@example.org', access_level: 20 }), 403);
    const refused = await invite({ email: 'high@example.org', access_level: GUEST, member_role_id: more });
    assert.equal(expectStatus<Json>(refused, 201).status, 'error');
    expectStatus(await invite({ email: 'same@example.org', access_level: GUEST, member_role_id: less }), 201);
    expectStatus(await app.delete(`${path}/invitations/same@example.org`, { token }), 204);
  });

  test('they touch nobody who has more, and no one else s memberships below', async () => {
    const { group, project, path, token, other, owner } = await manager();
    const more = await app.make.memberRole(GUEST, ['remove_project']);
    await app.make.member({ group }, other.user, GUEST, null, more);
    const at = `${path}/members/${other.user.id}`;
    expectStatus(await app.put(at, { token, json: { access_level: GUEST } }), 403);
    expectStatus(await app.delete(at, { token }), 403);
    expectStatus(await app.delete(`${path}/members/${owner.user.id}`, { token }), 403);
    await app.deps.db
      .updateTable('members')
      .set({ member_role_id: null })
      .where('user_id', '=', other.user.id)
      .execute();
    await app.make.member({ project }, other.user, 40);
    expectStatus(await app.delete(at, { token }), 403);
    expectStatus(await app.delete(`${at}?skip_subresources=true`, { token }), 204);
    const billable = await app.get(`${path}/billable_members`, { token });
    expectStatus(billable, 403);
    expectStatus(await app.delete(`${path}/billable_members/${owner.user.id}`, { token }), 403);
    expectStatus(await app.get(`/projects/${project.id}/access_requests`, { token }), 403);
  });

  test('a maintainer gives what maintainers have, and no more', async () => {
    const { project, other } = await scene();
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const path = `/projects/${project.id}/members`;
    const give = async (permission: RolePermission, status: number) => {
      const member_role_id = await app.make.memberRole(GUEST, [permission]);
      const json = { user_id: other.user.id, access_level: GUEST, member_role_id };
      expectStatus(await app.post(path, { token, json }), status);
      if (status === 201) expectStatus(await app.delete(`${path}/${other.user.id}`, { token }), 204);
    };
    for (const permission of ['admin_cicd_variables', 'read_code', 'manage_project_access_tokens'] as const) {
      await give(permission, 201);
    }
    for (const permission of ['remove_project', 'archive_project', 'manage_security_policy_link'] as const) {
      await give(permission, 403);
    }
  });

  test('tokens reach no further than who makes them, before and after', async () => {
    const { project, group } = await scene();
    for (const [kind, permission] of [
      ['project', 'manage_project_access_tokens'],
      ['group', 'manage_group_access_tokens'],
    ] as const) {
      const { user, token } = await app.make.user();
      const role = await app.make.memberRole(20, [permission]);
      await app.make.member(kind === 'project' ? { project } : { group }, user, 20, null, role);
      const path = `/${kind}s/${kind === 'project' ? project.id : group.id}/access_tokens`;
      const json = { name: 'robot', scopes: ['api'] };
      const make = (access_level: number) => app.post(path, { token, json: { ...json, access_level } });
      const made = expectStatus<Json>(await make(20), 201);
      assert.equal(made.access_level, 20);
      for (const level of [30, 40, 50]) expectStatus(await make(level), 400);
      const higher = expectStatus<Json>(await app.post(path, { json: { ...json, access_level: 40 } }), 201);
      expectStatus(await app.post(`${path}/${higher.id}/rotate`, { token }), 400);
      expectStatus(await app.post(`${path}/${made.id}/rotate`, { token }), 200);
      await app.deps.db.updateTable('members').set({ member_role_id: null }).where('user_id', '=', user.id).execute();
      expectStatus(await app.get(path, { token }), 401);
      expectStatus(await make(10), 401);
    }
  });
});

test('a role that is given while it is deleted is either there for all or for nobody', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { group, owner, other } = await scene();
    const role = await app.make.memberRole(GUEST, ['read_code'], group.id);
    const json = { user_id: other.user.id, access_level: GUEST, member_role_id: role };
    const [input, deleted] = await Promise.all([
      app.post(`/groups/${group.id}/members`, { token: owner.token, json }),
      app.delete(`/groups/${group.id}/member_roles/${role}`, { token: owner.token }),
    ]);
    assert.deepEqual([input.statusCode, deleted.statusCode].sort(), input.statusCode === 201 ? [201, 400] : [204, 400]);
  }
});

test('a role that is given while its project leaves the tree of groups is not kept there', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { group, project, owner, other } = await scene();
    const target = await app.make.group();
    const role = await app.make.memberRole(GUEST, ['read_code'], group.id);
    const json = { user_id: other.user.id, access_level: GUEST, member_role_id: role };
    const [input, moved] = await Promise.all([
      app.post(`/projects/${project.id}/members`, { token: owner.token, json }),
      app.put(`/projects/${project.id}/transfer`, { json: { namespace: target.id } }),
    ]);
    assert.equal(moved.statusCode, 200);
    assert.ok([201, 403, 404, 409].includes(input.statusCode), input.body);
    const members = await app.deps.db.selectFrom('members').selectAll().where('member_role_id', '=', role).execute();
    assert.deepEqual(members, []);
    expectStatus(await app.delete(`/groups/${group.id}/member_roles/${role}`), 204);
  }
});

describe('roles of a tree of groups are lost where that is left', () => {
  const roleIn = async (source_id: number, user: TestUser) =>
    (
      await app.deps.db
        .selectFrom('members')
        .select('member_role_id')
        .where('source_id', '=', source_id)
        .where('user_id', '=', user.user.id)
        .executeTakeFirstOrThrow()
    ).member_role_id;

  test('by a project', async () => {
    const { group, project, other } = await scene();
    const [own, server] = [
      await app.make.memberRole(GUEST, ['read_code'], group.id),
      await app.make.memberRole(GUEST, ['read_code']),
    ];
    const second = await app.make.user();
    await app.make.member({ project }, other.user, GUEST, null, own);
    await app.make.member({ project }, second.user, GUEST, null, server);
    const sub = await app.make.group({ parent: group });
    expectStatus(await app.put(`/projects/${project.id}/transfer`, { json: { namespace: sub.id } }), 200);
    assert.equal(await roleIn(project.id, other), own);
    const target = await app.make.group();
    expectStatus(await app.put(`/projects/${project.id}/transfer`, { json: { namespace: target.id } }), 200);
    assert.equal(await roleIn(project.id, other), null);
    assert.equal(await roleIn(project.id, second), server);
    expectStatus(await app.delete(`/groups/${group.id}/member_roles/${own}`), 204);
  });

  test('by a group with all below it', async () => {
    const { group, other } = await scene();
    const sub = await app.make.group({ parent: group });
    const inner = await app.make.group({ parent: sub });
    const project = await app.make.project({ namespace: inner });
    const role = await app.make.memberRole(GUEST, ['read_code'], group.id);
    for (const source of [{ group: sub }, { project }]) await app.make.member(source, other.user, GUEST, null, role);
    const invited = await app.make.group();
    const share = { group_id: invited.id, group_access: GUEST, member_role_id: role };
    expectStatus(await app.post(`/groups/${inner.id}/share`, { json: share }), 201);
    expectStatus(await app.post(`/groups/${sub.id}/transfer`), 201);
    assert.equal(await roleIn(sub.id, other), null);
    assert.equal(await roleIn(project.id, other), null);
    expectStatus(await app.delete(`/groups/${group.id}/member_roles/${role}`), 204);
  });
});
