import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { beforeTransaction } from '../../../../test/support/meanwhile.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Scene {
  group: Namespace;
  project: Project;
  /** A group that can be let in. */
  guests: Namespace;
  /** A group that has been let in. */
  invited: Namespace;
  /** A member, and somebody who asks to be one. */
  member: TestUser;
  asking: TestUser;
  role: number;
  /** Ids of deploy tokens. */
  tokens: Record<'group' | 'project', number>;
  /** The same of access tokens. */
  accessTokens: Record<'group' | 'project', number>;
}
type Act = [method: 'POST' | 'PUT' | 'DELETE', path: (scene: Scene) => string, json?: (scene: Scene) => object];

const members = (kind: 'group' | 'project'): Record<string, Act> => {
  const at = ({ group, project }: Scene) => `/${kind}s/${kind === 'group' ? group.id : project.id}`;
  const level = { access_level: 10 };
  return {
    [`add a member to the ${kind}`]: [
      'POST',
      (s) => `${at(s)}/members`,
      ({ asking, role }) => ({ ...level, user_id: asking.user.id, member_role_id: role }),
    ],
    [`change a member of the ${kind}`]: ['PUT', (s) => `${at(s)}/members/${s.member.user.id}`, () => level],
    [`remove a member of the ${kind}`]: ['DELETE', (s) => `${at(s)}/members/${s.member.user.id}`],
    [`let in who asks for the ${kind}`]: [
      'PUT',
      (s) => `${at(s)}/access_requests/${s.asking.user.id}/approve`,
      () => level,
    ],
    [`change an invitation to the ${kind}`]: ['PUT', (s) => `${at(s)}/invitations/a@example.org`, () => level],
    [`take an invitation to the ${kind} back`]: ['DELETE', (s) => `${at(s)}/invitations/a@example.org`],
    [`share the ${kind}`]: [
      'POST',
      (s) => `${at(s)}/share`,
      ({ guests }) => ({ group_id: guests.id, group_access: 10 }),
    ],
    [`make a token of the ${kind}`]: [
      'POST',
      (s) => `${at(s)}/access_tokens`,
      () => ({ name: 'x', scopes: ['api'], access_level: 10 }),
    ],
    [`take a share of the ${kind} back`]: ['DELETE', (s) => `${at(s)}/share/${s.invited.id}`],
    [`deny who asks for the ${kind}`]: ['DELETE', (s) => `${at(s)}/access_requests/${s.asking.user.id}`],
    [`rotate a token of the ${kind}`]: ['POST', (s) => `${at(s)}/access_tokens/${s.accessTokens[kind]}/rotate`],
    [`revoke a token of the ${kind}`]: ['DELETE', (s) => `${at(s)}/access_tokens/${s.accessTokens[kind]}`],
    [`make a deploy token of the ${kind}`]: [
      'POST',
      (s) => `${at(s)}/deploy_tokens`,
      () => ({ name: 'x', scopes: ['read_repository'] }),
    ],
    [`delete a deploy token of the ${kind}`]: ['DELETE', (s) => `${at(s)}/deploy_tokens/${s.tokens[kind]}`],
  };
};

const ACTS: Record<string, Act> = {
  ...members('group'),
  ...members('project'),
  'remove who uses a seat': ['DELETE', ({ group, member }) => `/groups/${group.id}/billable_members/${member.user.id}`],
  'make a role': [
    'POST',
    ({ group }) => `/groups/${group.id}/member_roles`,
    () => ({ name: 'x', base_access_level: 10 }),
  ],
  'delete a role': ['DELETE', ({ group, role }) => `/groups/${group.id}/member_roles/${role}`],
};

async function scene(): Promise<Scene> {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const [member, asking] = [await app.make.user(), await app.make.user()];
  const role = await app.make.memberRole(10, ['read_code'], group.id);
  const created_at = '2026-01-01T00:00:00.000Z';
  const [tokens, accessTokens] = [
    { group: 0, project: 0 },
    { group: 0, project: 0 },
  ];
  const invited = await app.make.group({ visibility: 'public' });
  const administrator = await app.make.user({ admin: true });
  for (const source of [{ group }, { project }]) {
    const at =
      'project' in source
        ? ({ source_type: 'project', source_id: project.id } as const)
        : ({ source_type: 'group', source_id: group.id } as const);
    await app.make.member(source, member.user, 10);
    await app.deps.db
      .insertInto('access_requests')
      .values({ ...at, user_id: asking.user.id, created_at })
      .execute();
    const invitation = { ...at, email: 'a@example.org', access_level: 10, created_at };
    await app.deps.db.insertInto('invitations').values(invitation).execute();
    const token = await app.deps.db
      .insertInto('deploy_tokens')
      .values({
        ...at,
        name: 'x',
        username: 'x',
        digest: `${at.source_type} ${at.source_id}`,
        scopes: '[]',
        created_at,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    tokens[at.source_type] = token.id;
    const link = { ...at, group_id: invited.id, group_access: 10, created_at };
    await app.deps.db.insertInto('group_links').values(link).execute();
    const path = `/${at.source_type}s/${at.source_id}/access_tokens`;
    const json = { name: 'x', scopes: ['api'], access_level: 10 };
    const issued = await app.request('POST', path, { token: administrator.token, json });
    assert.equal(issued.statusCode, 201);
    accessTokens[at.source_type] = issued.json<{ id: number }>().id;
  }
  return {
    group,
    project,
    guests: await app.make.group({ visibility: 'public' }),
    member,
    asking,
    role,
    tokens,
    invited,
    accessTokens,
  };
}

const TABLES = [
  'members',
  'invitations',
  'access_requests',
  'group_links',
  'member_roles',
  'access_tokens',
  'deploy_tokens',
] as const;

/** All that the acts could have changed. */
const rows = () =>
  Promise.all(TABLES.map((table) => app.deps.db.selectFrom(table).select('id').orderBy('id').execute()));

describe('who is an owner no more when it comes to it changes nothing', () => {
  for (const [name, [method, path, json]] of Object.entries(ACTS)) {
    test(name, async () => {
      const made = await scene();
      const owner = await app.make.user();
      await app.make.member({ group: made.group }, owner.user, 50);
      const demote = () =>
        app.deps.db
          .updateTable('members')
          .set({ access_level: 10 })
          .where('user_id', '=', owner.user.id)
          .where('source_id', '=', made.group.id)
          .execute();
      const before = await rows();
      beforeTransaction(app, demote);
      const body = json === undefined ? {} : { json: json(made) };
      const { statusCode } = await app.request(method, path(made), { token: owner.token, ...body });
      assert.equal(statusCode, 403);
      assert.deepEqual(await rows(), before);
    });
  }
});
