import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { Rows } from '../../../test/support/rows.ts';
import { changeSettings } from '../../../test/support/settings.ts';
import { commitToWiki, page } from '../../../test/support/wikis.ts';
import { timestamp } from '../../core/clock.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { SEARCH_SCOPES } from './search.inputs.ts';

type Found = Record<string, unknown>[];

let app: TestApp;
let owner: TestUser;
let group: Namespace;
let project: Project;
let sha: string;
before(async () => {
  app = await buildTestApp();
  await changeSettings(app, { search_rate_limit: 0 });
  owner = await app.make.user({ username: 'needle-owner' });
  group = await app.make.group({ path: 'needle-group', owner: owner.user });
  project = await app.make.project({ path: 'needle-project', namespace: group, owner: owner.user });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'docs/hay.md': 'one\ntwo\nA Needle\nfour\nfive\nsix\n' });
  sha = git.commit('main', { 'src/needle.ts': 'export {};\n' }, { message: 'Add a NEEDLE\n\nwith text\n' });
  git.commit('topic', { other: 'needle on a branch\n' }, { start: sha });
  await commitToWiki(app, { type: 'project', id: project.id }, [page('Home.md', 'a needle\n')]);
  await commitToWiki(app, { type: 'group', id: group.id }, [page('team/Hay.md', 'the needle of all\n')]);
  const at = `/projects/${project.id}`;
  const as = { token: owner.token };
  const issue = expectStatus(await app.post(`${at}/issues`, { ...as, json: { title: 'Lost Needle' } }), 201);
  await app.post(`${at}/issues`, {
    ...as,
    json: { title: 'Hay', description: 'with a needle inside', confidential: true },
  });
  await app.post(`${at}/issues/${issue.iid}/notes`, { ...as, json: { body: 'found the needle' } });
  await makeMergeRequest(app, project, { source_branch: 'topic', title: 'Thread a needle' });
  await app.post(`${at}/milestones`, { ...as, json: { title: 'Needle sharp' } });
  await app.post('/snippets', { ...as, json: { title: 'needle snippet', files: [{ file_path: 'f', content: 'x' }] } });
  await app.drain();
});
after(() => app.close());

async function found(
  place: string,
  query: Record<string, string | number | boolean>,
  token = owner.token,
): Promise<Found> {
  return expectStatus<Found>(await app.get(`${place}/search`, { token, query: { search: 'needle', ...query } }), 200);
}
const places = () => ({ everywhere: '', group: `/groups/${group.id}`, project: `/projects/${project.id}` });

/** What each scope finds: a property that tells it. */
const FINDS: Record<(typeof SEARCH_SCOPES.everywhere)[number], [string, Record<string, unknown[]>]> = {
  projects: ['path', { everywhere: ['needle-project'], group: ['needle-project'] }],
  groups: ['path', { everywhere: ['needle-group'] }],
  issues: ['title', { '*': ['Hay', 'Lost Needle'] }],
  merge_requests: ['title', { '*': ['Thread a needle'] }],
  milestones: ['title', { '*': ['Needle sharp'] }],
  snippet_titles: ['title', { everywhere: ['needle snippet'] }],
  users: ['username', { '*': ['needle-owner'] }],
  notes: ['body', { '*': ['found the needle'] }],
  commits: ['title', { '*': ['Add a NEEDLE'] }],
  blobs: ['path', { '*': ['src/needle.ts', 'docs/hay.md'] }],
  wiki_blobs: ['path', { '*': ['Home.md', 'team/Hay.md'], project: ['Home.md'] }],
};

for (const [kind, scopes] of Object.entries(SEARCH_SCOPES) as [keyof typeof SEARCH_SCOPES, readonly string[]][]) {
  for (const scope of scopes) {
    test(`${scope} are found: ${kind}`, async () => {
      const [name, byPlace] = FINDS[scope as keyof typeof FINDS];
      const expected = byPlace[kind] ?? byPlace['*'];
      assert.deepEqual(
        (await found(places()[kind], { scope })).map((each) => each[name]),
        expected,
      );
      assert.deepEqual(await found(places()[kind], { scope, search: 'no-such-straw' }), []);
      if (kind !== 'everywhere') {
        const aliased = await found(`${places()[kind]}/-`, { scope });
        assert.deepEqual(
          aliased.map((each) => each[name]),
          expected,
        );
      }
    });
  }
}

