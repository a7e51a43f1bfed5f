import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
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
  owner: TestUser;
  group: Namespace;
  sub: Namespace;
  other: Namespace;
  project: Project;
}
type Act = [method: 'POST' | 'PUT' | 'DELETE', path: (scene: Scene) => string, json?: (scene: Scene) => object];

const ACTS: Record<string, Act> = {
  'rename a group': ['PUT', ({ group }) => `/groups/${group.id}`, () => ({ name: 'Other', path: 'elsewhere' })],
  'open a group': ['PUT', ({ group }) => `/groups/${group.id}`, () => ({ visibility: 'public' })],
  'mark a group for deletion': ['DELETE', ({ group }) => `/groups/${group.id}`],
  'move a group': ['POST', ({ sub }) => `/groups/${sub.id}/transfer`, ({ other }) => ({ group_id: other.id })],
  'make a subgroup': ['POST', () => '/groups', ({ group }) => ({ name: 'x', path: 'x', parent_id: group.id })],
  'make a project': ['POST', () => '/projects', ({ group }) => ({ name: 'x', namespace_id: group.id })],
  'mark a project for deletion': ['DELETE', ({ project }) => `/projects/${project.id}`],
  'archive a project': ['POST', ({ project }) => `/projects/${project.id}/archive`],
  'move a project': [
    'PUT',
    ({ project }) => `/projects/${project.id}/transfer`,
    ({ other }) => ({ namespace: `${other.id}` }),
  ],
};

async function scene(): Promise<Scene> {
  const owner = await app.make.user();
  const group = await app.make.group({ owner: owner.user, visibility: 'private' });
  const sub = await app.make.group({ parent: group, visibility: 'private' });
  const other = await app.make.group({ owner: owner.user, visibility: 'private' });
  const project = await app.make.project({ namespace: group, visibility: 'private' });
  return { owner, group, sub, other, project };
}
const rows = async () => [
  await app.deps.db.selectFrom('namespaces').selectAll().orderBy('id').execute(),
  await app.deps.db.selectFrom('projects').selectAll().orderBy('id').execute(),
];

describe('whoever loses a group before the transaction begins does nothing to it any more:', () => {
  for (const [name, [method, path, json]] of Object.entries(ACTS)) {
    test(name, async () => {
      const s = await scene();
      const before = await rows();
      beforeTransaction(app, () =>
        app.deps.db
          .deleteFrom('members')
          .where('user_id', '=', s.owner.user.id)
          .where('source_id', '=', s.group.id)
          .execute(),
      );
      const { statusCode } = await app.request(method, path(s), {
        token: s.owner.token,
        ...(json === undefined ? {} : { json: json(s) }),
      });
      assert.ok([403, 404].includes(statusCode), String(statusCode));
      assert.deepEqual(await rows(), before);
    });
  }
});

test('what one may do without a wait still works', async () => {
  const s = await scene();
  const { token } = s.owner;
  expectStatus(await app.put(`/groups/${s.group.id}`, { token, json: { name: 'Other' } }), 200);
  expectStatus(await app.post(`/groups/${s.sub.id}/transfer`, { token, json: { group_id: s.other.id } }), 201);
  expectStatus(
    await app.put(`/projects/${s.project.id}/transfer`, { token, json: { namespace: `${s.other.id}` } }),
    200,
  );
});
