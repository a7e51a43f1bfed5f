import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import {
  SEARCHING_ROLES,
  type SearchedProject,
  type SearchingRole,
  searchedProject,
} from '../../../test/support/searched-project.ts';
import { changeSettings } from '../../../test/support/settings.ts';
import type { Visibility } from '../../core/access-levels.ts';
import type { FeatureLevel, Project } from '../../db/tables/projects.table.ts';
import { SEARCH_SCOPES } from './search.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
  await changeSettings(app, { search_rate_limit: 0 });
});
after(() => app.close());

const ROLES = SEARCHING_ROLES;
type Role = SearchingRole;
const make = (visibility: Visibility, columns: Partial<Project> = {}) => searchedProject(app, visibility, columns);
const from = (role: Role): readonly Role[] => ROLES.slice(ROLES.indexOf(role));
const NOBODY: readonly Role[] = [];

/** Scopes with a text that finds one thing in the project. */
const SEARCHES = {
  projects: ['projects', 'kernel'],
  issues: ['issues', 'kernel'],
  'confidential issues': ['issues', 'hidden'],
  'merge requests': ['merge_requests', 'kernel'],
  milestones: ['milestones', 'kernel'],
  snippets: ['snippet_titles', 'kernel'],
  commits: ['commits', 'kernel'],
  code: ['blobs', 'kernel'],
  paths: ['blobs', 'a.txt'],
  wiki: ['wiki_blobs', 'kernel'],
  'notes on issues': ['notes', 'on-issue'],
  'internal notes': ['notes', 'internal'],
  'notes on confidential issues': ['notes', 'on-hidden'],
  'notes on merge requests': ['notes', 'on-change'],
  'notes on snippets': ['notes', 'on-snippet'],
  'notes on commits': ['notes', 'on-commit'],
} as const;
type Subject = keyof typeof SEARCHES;

/** Roles that find something of the project, in one place; the search is refused to none but where it is hidden. */
async function finders(
  made: SearchedProject,
  subject: Subject,
  place: 'everywhere' | 'group' | 'project',
): Promise<Role[]> {
  const [scope, search] = SEARCHES[subject];
  const path = { everywhere: '', group: `/groups/${made.group}`, project: `/projects/${made.project.id}` }[place];
  const roles: Role[] = [];
  for (const role of ROLES) {
    const query = { scope, search, per_page: 100 };
    const answer = await app.get(`${path}/search`, { token: made.token(role), query });
    if (answer.statusCode === 404) continue;
    const found = expectStatus<{ id: number; project_id?: number }[]>(answer, 200);
    if (found.some(({ id, project_id }) => (scope === 'projects' ? id : project_id) === made.project.id))
      roles.push(role);
  }
  return roles;
}

const placesOf = (subject: Subject) =>
  subject === 'projects'
    ? (['everywhere', 'group'] as const)
    : subject === 'snippets'
      ? (['everywhere'] as const)
      : (['everywhere', 'group', 'project'] as const);

function expectFinders(
  name: string,
  make: () => Promise<SearchedProject>,
  expected: Record<Subject, readonly Role[]>,
): void {
  describe(name, () => {
    let made: SearchedProject;
    before(async () => {
      made = await make();
    });
    for (const [subject, roles] of Object.entries(expected) as [Subject, readonly Role[]][]) {
      test(`${subject}: ${roles.length === 0 ? 'nobody' : `from ${roles[0]} on`}`, async () => {
        for (const place of placesOf(subject)) assert.deepEqual(await finders(made, subject, place), [...roles], place);
      });
    }
  });
}

/** The same for every subject. */
const all = (roles: readonly Role[]) =>
  Object.fromEntries(Object.keys(SEARCHES).map((subject) => [subject, roles])) as Record<Subject, readonly Role[]>;

const PRIVATE: Record<Subject, readonly Role[]> = {
  projects: from('guest'),
  issues: from('guest'),
  'confidential issues': from('planner'),
  'merge requests': from('reporter'),
  milestones: from('guest'),
  snippets: from('guest'),
  commits: from('reporter'),
  code: from('reporter'),
  paths: from('reporter'),
  wiki: from('guest'),
  'notes on issues': from('guest'),
  'internal notes': from('planner'),
  'notes on confidential issues': from('planner'),
  'notes on merge requests': from('reporter'),
  'notes on snippets': from('guest'),
  'notes on commits': from('reporter'),
};

expectFinders('in a private project', () => make('private'), PRIVATE);

expectFinders('in a public project', () => make('public'), {
  ...all(ROLES),
  'confidential issues': from('planner'),
  'internal notes': from('planner'),
  'notes on confidential issues': from('planner'),
});

const PARTS = ['issues', 'merge_requests', 'repository', 'wiki', 'snippets'] as const;
const levels = (level: FeatureLevel): Partial<Project> =>
  Object.fromEntries(PARTS.map((part) => [`${part}_access_level`, level]));

expectFinders('in a public project whose parts are for members', () => make('public', levels('private')), {
  ...PRIVATE,
  projects: ROLES,
});

expectFinders('in a public project whose parts are switched off', () => make('public', levels('disabled')), {
  ...all(NOBODY),
  projects: ROLES,
  snippets: ['administrator'],
});

test('anonymous callers are asked to sign in, also for what is public', async () => {
  const { project, group } = await make('public');
  for (const place of [
    '',
    `/groups/${group}`,
    `/groups/${group}/-`,
    `/projects/${project.id}`,
    `/projects/${project.id}/-`,
  ]) {
    for (const scope of ['issues', 'blobs', 'nothing']) {
      const answer = await app.get(`${place}/search`, { token: null, query: { scope, search: 'kernel' } });
      assert.equal(answer.statusCode, 401, `${place} ${scope}`);
    }
  }
});