test('a scope that a place does not have is refused, as are a missing one and a missing search', async () => {
  for (const [path, query, error] of [
    ['/search', { scope: 'epics', search: 'x' }, 'scope does not have a valid value'],
    ['/search', { search: 'x' }, 'scope is missing'],
    ['/search', { scope: 'issues' }, 'search is missing'],
    [`/groups/${group.id}/search`, { scope: 'snippet_titles', search: 'x' }, 'scope does not have a valid value'],
    [`/groups/${group.id}/search`, { scope: 'groups', search: 'x' }, 'scope does not have a valid value'],
    [`/projects/${project.id}/search`, { scope: 'projects', search: 'x' }, 'scope does not have a valid value'],
    ['/search', { scope: 'issues', search: 'x', state: 'open' }, 'state does not have a valid value'],
    ['/search', { scope: 'issues', search: 'x', order_by: 'title' }, 'order_by does not have a valid value'],
    ['/search', { scope: 'issues', search: 'x', sort: 'up' }, 'sort does not have a valid value'],
    ['/search', { scope: 'issues', search: 'x', search_type: 'advanced' }, 'search_type does not have a valid value'],
    [
      '/search',
      { scope: 'blobs', search: 'x', num_context_lines: 21 },
      'num_context_lines does not have a valid value',
    ],
  ] as const) {
    const answer = await app.get(path, { query });
    assert.deepEqual([answer.statusCode, JSON.parse(answer.body).error], [400, error], JSON.stringify(query));
  }
  const long = await app.get('/search', { query: { scope: 'issues', search: 'x'.repeat(1_001) } });
  assert.equal(long.statusCode, 400);
});

test('objects have the form of their lists', async () => {
  const { project: at, group: of } = places();
  const strip = ({ references: _, ...rest }: Record<string, unknown>) => rest;
  const list = async (path: string) => expectStatus<Found>(await app.get(path, { token: owner.token }), 200);
  assert.deepEqual(await found(at, { scope: 'issues' }), await list(`${at}/issues`));
  assert.deepEqual(await found(of, { scope: 'issues' }), await list(`${of}/issues`));
  assert.deepEqual((await found('', { scope: 'issues' })).map(strip), (await list('/issues?scope=all')).map(strip));
  assert.deepEqual(await found(at, { scope: 'merge_requests' }), await list(`${at}/merge_requests`));
  assert.deepEqual(await found(at, { scope: 'milestones' }), await list(`${at}/milestones`));
  assert.deepEqual(
    await found(at, { scope: 'notes' }),
    await list(`${at}/issues/1/notes?activity_filter=only_comments`),
  );
  assert.deepEqual(await found(at, { scope: 'users' }), await list(`${at}/users`));
  assert.deepEqual(await found('', { scope: 'snippet_titles' }), await list('/snippets'));
  assert.deepEqual(await found('', { scope: 'groups' }), await list('/groups'));
  assert.deepEqual(await found('', { scope: 'projects' }), await list('/projects?simple=true'));
  const [commit] = await found(at, { scope: 'commits' });
  const { project_id, ...rest } = commit!;
  assert.equal(project_id, project.id);
  assert.deepEqual(rest, (await list(`${at}/repository/commits?ref_name=${sha}`))[0]);
});

test('a match in a file has the lines around it, one of a path the beginning of the file', async () => {
  const [named, inside] = await found(places().project, { scope: 'blobs' });
  assert.deepEqual(inside, {
    basename: 'docs/hay',
    data: 'one\ntwo\nA Needle\nfour\nfive\n',
    path: 'docs/hay.md',
    filename: 'docs/hay.md',
    id: null,
    ref: 'main',
    startline: 1,
    project_id: project.id,
  });
  assert.deepEqual([named?.data, named?.startline, named?.basename], ['export {};\n', 1, 'src/needle']);
  assert.match(String(named?.id), /^[0-9a-f]{40}$/);
  const [bare] = await found(places().project, { scope: 'blobs', search: 'a needle', num_context_lines: 0 });
  assert.deepEqual([bare?.data, bare?.startline], ['A Needle\n', 3]);
  const wiki = await found(places().group, { scope: 'wiki_blobs' });
  assert.deepEqual(
    wiki.map(({ project_id, group_id, ref, data }) => ({ project_id, group_id, ref, data })),
    [
      { project_id: project.id, group_id: null, ref: 'main', data: 'a needle\n' },
      { project_id: null, group_id: group.id, ref: 'main', data: 'the needle of all\n' },
    ],
  );
});

