import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { today } from '../core/clock.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { groupMembership, isProjectOf, projectMembership } from './access.membership.ts';
import { effectiveMemberships } from './effective-memberships.ts';
import { projectAccessLevels } from './project-levels.ts';
import type { EffectiveMembership, RolePermission } from './role-permissions.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const shown = ({ level, permissions }: EffectiveMembership) => [level, [...permissions].sort()] as const;

/** A user's standing in a project by every function that computes it: all must agree. */
async function standing(project: Project, { user: { id } }: TestUser) {
  const { db, clock } = app.deps;
  const day = today(clock);
  const namespace = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirstOrThrow();
  const one = shown(await projectMembership(db, project, namespace, id, day));
  const many = await projectAccessLevels(db, id, [project], new Map([[namespace.id, namespace]]), day);
  assert.deepEqual(shown(many.get(project.id)!), one, 'projectStandings');
  const users = (await effectiveMemberships(db, [project.id], [id], day)).get(project.id)!.get(id);
  assert.deepEqual(users === undefined ? [0, []] : shown(users), one, 'memberStandings');
  for (const permission of ['read_code', 'read_vulnerability', 'admin_vulnerability'] as const) {
    const row = await db
      .selectFrom('projects')
      .select('id')
      .where('id', '=', project.id)
      .where(isProjectOf(id, { level: 100, permissions: [permission] }, day))
      .executeTakeFirst();
    assert.equal(row !== undefined, one[1].includes(permission), `isProjectOf ${permission}`);
  }
  return one;
}

const inGroup = async (group: Namespace, { user: { id } }: TestUser) =>
  shown(await groupMembership(app.deps.db, group, id, today(app.deps.clock)));

async function tree() {
  const top = await app.make.group();
  const group = await app.make.group({ parent: top });
  return { top, group, project: await app.make.project({ namespace: group }) };
}

test('roles hold all the way down, and only there', async () => {
  const { top, group, project } = await tree();
  const user = await app.make.user();
  const role = await app.make.memberRole(10, ['read_code'], top.id);
  await app.make.member({ group }, user.user, 10, null, role);
  assert.deepEqual(await standing(project, user), [10, ['read_code']]);
  assert.deepEqual(await inGroup(group, user), [10, ['read_code']]);
  assert.deepEqual(await inGroup(top, user), [0, []]);
  assert.deepEqual(await standing(await app.make.project({ namespace: top }), user), [0, []]);
});

test('the highest level counts, with the permissions of all roles', async () => {
  const { top, group, project } = await tree();
  const user = await app.make.user();
  await app.make.member(
    { group: top },
    user.user,
    10,
    null,
    await app.make.memberRole(10, ['read_code', 'read_runners']),
  );
  await app.make.member({ group }, user.user, 20, null, await app.make.memberRole(20, ['remove_project']));
  assert.deepEqual(await standing(project, user), [20, ['read_code', 'read_runners', 'remove_project']]);
  await app.make.member({ project }, user.user, 30);
  assert.deepEqual(await standing(project, user), [30, ['read_code', 'read_runners', 'remove_project']]);
  assert.deepEqual(await inGroup(top, user), [10, ['read_code', 'read_runners']]);
});

test('a role without permissions is its level', async () => {
  const { project } = await tree();
  const user = await app.make.user();
  await app.make.member({ project }, user.user, 15, null, await app.make.memberRole(15, []));
  assert.deepEqual(await standing(project, user), [15, []]);
});

test('memberships that have ended or wait give nothing', async () => {
  const { top, group, project } = await tree();
  const user = await app.make.user();
  const role = await app.make.memberRole(10, ['read_code']);
  await app.make.member({ group: top }, user.user, 10, '2020-01-01', role);
  assert.deepEqual(await standing(project, user), [0, []]);
  await app.make.member({ group }, user.user, 10, null, role);
  await app.deps.db.updateTable('members').set({ state: 'awaiting' }).where('user_id', '=', user.user.id).execute();
  assert.deepEqual(await standing(project, user), [0, []]);
});

describe('through a share comes the lesser of both roles', () => {
  const ROLES: Readonly<Record<string, readonly [number, readonly RolePermission[] | null]>> = {
    guest: [10, null],
    'guest who reads code': [10, ['read_code']],
    'guest who sees vulnerabilities': [10, ['read_vulnerability']],
    developer: [30, null],
    'developer for vulnerabilities': [30, ['admin_vulnerability']],
  };
  const [guest, code, seeing, developer, fixing] = Object.keys(ROLES) as [string, string, string, string, string];
  /**
   * Resulting role of members of an invited group, by the role of the share (public documentation, "Assign a custom
   * role to an invited group").
   */
  const BECOME: Readonly<Record<string, readonly string[]>> = {
    [guest]: [guest, guest, guest, guest, guest],
    [code]: [guest, code, seeing, code, code],
    [seeing]: [guest, code, seeing, seeing, seeing],
    [developer]: [guest, code, seeing, developer, developer],
    [fixing]: [guest, code, seeing, developer, fixing],
  };
  const made = async (name: string) => {
    const [level, permissions] = ROLES[name]!;
    return { level, role: permissions === null ? null : await app.make.memberRole(level, permissions) };
  };

  for (const [input, expected] of Object.entries(BECOME)) {
    for (const [index, own] of Object.keys(ROLES).entries()) {
      test(`${own}, invited as ${input}`, async () => {
        const { group, project } = await tree();
        const invited = await app.make.group();
        const user = await app.make.user();
        const [member, share] = [await made(own), await made(input)];
        await app.make.member({ group: invited }, user.user, member.level, null, member.role);
        const link = (source_type: 'group' | 'project', source_id: number) =>
          app.deps.db
            .insertInto('group_links')
            .values({
              source_type,
              source_id,
              group_id: invited.id,
              group_access: share.level,
              member_role_id: share.role,
              created_at: '2026-01-01T00:00:00.000Z',
            })
            .execute();
        await link('project', project.id);
        const [level, permissions] = ROLES[expected[index]!]!;
        assert.deepEqual(await standing(project, user), [level, permissions ?? []], 'of a project');
        await app.deps.db.deleteFrom('group_links').where('group_id', '=', invited.id).execute();
        await link('group', group.id);
        assert.deepEqual(await standing(project, user), [level, permissions ?? []], 'of a group');
        assert.deepEqual(await inGroup(group, user), [level, permissions ?? []], 'in the group');
        const member_role = expectStatus<{ member_role: { read_code: boolean } | null }>(
          await app.get(`/projects/${project.id}/members/all/${user.user.id}`),
          200,
        ).member_role;
        assert.equal(member_role?.read_code === true, permissions?.includes('read_code') === true);
      });
    }
  }
});
