import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitToWiki, page } from '../../../../test/support/wikis.ts';

interface Entry {
  action_name: string;
  target_type: string | null;
  target_id: number;
  target_iid: number;
  target_title: string;
  author_username: string;
  wiki_page?: { format: string; slug: string; title: string; wiki_page_meta_id: number };
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const settle = async () => {
  await app.drain();
  clock.advance(1_000);
};
const feed = async (id: number, query: Record<string, string> = {}, token?: string) =>
  expectStatus<Entry[]>(
    await app.get(`/projects/${id}/events`, { query, ...(token === undefined ? {} : { token }) }),
    200,
  );
const actionsOf = (entries: Entry[]) =>
  entries.map(({ action_name, target_title }) => `${action_name} ${target_title}`);

test('what happens to pages is told, by the number that they keep', async () => {
  const project = await app.make.project();
  const wiki = `/projects/${project.id}/wikis`;
  expectStatus(await app.post(wiki, { json: { title: 'Some page', content: 'x' } }), 201);
  await settle();
  expectStatus(await app.put(`${wiki}/Some-page`, { json: { title: 'Guides/Other page', content: 'y' } }), 200);
  await settle();
  expectStatus(await app.delete(`${wiki}/${encodeURIComponent('Guides/Other-page')}`), 204);
  await settle();
  const entries = (await feed(project.id)).filter(({ target_type }) => target_type === 'WikiPage::Meta');
  assert.deepEqual(actionsOf(entries), ['destroyed Other page', 'updated Other page', 'created Other page']);
  const [first] = entries;
  const { target_id: id, target_iid, author_username, wiki_page } = first!;
  assert.deepEqual([target_iid, author_username], [id, 'root']);
  assert.deepEqual(wiki_page, {
    format: 'markdown',
    slug: 'Guides/Other-page',
    title: 'Other page',
    wiki_page_meta_id: id,
  });
  assert.equal(new Set(entries.map(({ target_id }) => target_id)).size, 1);
  assert.deepEqual(await feed(project.id, { target_type: 'wiki' }), entries);
  assert.deepEqual(actionsOf(await feed(project.id, { action: 'destroyed' })), ['destroyed Other page']);
  const own = expectStatus<Entry[]>(await app.get('/events', { query: { target_type: 'wiki' } }), 200);
  assert.deepEqual(own, entries);
});

test('one change of many pages is told page by page, a hundred at most, and a renamed page as one', async () => {
  const project = await app.make.project();
  const owner = { type: 'project' as const, id: project.id };
  const pages = Array.from({ length: 150 }, (_, index) => page(`p${String(index).padStart(3, '0')}.md`));
  await commitToWiki(app, owner, [...pages, page('uploads/x/picture.png')]);
  await settle();
  const query = { target_type: 'wiki', per_page: '100' };
  const first = await feed(project.id, query);
  assert.equal(first.length, 100);
  const list = expectStatus<{ wiki_page_meta_id: number }[]>(await app.get(`/projects/${project.id}/wikis`), 200);
  assert.equal(new Set(list.map(({ wiki_page_meta_id: id }) => id)).size, 150, 'all have their numbers');
  await commitToWiki(app, owner, [{ action: 'move', path: 'z.md', previousPath: 'p000.md' }]);
  await settle();
  const [renamed] = await feed(project.id, query);
  assert.equal(`${renamed!.action_name} ${renamed!.wiki_page?.slug}`, 'updated z');
  assert.equal(renamed!.target_id, list[0]!.wiki_page_meta_id);
});

test('changes of another branch, and of what is no page, are not told', async () => {
  const project = await app.make.project();
  const owner = { type: 'project' as const, id: project.id };
  await commitToWiki(app, owner, [page('a.png')]);
  await settle();
  assert.deepEqual(await feed(project.id, { target_type: 'wiki' }), []);
});

test('who may not read the wiki is told nothing of it', async () => {
  const project = await app.make.project({ visibility: 'public' });
  await app.deps.db
    .updateTable('projects')
    .set({ wiki_access_level: 'private' })
    .where('id', '=', project.id)
    .execute();
  expectStatus(await app.post(`/projects/${project.id}/wikis`, { json: { title: 'home', content: 'x' } }), 201);
  await settle();
  const { guest, stranger } = await app.make.members(project);
  assert.deepEqual(actionsOf(await feed(project.id, { target_type: 'wiki' }, guest.token)), ['created home']);
  assert.deepEqual(await feed(project.id, { target_type: 'wiki' }, stranger.token), []);
  const mine = await app.get('/users/root/events', { token: stranger.token, query: { target_type: 'wiki' } });
  assert.ok(!actionsOf(expectStatus<Entry[]>(mine, 200)).includes('created home'));
});

test('what subscribers get has all that is to be told of a page', async () => {
  const project = await app.make.project();
  const wiki = `/projects/${project.id}/wikis`;
  expectStatus(await app.post(wiki, { json: { title: 'home', content: 'x' } }), 201);
  expectStatus(await app.put(`${wiki}/home`, { json: { content: 'y' } }), 200);
  const rows = await app.deps.db
    .selectFrom('domain_events')
    .select(['type', 'actor_id', 'payload'])
    .where('project_id', '=', project.id)
    .where('type', 'like', 'wiki_page.%')
    .orderBy('id')
    .execute();
  const [made, changed] = rows.map(({ type, actor_id, payload }) => ({ type, actor_id, ...JSON.parse(payload) }));
  const { wiki_page_id, page: facts } = changed;
  assert.deepEqual(
    { ...changed, page: { ...facts, sha: typeof facts.sha } },
    {
      type: 'wiki_page.updated',
      actor_id: 1,
      wiki_page_id,
      project_id: project.id,
      group_id: null,
      page: {
        title: 'home',
        slug: 'home',
        path: 'home.md',
        format: 'markdown',
        message: 'root updated page: home',
        sha: 'string',
        previous_sha: made.page.sha,
      },
    },
  );
  assert.deepEqual([made.type, made.wiki_page_id, made.page.previous_sha], ['wiki_page.created', wiki_page_id, null]);
});