test('filters narrow issues and merge requests, and are ignored elsewhere', async () => {
  const titles = async (query: Record<string, string | boolean>) =>
    (await found(places().project, { scope: 'issues', ...query })).map(({ title }) => title);
  assert.deepEqual(await titles({ confidential: true }), ['Hay']);
  assert.deepEqual(await titles({ confidential: false }), ['Lost Needle']);
  assert.deepEqual(await titles({ fields: 'title' }), ['Lost Needle']);
  assert.deepEqual(await titles({ sort: 'asc', order_by: 'created_at' }), ['Lost Needle', 'Hay']);
  assert.deepEqual(await titles({ state: 'closed' }), []);
  assert.deepEqual(await titles({ state: 'opened' }), ['Hay', 'Lost Needle']);
  assert.deepEqual(await titles({ search: '#1' }), ['Lost Needle']);
  assert.deepEqual(await titles({ search: 'NEEDLE lost' }), ['Lost Needle']);
  assert.deepEqual(await titles({ search: '' }), ['Hay', 'Lost Needle']);
  const mergeRequests = async (query: Record<string, string>) =>
    (await found('', { scope: 'merge_requests', ...query })).length;
  assert.equal(await mergeRequests({ search: '!1' }), 1);
  assert.equal(await mergeRequests({ search: '!2' }), 0);
  assert.equal(await mergeRequests({ state: 'merged' }), 0);
  assert.equal((await found('', { scope: 'milestones', state: 'closed' })).length, 1);
});

test('pages have the headers of lists', async () => {
  const query = { scope: 'issues', search: 'needle', per_page: 1 };
  const first = await app.get('/search', { token: owner.token, query });
  assert.deepEqual(
    [first.headers['x-total'], first.headers['x-next-page'], JSON.parse(first.body).length],
    ['2', '2', 1],
  );
  const blobs = (page: number) => app.get('/search', { token: owner.token, query: { ...query, scope: 'blobs', page } });
  const pages = [await blobs(1), await blobs(2), await blobs(3)];
  assert.deepEqual(
    pages.map(({ body, headers }) => [
      JSON.parse(body).map((each: { path: string }) => each.path),
      headers['x-next-page'],
    ]),
    [
      [['src/needle.ts'], '2'],
      [['docs/hay.md'], ''],
      [[], ''],
    ],
  );
  assert.equal(pages[0]?.headers['x-total'], undefined);
  assert.deepEqual(await found('', { scope: 'blobs', page: 1_000_000, per_page: 100 }), []);
});

test('archived projects are left out unless they are asked for or named', async () => {
  const archived = await app.make.project({ path: 'barn', namespace: group, columns: { archived: 1 } });
  const at = `/projects/${archived.id}`;
  new ProjectGit(app, archived).commit('main', { barn: 'pitchfork\n' }, { message: 'pitchfork' });
  await app.deps.db.updateTable('projects').set({ archived: 0 }).where('id', '=', archived.id).execute();
  const issue = expectStatus(await app.post(`${at}/issues`, { json: { title: 'pitchfork' } }), 201);
  expectStatus(await app.post(`${at}/issues/${issue.iid}/notes`, { json: { body: 'pitchfork' } }), 201);
  expectStatus(await app.post(`${at}/milestones`, { json: { title: 'pitchfork' } }), 201);
  await commitToWiki(app, { type: 'project', id: archived.id }, [page('Home.md', 'pitchfork')]);
  await makeMergeRequest(app, archived, { title: 'pitchfork' });
  await app.deps.db
    .updateTable('projects')
    .set({ archived: 1, description: 'pitchfork' })
    .where('id', '=', archived.id)
    .execute();
  for (const scope of SEARCH_SCOPES.group.filter((each) => each !== 'users')) {
    const count = async (place: string, query = {}) =>
      (await found(place, { scope, search: 'pitchfork', ...query })).length;
    for (const place of ['', `/groups/${group.id}`]) {
      assert.equal(await count(place), 0, `${scope} ${place}`);
      assert.equal(await count(place, { include_archived: true }), 1, `${scope} ${place}`);
    }
    if (scope !== 'projects') assert.equal(await count(at), 1, scope);
  }
});

