import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { gitFixture } from '../../../../test/support/git-fixture.ts';
import { isOfTheCall } from '../../../../test/support/statements.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { ReleaseJson } from '../releases/releases.responses.ts';

let app: TestApp;
let selects = 0;
before(async () => {
  app = await buildTestApp({
    onQuery: ({ sql }) => {
      if (/^\s*(?:select|with)\b/i.test(sql) && isOfTheCall(sql)) selects += 1;
    },
  });
});
after(() => app.close());

/** A project with a commit and releases of these tags, each a day after the one before. */
async function projectWith(
  t: TestContext,
  options: { namespace: Namespace; visibility?: 'public' | 'private'; columns?: Partial<Project> },
  tags: readonly (readonly [tag: string, day: number])[],
): Promise<Project> {
  const project = await app.make.project(options);
  const { repository_storage: storage, disk_path: diskPath } = project;
  const git = gitFixture(t, { dir: app.deps.storages.dirOf({ storage, diskPath }) });
  git.git(['update-ref', 'refs/heads/main', git.commit({ a: '1' }, [], 'first\n')]);
  for (const [tag_name, day] of tags) {
    const released_at = `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`;
    const json = { tag_name, ref: 'main', released_at, assets: { links: [{ name: tag_name, url: 'http://x' }] } };
    expectStatus(await app.post(`/projects/${project.id}/releases`, { json }), 201);
  }
  return project;
}

const list = async (group: Namespace, token?: string | null, query: Record<string, string | number | boolean> = {}) =>
  expectStatus<ReleaseJson[]>(
    await app.get(`/groups/${group.id}/releases`, { ...(token === undefined ? {} : { token }), query }),
    200,
  );
const tagsOf = (releases: readonly ReleaseJson[]) => releases.map(({ tag_name }) => tag_name);

test('releases of all projects below the group are listed, newest first', async (t) => {
  const group = await app.make.group();
  const below = await app.make.group({ parent: group });
  const project = await projectWith(t, { namespace: group }, [
    ['a', 1],
    ['c', 3],
  ]);
  await projectWith(t, { namespace: below }, [['b', 2]]);
  await projectWith(t, { namespace: await app.make.group() }, [['other', 4]]);
  assert.deepEqual(tagsOf(await list(group)), ['c', 'b', 'a']);
  assert.deepEqual(tagsOf(await list(group, undefined, { sort: 'asc' })), ['a', 'b', 'c']);
  assert.deepEqual(tagsOf(await list(group, undefined, { per_page: 1, page: 2 })), ['b']);
  assert.deepEqual(tagsOf(await list(below)), ['b']);
  const { headers } = await app.get(`/groups/${group.id}/releases`, { query: { per_page: 2 } });
  assert.deepEqual([headers['x-total'], headers['x-next-page']], ['3', '2']);
  const [whole] = await list(group);
  assert.deepEqual(whole, expectStatus(await app.get(`/projects/${project.id}/releases/c`), 200));
  const [simple] = await list(group, undefined, { simple: true });
  assert.deepEqual(simple, {
    name: 'c',
    tag_name: 'c',
    description: null,
    created_at: whole?.created_at,
    released_at: '2026-01-03T00:00:00.000Z',
    upcoming_release: false,
  });
  expectStatus(await app.get(`/groups/${group.id}/releases`, { query: { sort: 'up' } }), 400);
  assert.deepEqual(await list(await app.make.group()), []);
});

