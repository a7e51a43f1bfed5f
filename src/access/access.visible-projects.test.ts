import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { User } from '../db/tables/users.table.ts';
import { visibleProjects } from './access.visible-projects.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { findProject } from './lookup.ts';
import { projectPermissions } from './permissions.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const share = (
  source_type: 'project' | 'group',
  source_id: number,
  group: Namespace,
  expires_at: string | null = null,
) =>
  app.deps.db
    .insertInto('group_links')
    .values({ source_type, source_id, group_id: group.id, group_access: 20, expires_at, created_at: '' })
    .execute();

/** Makes projects of every visibility and membership, by name. */
async function placesOf(user: User): Promise<Record<string, Project>> {
  const { make } = app;
  const [group, other, above, lent] = [await make.group(), await make.group(), await make.group(), await make.group()];
  const under = await make.group({ parent: above });
  const lentBelow = await make.group({ parent: lent });
  const projects: Record<string, Project> = {
    public: await make.project({ visibility: 'public' }),
    internal: await make.project({ visibility: 'internal' }),
    private: await make.project(),
    archived: await make.project({ visibility: 'public', columns: { archived: 1 } }),
    own: await make.project({ owner: user }),
    member: await make.project(),
    'member until yesterday': await make.project(),
    'invited, without an answer': await make.project(),
    'member of its group': await make.project({ namespace: under }),
    'minimal access to its group': await make.project({ namespace: other }),
    'its group shared with one of theirs': await make.project({ namespace: await make.group({ parent: group }) }),
    'shared with one of theirs': await make.project(),
    'shared with a group below one of theirs': await make.project(),
    'shared with one of theirs until yesterday': await make.project(),
    'its group shared with one below one of theirs': await make.project({ namespace: await make.group() }),
  };
  const PAST = '2020-01-01';
  await make.member({ project: projects.member! }, user, 10);
  await make.member({ project: projects['member until yesterday']! }, user, 50, PAST);
  await make.member({ project: projects['invited, without an answer']! }, user, 30);
  await app.deps.db
    .updateTable('members')
    .set({ state: 'awaiting' })
    .where('source_id', '=', projects['invited, without an answer']!.id)
    .where('source_type', '=', 'project')
    .where('user_id', '=', user.id)
    .execute();
  await make.member({ group: above }, user, 10);
  await make.member({ group: other }, user, 5);
  await make.member({ group: lent }, user, 30);
  await share('group', group.id, lent);
  await share('project', projects['shared with one of theirs']!.id, lent);
  await share('project', projects['shared with a group below one of theirs']!.id, lentBelow);
  await share('project', projects['shared with one of theirs until yesterday']!.id, lent, PAST);
  await share('group', projects['its group shared with one below one of theirs']!.namespace_id, lentBelow);
  return projects;
}

/** Projects found by the condition, and projects whose permissions let the caller read them. */
async function seenBy(caller: Caller, projects: Record<string, Project>) {
  const { db } = app.deps;
  const rows = await db.selectFrom('projects').select('id').where(visibleProjects(app.deps, caller)).execute();
  const visibleIds = new Set(rows.map(({ id }) => id));
  const readable: string[] = [];
  for (const [name, { id }] of Object.entries(projects)) {
    const place = (await findProject(app.deps, String(id)))!;
    if ((await projectPermissions(app.deps, caller, place.project, place.namespace)).can('read_project')) {
      readable.push(name);
    }
  }
  const listed = Object.keys(projects).filter((name) => visibleIds.has(projects[name]!.id));
  return { listed, readable };
}

test('a list has the projects that the caller may read, and no others', async () => {
  const { user } = await app.make.user();
  const { user: stranger } = await app.make.user();
  const { user: administrator } = await app.make.user({ admin: true });
  const projects = await placesOf(user);
  const caller = (known: User): Caller => ({ ...ANONYMOUS, user: known, admin: known.admin === 1 });
  const OPEN = ['public', 'archived'];
  const BELONGING = [
    'own',
    'member',
    'member of its group',
    'its group shared with one of theirs',
    'shared with one of theirs',
    'shared with a group below one of theirs',
  ];
  for (const [who, asking, expected] of [
    ['anonymous', ANONYMOUS, OPEN],
    ['a stranger', caller(stranger), [...OPEN, 'internal']],
    ['an external stranger', caller({ ...stranger, external: 1 }), OPEN],
    ['the member', caller(user), [...OPEN, 'internal', ...BELONGING]],
    ['the member, external', caller({ ...user, external: 1 }), [...OPEN, ...BELONGING]],
    ['an administrator', caller(administrator), Object.keys(projects)],
  ] as const) {
    const { listed, readable } = await seenBy(asking, projects);
    assert.deepEqual([...listed].sort(), [...expected].sort(), who);
    assert.deepEqual(readable, listed, who);
  }
});