test('hidden projects and groups do not exist', async () => {
  const { project, group, token } = await make('private');
  for (const place of [`/groups/${group}`, `/projects/${project.id}`, '/groups/999999', '/projects/no%2Fsuch']) {
    const answer = await app.get(`${place}/search`, {
      token: token('stranger'),
      query: { scope: 'blobs', search: 'x' },
    });
    assert.equal(answer.statusCode, 404, place);
  }
});

test('external users find what is public, or what they are a member of', async () => {
  const internal = await make('internal');
  const open = await make('public');
  const external = await app.make.user({ columns: { external: 1 } });
  const query = { scope: 'blobs', search: 'kernel', per_page: 100 };
  const found = async () =>
    expectStatus<{ project_id: number }[]>(await app.get('/search', { token: external.token, query }), 200).map(
      (each) => each.project_id,
    );
  assert.ok((await found()).includes(open.project.id));
  assert.ok(!(await found()).includes(internal.project.id));
  await app.make.member({ project: internal.project }, external.user, 20);
  assert.ok((await found()).includes(internal.project.id));
});

test('wikis of groups are found by those who may read them', async () => {
  const { group, token } = await make('private');
  const member = await app.make.user();
  const row = await app.deps.db.selectFrom('namespaces').selectAll().where('id', '=', group).executeTakeFirstOrThrow();
  await app.make.member({ group: row }, member.user, 10);
  const query = { scope: 'wiki_blobs', search: 'group-kernel', per_page: 100 };
  const found = async (caller: string) =>
    expectStatus<{ group_id: number | null }[]>(await app.get('/search', { token: caller, query }), 200).some(
      ({ group_id }) => group_id === group,
    );
  assert.deepEqual(
    [await found(member.token), await found(token('stranger')), await found(ROOT_TOKEN)],
    [true, false, true],
  );
  // Members of a project see the group, and nothing of its wiki.
  assert.equal(await found(token('maintainer')), false);
});

test('blocked users are found by administrators only, and may not search', async () => {
  const { user, token } = await app.make.user({ username: 'barred-person' });
  const { token: other } = await app.make.user();
  const names = async (caller: string) =>
    expectStatus<{ username: string }[]>(
      await app.get('/search', { token: caller, query: { scope: 'users', search: 'barred-person' } }),
      200,
    ).map(({ username }) => username);
  assert.deepEqual(await names(other), ['barred-person']);
  expectStatus(await app.post(`/users/${user.id}/block`), 201);
  assert.deepEqual([await names(other), await names(ROOT_TOKEN)], [[], ['barred-person']]);
  const answer = await app.get('/search', { token, query: { scope: 'users', search: 'x' } });
  assert.ok([401, 403].includes(answer.statusCode));
});

test('tokens need a scope for reading the API, and deploy tokens are no users', async () => {
  const { project } = await make('public');
  const { user } = await app.make.user();
  const query = { scope: 'blobs', search: 'kernel' };
  for (const [scopes, status] of [
    [['read_api'], 200],
    [['read_user'], 403],
    [['read_repository'], 403],
  ] as const) {
    const token = await app.make.token(user.id, [...scopes]);
    assert.equal((await app.get('/search', { token, query })).statusCode, status, scopes.join());
  }
  const json = { name: 'deploy', scopes: ['read_repository'] };
  const { token } = expectStatus<{ token: string }>(
    await app.post(`/projects/${project.id}/deploy_tokens`, { json }),
    201,
  );
  const answer = await app.get(`/projects/${project.id}/search`, {
    token: null,
    query,
    headers: { 'deploy-token': token },
  });
  assert.equal(answer.statusCode, 401);
});

test('projects that await deletion are not found', async () => {
  const { project, token } = await make('private');
  await app.deps.db.updateTable('projects').set({ pending_delete: 1 }).where('id', '=', project.id).execute();
  for (const scope of SEARCH_SCOPES.group.filter((each) => each !== 'users')) {
    const query = { scope, search: scope === 'notes' ? 'on-issue' : 'kernel', include_archived: true, per_page: 100 };
    const found = expectStatus<{ id: number; project_id?: number }[]>(
      await app.get('/search', { token: token('owner'), query }),
      200,
    );
    assert.deepEqual(
      found.filter(({ id, project_id }) => (scope === 'projects' ? id : project_id) === project.id),
      [],
      scope,
    );
  }
});

test('custom roles open what their permissions open', async () => {
  const { project, group, token } = await make('private');
  const found = async (place: string, scope: string, search: string) => {
    const query = { scope, search, per_page: 100 };
    const answer = await app.get(`${place}/search`, { token: token('guest'), query });
    return expectStatus<{ project_id: number }[]>(answer, 200).filter((each) => each.project_id === project.id).length;
  };
  const role = await app.make.memberRole(10, ['read_code'], group);
  const guests = app.deps.db
    .updateTable('members')
    .where('source_type', '=', 'project')
    .where('source_id', '=', project.id);
  await guests.where('access_level', '=', 10).set({ member_role_id: role }).execute();
  for (const place of ['', `/groups/${group}`, `/projects/${project.id}`]) {
    assert.equal(await found(place, 'blobs', 'kernel'), 1, place);
    assert.equal(await found(place, 'commits', 'kernel'), 1, place);
    assert.equal(await found(place, 'notes', 'on-commit'), 1, place);
    assert.equal(await found(place, 'merge_requests', 'kernel'), 0, place);
  }
});
