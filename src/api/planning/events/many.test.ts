import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { insert, rowsOf } from '../../../../test/support/many/rows.ts';
import { eventId } from '../../../db/tables/events.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { EventJson } from './events.inputs.ts';

/** More than are read one by one. */
const MANY = 110;
/** More than a page is looked for in at first. */
const HIDDEN = 2_300;

let app: TestApp;
let author: { id: number };
let template: Project;
let happened = 0;
before(async () => {
  app = await buildTestApp();
  author = (await app.make.user()).user;
  template = await app.make.project();
});
after(() => app.close());

/** Projects without repositories; nothing of theirs is read. */
async function projects(amount: number, visibility: 'public' | 'private'): Promise<number[]> {
  const { id: _, ...columns } = template;
  const rows = Array.from({ length: amount }, (_, n) => {
    const path = `${visibility}-${happened}-${n}`;
    return { ...columns, visibility, name: path, path, full_path: `many/${path}`, disk_path: path };
  });
  const made = await app.deps.db.insertInto('projects').values(rows).returning('id').execute();
  return made.map(({ id }) => id);
}

/** Pushes by the author, one a minute, the later the newer. @returns their ids */
async function pushes(amount: number, projectOf: (n: number) => number, authorId = author.id): Promise<number[]> {
  const first = 10_000_000 + happened;
  happened += amount;
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + (first + n - 10_000_000) * 60_000).toISOString();
  const push = { commit_count: 0, action: 'pushed', ref_type: 'branch', commit_from: null, commit_to: null };
  await insert(
    app.deps.db,
    'events',
    rowsOf(amount, (n) => ({
      id: eventId(first + n, 0),
      action: n % 2 === 0 ? 'pushed' : 'joined',
      author_id: authorId,
      project_id: projectOf(n),
      push_data: JSON.stringify({ ...push, ref: 'main', commit_title: null, ref_count: null }),
      domain_event_id: first + n,
      created_at: at(n),
    })),
  );
  return Array.from({ length: amount }, (_, n) => eventId(first + n, 0));
}

async function page(path: string, token: string | null, query: Record<string, string | number>) {
  const response = await app.get(path, { token, query });
  const events = expectStatus<EventJson[]>(response, 200);
  return { ids: events.map(({ id }) => id), headers: response.headers };
}

test('a few readable events behind many that are not are found and counted', async () => {
  const { user } = await app.make.user();
  const [open] = await projects(1, 'public');
  const [closed] = await projects(1, 'private');
  const shown = await pushes(3, () => open!, user.id);
  await pushes(HIDDEN, () => closed!, user.id);
  for (const token of [null, (await app.make.user()).token]) {
    const { ids, headers } = await page(`/users/${user.id}/events`, token, { sort: 'desc' });
    assert.deepEqual(ids, shown.toReversed());
    assert.equal(headers['x-total'], '3');
    const pushed = await page(`/users/${user.id}/events`, token, { action: 'pushed' });
    assert.deepEqual(pushed.ids, [shown[2], shown[0]]);
  }
  const { token: root } = await app.make.user({ admin: true });
  const deep = await page(`/users/${user.id}/events`, root, { per_page: 100, page: 24 });
  assert.deepEqual([deep.ids, deep.headers['x-total']], [shown.toReversed(), String(HIDDEN + 3)]);
});

test('the events of very many projects are paged without a total', async () => {
  const open = await projects(MANY, 'public');
  const [closed] = await projects(1, 'private');
  const old = await pushes(MANY, (n) => open[n]!);
  await pushes(HIDDEN, () => closed!);
  const shown = [...old, ...(await pushes(MANY * 2, (n) => open[n % MANY]!))];
  const newest = shown.toReversed();
  const path = `/users/${author.id}/events`;
  for (const token of [null, (await app.make.user()).token]) {
    const first = await page(path, token, { per_page: 100 });
    assert.deepEqual(first.ids, newest.slice(0, 100));
    assert.deepEqual([first.headers['x-total'], first.headers['x-next-page']], [undefined, '2']);
    const last = await page(path, token, { per_page: 100, page: 4 });
    assert.deepEqual(last.ids, newest.slice(300));
    assert.deepEqual([last.headers['x-total'], last.headers['x-next-page']], [String(MANY * 3), '']);
    assert.deepEqual((await page(path, token, { per_page: 100, page: 5 })).ids, []);
    const ascending = await page(path, token, { per_page: 50, page: 2, sort: 'asc' });
    assert.deepEqual(ascending.ids, shown.slice(50, 100));
    const joined = await page(path, token, { action: 'joined' });
    assert.deepEqual(joined.ids, newest.filter((_, n) => n % 2 === 0).slice(0, 20));
  }
});

test('a member of very many projects sees what everyone does in them, and nothing of others', async () => {
  const { user, token } = await app.make.user();
  const mine = await projects(MANY, 'private');
  const others = await projects(2, 'public');
  await insert(
    app.deps.db,
    'members',
    rowsOf(MANY, (n) => ({
      source_type: 'project',
      source_id: mine[n]!,
      user_id: user.id,
      access_level: n === 0 ? 10 : 30,
      created_at: '2026-01-01T00:00:00.000Z',
    })),
  );
  const made = await pushes(MANY * 2, (n) => mine[n % MANY]!);
  await pushes(500, (n) => others[n % 2]!);
  // As a guest of the first one they do not see its pushes.
  const shown = made.filter((_, n) => n % MANY !== 0).toReversed();
  const pagedIds = [];
  for (const number of [1, 2, 3])
    pagedIds.push(...(await page('/events', token, { scope: 'all', per_page: 100, page: number })).ids);
  assert.deepEqual(pagedIds, shown);
  assert.deepEqual((await page('/events', token, {})).ids, []);
});