test('each caller sees the releases that they may read, and of each what they may see of it', async (t) => {
  const group = await app.make.group({ visibility: 'public' });
  const open = await projectWith(t, { namespace: group, visibility: 'public' }, [['open', 1]]);
  const members = await projectWith(
    t,
    { namespace: group, visibility: 'public', columns: { releases_access_level: 'private' } },
    [['members', 2]],
  );
  const closed = await projectWith(t, { namespace: group }, [['closed', 3]]);
  const off = await projectWith(t, { namespace: group }, [['off', 4]]);
  expectStatus(await app.put(`/projects/${off.id}`, { json: { releases_access_level: 'disabled' } }), 200);
  const hidden = await app.make.group({ parent: group });
  await projectWith(t, { namespace: hidden }, [['hidden', 5]]);
  assert.deepEqual(tagsOf(await list(group)), ['hidden', 'closed', 'members', 'open']);
  assert.deepEqual(tagsOf(await list(group, null)), ['open']);
  const stranger = await app.make.user();
  assert.deepEqual(tagsOf(await list(group, stranger.token)), ['open']);
  const guest = await app.make.user();
  for (const project of [open, members, closed]) await app.make.member({ project }, guest.user, 10);
  const seen = await list(group, guest.token);
  assert.deepEqual(
    seen.map(({ tag_name, commit, assets }) => [tag_name, commit !== undefined, assets.count]),
    [
      ['closed', false, 1],
      ['members', true, 5],
      ['open', true, 5],
    ],
  );
  const developer = await app.make.user();
  await app.make.member({ group }, developer.user, 30);
  const all = await list(group, developer.token);
  assert.deepEqual(tagsOf(all), ['hidden', 'closed', 'members', 'open']);
  assert.ok(all.every(({ _links, commit }) => _links.edit_url !== undefined && commit));
  const dim = await list(group, stranger.token, { simple: true });
  assert.deepEqual(tagsOf(dim), ['open']);
});

test('of many projects the order is the same, and so is what each caller sees', async () => {
  const group = await app.make.group({ visibility: 'public' });
  const releasedAt = (n: number) => new Date(Date.UTC(2026, 0, 1) + ((n * 37) % 120) * 86_400_000).toISOString();
  for (let n = 0; n < 55; n += 1) {
    const { id } = await app.make.project({ namespace: group, visibility: n % 5 === 0 ? 'public' : 'private' });
    const rows = [n, n + 60].map((at) => ({ project_id: id, tag: `v${at}`, released_at: releasedAt(at) }));
    const stamp = { created_at: releasedAt(0), updated_at: releasedAt(0) };
    await app.deps.db
      .insertInto('releases')
      .values(rows.map((row) => ({ ...row, ...stamp })))
      .execute();
  }
  const numbers = Array.from({ length: 55 }, (_, n) => [n, n + 60]).flat();
  const ordered = numbers.sort((a, b) => (releasedAt(a) < releasedAt(b) ? 1 : -1));
  const tagsAt = async (page: number, sort: 'asc' | 'desc', token?: string | null) =>
    tagsOf(await list(group, token, { page, sort, simple: true, per_page: 10 }));
  const expectedTags = (from: readonly number[], page: number) =>
    from.slice((page - 1) * 10, page * 10).map((n) => `v${n}`);
  assert.deepEqual(await tagsAt(1, 'desc'), expectedTags(ordered, 1));
  assert.deepEqual(await tagsAt(4, 'asc'), expectedTags(ordered.toReversed(), 4));
  assert.deepEqual(await tagsAt(12, 'asc'), []);
  const open = ordered.filter((n) => (n % 60) % 5 === 0);
  assert.deepEqual(await tagsAt(2, 'desc', null), expectedTags(open, 2));
  const { headers } = await app.get(`/groups/${group.id}/releases`, { query: { simple: true } });
  assert.equal(headers['x-total'], '110');
});

test('a group that the caller may not see is not there', async (t) => {
  const group = await app.make.group();
  await projectWith(t, { namespace: group }, [['a', 1]]);
  const { token } = await app.make.user();
  expectStatus(await app.get(`/groups/${group.id}/releases`, { token }), 404);
  expectStatus(await app.get(`/groups/${group.id}/releases`, { token: null }), 404);
  expectStatus(await app.get('/groups/987654/releases'), 404);
});

test('a page costs the same number of queries however many projects it is of', async (t) => {
  const cost = async (projects: number): Promise<number> => {
    const group = await app.make.group();
    const { user, token } = await app.make.user();
    await app.make.member({ group }, user, 30);
    for (let n = 0; n < projects; n += 1) await projectWith(t, { namespace: group }, [[`v${n}`, n + 1]]);
    selects = 0;
    assert.equal((await list(group, token)).length, projects);
    return selects;
  };
  assert.equal(await cost(5), await cost(1));
});
