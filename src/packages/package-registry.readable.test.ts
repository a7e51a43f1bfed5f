import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { makePackage } from '../../test/support/packages.ts';
import { changeSettings } from '../../test/support/settings.ts';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { findProject } from '../access/lookup.ts';
import { projectPermissions } from '../access/permissions.ts';
import type { Visibility } from '../core/access-levels.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { FeatureLevel, Project } from '../db/tables/projects.table.ts';
import type { User } from '../db/tables/users.table.ts';
import { readablePackages } from './package-registry.readable.ts';

let app: TestApp;
/** A group with projects of every visibility and registry access level, and a project elsewhere. */
let group: Namespace;
let below: Namespace;
const projects = new Map<string, Project>();
let jobs: Project;
before(async () => {
  app = await buildTestApp();
  const { make } = app;
  group = await make.group({ visibility: 'public' });
  below = await make.group({ parent: group, visibility: 'public' });
  jobs = await make.project({ visibility: 'private' });
  for (const visibility of ['private', 'internal', 'public'] as const satisfies readonly Visibility[]) {
    for (const level of ['disabled', 'private', 'enabled', 'public'] as const satisfies readonly FeatureLevel[]) {
      const columns = { package_registry_access_level: level };
      const namespace = level === 'enabled' ? below : group;
      projects.set(`${visibility} ${level}`, await make.project({ namespace, visibility, columns }));
    }
  }
  projects.set('of nobody', await make.project({ visibility: 'private' }));
  projects.set('listing', await make.project({ namespace: group }));
  projects.set('listing its group', await make.project({ namespace: group }));
  projects.set('without a list', await make.project({ namespace: group }));
  const { db } = app.deps;
  await db
    .updateTable('projects')
    .set({ settings: JSON.stringify({ a: 1, ci_inbound_job_token_scope_enabled: false }) })
    .where('id', '=', projects.get('without a list')!.id)
    .execute();
  const link = { added_by_id: null, created_at: '' };
  await db
    .insertInto('ci_job_token_links')
    .values([
      { source_project_id: projects.get('listing')!.id, target_project_id: jobs.id, target_group_id: null, ...link },
      {
        source_project_id: projects.get('listing its group')!.id,
        target_project_id: null,
        target_group_id: jobs.namespace_id,
        ...link,
      },
    ])
    .execute();
  for (const { id } of projects.values()) await makePackage(app.deps, id);
});
after(() => app.close());

const as = (user: User): Caller => ({ ...ANONYMOUS, user, admin: user.admin === 1 });

/** Projects whose packages the condition selects, and those whose permissions let the caller read packages. */
async function readBy(caller: Caller) {
  const condition = await readablePackages(app.deps, caller);
  const rows = await app.deps.db.selectFrom('packages').select('project_id').where(condition).execute();
  const readableIds = new Set(rows.map(({ project_id }) => project_id));
  const allowed: string[] = [];
  for (const [name, { id }] of projects) {
    const { project, namespace } = (await findProject(app.deps, String(id)))!;
    if ((await projectPermissions(app.deps, caller, project, namespace)).can('read_package')) allowed.push(name);
  }
  return { listed: [...projects.keys()].filter((name) => readableIds.has(projects.get(name)!.id)), allowed };
}

describe('packages that a caller may read', () => {
  test('are those of the projects whose packages they may read', async () => {
    const { make } = app;
    const people = {} as Record<string, User>;
    for (const [name, level] of [
      ['stranger', 0],
      ['guest', 10],
      ['planner', 15],
      ['reporter', 20],
      ['developer', 30],
    ] as const) {
      people[name] = (await make.user()).user;
      if (level > 0) await make.member({ group }, people[name], level);
    }
    const { user: administrator } = await make.user({ admin: true });
    const callers: Record<string, Caller> = { anonymous: ANONYMOUS, administrator: as(administrator) };
    for (const [name, user] of Object.entries(people)) callers[name] = as(user);
    callers.external = as({ ...people.stranger!, external: 1 });
    for (const [source_type, source_id] of [
      ['group', group.id],
      ['group', below.id],
      ['project', projects.get('private private')!.id],
      ['project', jobs.id],
    ] as const) {
      const token = { id: 1, source_type, source_id } as never;
      callers[`deploy token of ${source_type} ${source_id}`] = {
        ...ANONYMOUS,
        scopes: ['read_package_registry'],
        credential: { kind: 'deploy_token', token },
      };
    }
    for (const user of [people.reporter!, people.stranger!, administrator]) {
      const credential = { kind: 'job_token', jobId: 1, projectId: jobs.id } as const;
      callers[`job of ${user.username}`] = { ...as(user), credential };
    }
    const kinds = new Set<string>();
    let open = 0;
    for (const enforced of [true, false]) {
      await changeSettings(app, { enforce_ci_inbound_job_token_scope_enabled: enforced });
      for (const [name, caller] of Object.entries(callers)) {
        const { listed, allowed } = await readBy(caller);
        assert.deepEqual(listed, allowed, name);
        kinds.add(listed.join());
        if (name.startsWith('job of') && listed.includes('without a list')) open += enforced ? 100 : 1;
      }
    }
    // Open to the jobs of the administrator and of the reporter, unless allowlists are enforced.
    assert.equal(open, 2);
    assert.ok(kinds.size > 6, `the callers are told apart: ${[...kinds].join('; ')}`);
  });

  test('can be asked for in a group, with or without those below it', async () => {
    const { user } = await app.make.user({ admin: true });
    const { db } = app.deps;
    const idsIn = async (place: Parameters<typeof readablePackages>[2]) => {
      const condition = await readablePackages(app.deps, as(user), place);
      return (await db.selectFrom('packages').select('project_id').where(condition).execute()).length;
    };
    const open = [...projects].filter(([name]) => !name.endsWith('disabled'));
    assert.equal(await idsIn({ group }), open.length - 1, 'all but the one elsewhere');
    assert.equal(await idsIn({ group: below }), 3);
    assert.equal(await idsIn({ group, withSubgroups: false }), open.length - 1 - 3);
  });
});