test('wikis of groups are found on plans that have them', async () => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  try {
    const { id } = await free.make.group();
    await commitToWiki(free, { type: 'group', id }, [page('Hay.md', 'needle')]);
    const query = { scope: 'wiki_blobs', search: 'needle' };
    assert.deepEqual(expectStatus(await free.get(`/groups/${id}/search`, { query }), 200), []);
  } finally {
    await free.close();
  }
});

test('case is folded for ASCII letters, and words may be in any order', async () => {
  const at = places().project;
  expectStatus(await app.post(`${at}/issues`, { json: { title: 'Ärger with ŒUVRE 100%_sure\\' } }), 201);
  for (const [search, count] of [
    ['ÄRGER', 1],
    ['Ärger', 1],
    ['ärger', 0],
    ['sure with', 1],
    ['100%_SURE', 1],
    ['100__', 0],
    ['%', 1],
    ['\\', 1],
    ["' or 1=1 --", 0],
  ] as const) {
    assert.equal((await found(at, { scope: 'issues', search })).length, count, search);
  }
});

test('comments are read from the latest back, over many others', async () => {
  const talkative = await app.make.project();
  const rows = new Rows(app.deps);
  const { id } = await rows.issue(talkative.id);
  const on = { type: 'Issue' as const, id, projectId: talkative.id };
  await rows.note(on, { note: 'first straw' });
  const values = { project_id: talkative.id, noteable_type: on.type, noteable_id: id, author_id: 1, note: 'hay' };
  const now = timestamp(app.deps.clock);
  await app.deps.db
    .insertInto('notes')
    .values(
      Array.from({ length: 1_500 }, (_, index) => ({
        ...values,
        discussion_id: `hay-${index}`,
        created_at: now,
        updated_at: now,
      })),
    )
    .execute();
  await rows.note(on, { note: 'last straw' });
  const pageOf = async (query: Record<string, string | number>) => {
    const all = { scope: 'notes', search: 'straw', ...query };
    const answer = await app.get(`/projects/${talkative.id}/search`, { query: all });
    return [expectStatus<Found>(answer, 200).map(({ body }) => body), answer.headers['x-next-page']];
  };
  assert.deepEqual(await pageOf({}), [['last straw', 'first straw'], '']);
  assert.deepEqual(await pageOf({ sort: 'asc' }), [['first straw', 'last straw'], '']);
  assert.deepEqual(await pageOf({ per_page: 1 }), [['last straw'], '2']);
  assert.deepEqual(await pageOf({ per_page: 1, page: 2 }), [['first straw'], '']);
});

test('a user searches so often in a minute, wherever it is', async (t) => {
  const [one, other] = [await app.make.user(), await app.make.user()];
  await changeSettings(app, { search_rate_limit: 3 });
  t.after(() => changeSettings(app, { search_rate_limit: 0 }));
  const open = await app.make.group({ visibility: 'public' });
  const { id } = await app.make.project({ namespace: open, visibility: 'public' });
  const places = ['', `/groups/${open.id}`, `/groups/${open.id}/-`, `/projects/${id}`, `/projects/${id}/-`];
  const search = async (place: string, token: string) =>
    (await app.get(`${place}/search?scope=issues&search=x`, { token })).statusCode;
  const statuses: number[] = [];
  for (const place of places) statuses.push(await search(place, one.token));
  assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  for (const place of places) assert.equal(await search(place, one.token), 429, place);
  assert.equal(await search('', other.token), 200);
  await changeSettings(app, { search_rate_limit: 0 });
  for (const place of places) assert.equal(await search(place, one.token), 200, place);
});
