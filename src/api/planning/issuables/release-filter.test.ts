import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { writeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const AT = '2026-01-01T00:00:00.000Z';
let app: TestApp;
let project: Project;
/** What their milestone belongs to: releases of the project, one of another project, none; and two without a milestone. */
const TITLES = ['one', 'shared', 'elsewhere', 'waiting', 'closed without', 'without'] as const;

before(async () => {
  app = await buildTestApp();
  const group = await app.make.group({ visibility: 'public' });
  project = await app.make.project({ namespace: group, visibility: 'public' });
  const other = await app.make.project({ namespace: group, visibility: 'public' });
  const milestone = async (path: string, title: string) =>
    expectStatus<{ id: number }>(await app.post(`${path}/milestones`, { json: { title } }), 201).id;
  const one = await milestone(`/projects/${project.id}`, 'one');
  const waiting = await milestone(`/projects/${project.id}`, 'waiting');
  const shared = await milestone(`/groups/${group.id}`, 'shared');
  const elsewhere = await milestone(`/groups/${group.id}`, 'elsewhere');
  const release = async ({ id: project_id }: Project, tag: string, milestones: number[]) => {
    const { id } = await app.deps.db
      .insertInto('releases')
      .values({ project_id, tag, released_at: AT, created_at: AT, updated_at: AT })
      .returning('id')
      .executeTakeFirstOrThrow();
    const links = milestones.map((milestone_id) => ({ release_id: id, milestone_id }));
    await app.deps.db.insertInto('milestone_releases').values(links).execute();
  };
  await release(project, 'v1', [one, shared]);
  await release(project, 'v2', [shared]);
  await release(other, 'v1', [elsewhere, shared]);
  await release(other, 'other', [elsewhere]);
  const rows = new Rows(app.deps);
  for (const place of [project, other]) {
    for (const title of TITLES) {
      const of = { one, shared, elsewhere, waiting, 'closed without': null, without: null };
      const milestone_id = place === other && title === 'one' ? elsewhere : of[title];
      const state = title === 'closed without' ? 'closed' : 'opened';
      await rows.issue(place.id, { title, milestone_id, state });
      await writeMergeRequest(app, place, { title, milestone_id, state });
    }
  }
});
after(() => app.close());

/** Titles of what a list of the project holds, oldest first. */
async function titles(list: string, query: Record<string, string>, token?: string | null): Promise<string[]> {
  const asked = { query: { ...query, order_by: 'created_at', sort: 'asc' }, ...(token === undefined ? {} : { token }) };
  const issuables = expectStatus<{ title: string }[]>(await app.get(`/projects/${project.id}/${list}`, asked), 200);
  return issuables.map(({ title }) => title);
}

const NOT_RELEASED = ['elsewhere', 'waiting', 'closed without', 'without'];

for (const list of ['issues', 'merge_requests']) {
  describe(`GET /projects/:id/${list}?release_tag=`, () => {
    test('a tag: what belongs to the release of the project by its milestone', async () => {
      assert.deepEqual(await titles(list, { release_tag: 'v1' }), ['one', 'shared']);
      assert.deepEqual(await titles(list, { release_tag: 'v1' }, null), ['one', 'shared']);
      assert.deepEqual(await titles(list, { release_tag: 'v2' }), ['shared']);
      assert.deepEqual(await titles(list, { release_tag: 'v2', milestone: 'one' }), []);
      assert.deepEqual(await titles(list, { release_tag: 'v1', milestone: 'one' }), ['one']);
      for (const tag of ['other', 'V1', 'v']) assert.deepEqual(await titles(list, { release_tag: tag }), [], tag);
      assert.deepEqual(await titles(list, { release_tag: '' }), [...TITLES]);
    });

    test('None and Any', async () => {
      assert.deepEqual(await titles(list, { release_tag: 'None' }), NOT_RELEASED);
      assert.deepEqual(await titles(list, { release_tag: 'none', state: 'closed' }), ['closed without']);
      assert.deepEqual(await titles(list, { release_tag: 'Any' }), ['one', 'shared']);
      assert.deepEqual(await titles(list, { release_tag: 'any', state: 'closed' }), []);
    });

    test('whoever may not see the releases of the project finds none', async (t) => {
      const { guest, stranger } = await app.make.members(project);
      const set = async (level: string) =>
        expectStatus(await app.put(`/projects/${project.id}`, { json: { releases_access_level: level } }), 200);
      await set('private');
      t.after(() => set('enabled'));
      assert.deepEqual(await titles(list, { release_tag: 'v1' }, guest.token), ['one', 'shared']);
      for (const token of [stranger.token, null]) {
        assert.deepEqual(await titles(list, { release_tag: 'v1' }, token), []);
        assert.deepEqual(await titles(list, { release_tag: 'Any' }, token), []);
        assert.deepEqual(await titles(list, { release_tag: 'None' }, token), [...TITLES]);
      }
    });

    test('a tag that is no text is refused', async () => {
      const path = `/projects/${project.id}/${list}`;
      expectStatus(await app.get(path, { query: { 'release_tag[x]': 'v1' } }), 400);
      expectStatus(await app.get(path, { query: { release_tag: 'v\0' } }), 400);
    });
  });
}

test('what belongs to a release is counted, and comes page by page', async () => {
  const counted = await app.get(`/projects/${project.id}/issues_statistics`, { query: { release_tag: 'None' } });
  assert.deepEqual(expectStatus(counted, 200), { statistics: { counts: { all: 4, closed: 1, opened: 3 } } });
  const keyset = { release_tag: 'v1', pagination: 'keyset' };
  assert.deepEqual(await titles('issues', keyset), ['one', 'shared']);
});

test('an address that a release gives leads to what belongs to it', async () => {
  const { _links } = expectStatus<{ _links: Record<string, string> }>(
    await app.get(`/projects/${project.id}/releases/v2`),
    200,
  );
  for (const link of ['opened_issues_url', 'opened_merge_requests_url']) {
    const { search, pathname } = new URL(_links[link]!);
    const list = pathname.split('/').at(-1)!;
    assert.deepEqual(await titles(list, Object.fromEntries(new URLSearchParams(search))), ['shared'], link);
  }
});
