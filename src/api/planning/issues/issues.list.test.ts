import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { nextIid } from '../../../db/iids.ts';
import type { Issue as IssueRow } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Issue } from './issues.responses.ts';

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

/** An issue of root, or as the columns say; each is made a minute later than the one before. */
async function issue(project: Project, columns: Partial<IssueRow> = {}): Promise<IssueRow> {
  clock.advance(60_000);
  const now = clock.now().toISOString();
  return app.deps.db.transaction().execute(async (db) => {
    const iid = await nextIid(db, { source_type: 'project', source_id: project.id, usage: 'issues' });
    return db
      .insertInto('issues')
      .values({
        iid,
        project_id: project.id,
        author_id: 1,
        title: `Issue ${iid}`,
        created_at: now,
        updated_at: now,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

const label = async (project: Project, name: string, issues: readonly IssueRow[]) => {
  const now = clock.now().toISOString();
  const { db } = app.deps;
  const base = { project_id: project.id, group_id: null, color: '#ff0000', description: null };
  const row = await db
    .insertInto('labels')
    .values({ ...base, name, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  const key = { issuable_type: 'Issue', label_id: row.id, project_id: project.id } as const;
  for (const { id } of issues)
    await db
      .insertInto('issuable_labels')
      .values({ ...key, issuable_id: id })
      .execute();
};
const assign = (project: Project, { id }: IssueRow, userId: number) =>
  app.deps.db
    .insertInto('issuable_assignees')
    .values({ issuable_type: 'Issue', issuable_id: id, user_id: userId, project_id: project.id })
    .execute();

type Query = Record<string, string | number | boolean | readonly string[]>;
const iids = async (path: string, query: Query = {}, token?: string | null) => {
  const response = await app.get(path, { query, ...(token === undefined ? {} : { token }) });
  return expectStatus<Issue[]>(response, 200).map(({ iid }) => iid);
};

test('the issues of a project come newest first, with labels, people and headers', async () => {
  const project = await app.make.project();
  const [first, second] = [await issue(project), await issue(project, { description: '- [x] a\n- [ ] b' })];
  await label(project, 'bug', [first]);
  await assign(project, second, 1);
  const response = await app.get(`/projects/${project.id}/issues`);
  const [newer, older] = expectStatus<Issue[]>(response, 200);
  assert.equal(response.headers['x-total'], '2');
  assert.deepEqual([newer?.iid, older?.iid], [2, 1]);
  assert.deepEqual([older?.labels, older?.assignee, older?.has_tasks], [['bug'], null, false]);
  assert.equal(newer?.assignees[0]?.username, 'root');
  assert.deepEqual(newer?.task_completion_status, { count: 2, completed_count: 1 });
  assert.equal(newer?.task_status, '1 of 2 checklist items completed');
  assert.deepEqual(newer?.references, { short: '#2', relative: '#2', full: `${project.full_path}#2` });
  assert.equal(newer?.subscribed, undefined);
  const [, detailed] = expectStatus<Issue[]>(
    await app.get(`/projects/${project.id}/issues`, { query: { with_labels_details: true } }),
    200,
  );
  const [details] = detailed!.labels as { name: string }[];
  assert.equal(details?.name, 'bug');
});

test('filters by label, person, state, text, number and time', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/issues`;
  const { user } = await app.make.user();
  const a = await issue(project, { title: 'Crash on 100% load', author_id: user.id });
  const b = await issue(project, { state: 'closed', closed_by_id: user.id, weight: 3, due_date: '2026-06-15' });
  const c = await issue(project, {
    description: 'A crash too',
    confidential: 1,
    due_date: '2026-06-16',
    issue_type: 'task',
  });
  await label(project, 'bug', [a, b]);
  await label(project, 'ui', [b]);
  await assign(project, c, user.id);
  const cases: [Query, number[]][] = [
    [{ labels: 'bug' }, [2, 1]],
    [{ labels: 'bug,ui' }, [2]],
    [{ 'labels[]': ['bug', 'ui'] }, [2]],
    [{ labels: 'None' }, [3]],
    [{ labels: 'any' }, [2, 1]],
    [{ labels: 'nothing' }, []],
    [{ 'not[labels]': 'ui' }, [3, 1]],
    [{ state: 'opened' }, [3, 1]],
    [{ state: 'closed' }, [2]],
    [{ author_id: user.id }, [1]],
    [{ author_username: user.username.toUpperCase() }, [1]],
    [{ author_username: 'nobody-here' }, []],
    [{ 'not[author_id]': user.id }, [3, 2]],
    [{ assignee_id: user.id }, [3]],
    [{ assignee_id: 'None' }, [2, 1]],
    [{ assignee_id: 'Any' }, [3]],
    [{ assignee_id: 0 }, [2, 1]],
    [{ assignee_username: user.username }, [3]],
    [{ 'not[assignee_username][]': [user.username] }, [2, 1]],
    [{ closed_by_id: user.id }, [2]],
    [{ search: 'CRASH' }, [3, 1]],
    [{ search: 'crash', in: 'title' }, [1]],
    [{ search: 'crash', in: 'title,description' }, [3, 1]],
    [{ search: '100% load' }, [1]],
    [{ search: '%' }, [1]],
    [{ 'iids[]': ['1', '3'] }, [3, 1]],
    [{ 'not[iids][]': ['1', '3'] }, [2]],
    [{ confidential: true }, [3]],
    [{ confidential: false }, [2, 1]],
    [{ weight: 3 }, [2]],
    [{ weight: 'None' }, [3, 1]],
    [{ weight: 'Any' }, [2]],
    [{ 'not[weight]': 3 }, [3, 1]],
    [{ issue_type: 'task' }, [3]],
    [{ due_date: '0' }, [1]],
    [{ due_date: 'any' }, [3, 2]],
    [{ due_date: 'today' }, [2]],
    [{ due_date: 'tomorrow' }, [3]],
    [{ due_date: 'overdue' }, []],
    [{ due_date: 'week' }, [3, 2]],
    [{ due_date: 'month' }, [3, 2]],
    [{ due_date: 'next_month_and_previous_two_weeks' }, [3, 2]],
    [{ created_after: b.created_at }, [3, 2]],
    [{ created_before: b.created_at }, [2, 1]],
    [{ updated_after: c.updated_at }, [3]],
    [{ updated_before: a.updated_at }, [1]],
    [{ scope: 'assigned_to_me' }, []],
    [{ scope: 'created-by-me' }, [3, 2]],
    [{ epic_id: 'None' }, [3, 2, 1]],
    [{ iteration_id: 4 }, []],
    [{ order_by: 'due_date', sort: 'asc' }, [2, 3, 1]],
    [{ order_by: 'due_date', sort: 'desc' }, [3, 2, 1]],
    [{ order_by: 'weight', sort: 'asc' }, [2, 1, 3]],
    [{ order_by: 'title', sort: 'asc' }, [1, 2, 3]],
    [{ order_by: 'updated_at', sort: 'asc' }, [1, 2, 3]],
    [{ order_by: 'priority', sort: 'asc' }, [1, 2, 3]],
    [{ order_by: 'label_priority' }, [3, 2, 1]],
    [{ order_by: 'milestone_due' }, [3, 2, 1]],
    [{ order_by: 'popularity' }, [3, 2, 1]],
    [{ order_by: 'relative_position' }, [1, 2, 3]],
    [{ labels: 'bug', per_page: 1, page: 2 }, [1]],
  ];
  for (const [query, expected] of cases) assert.deepEqual(await iids(path, query), expected, JSON.stringify(query));
});

test('lists across projects show what the caller may see', async () => {
  const group = await app.make.group();
  const sub = await app.make.group({ parent: group });
  const [inGroup, inSub] = [
    await app.make.project({ namespace: group }),
    await app.make.project({ namespace: sub, visibility: 'private' }),
  ];
  const open = await app.make.project({ visibility: 'public' });
  const closed = await app.make.project({ visibility: 'public', columns: { issues_access_level: 'disabled' } });
  const old = await app.make.project({ visibility: 'public', columns: { archived: 1 } });
  const guest = await app.make.user();
  const planner = await app.make.user();
  await app.make.member({ group }, guest.user, 10);
  await app.make.member({ project: inSub }, planner.user, 15);
  const made = {
    group: await issue(inGroup),
    secret: await issue(inGroup, { confidential: 1 }),
    sub: await issue(inSub),
    subSecret: await issue(inSub, { confidential: 1 }),
    open: await issue(open),
    mine: await issue(open, { confidential: 1, author_id: guest.user.id }),
    closed: await issue(closed),
    old: await issue(old),
  };
  const names = Object.entries(made);
  const see = async (path: string, token: string | null, query: Query = {}) => {
    const list = expectStatus<Issue[]>(await app.get(path, { token, query: { per_page: 100, ...query } }), 200);
    return names.filter(([, { id }]) => list.some((each) => each.id === id)).map(([name]) => name);
  };
  const all = { scope: 'all' };
  assert.deepEqual(await see('/issues', null, all), ['open']);
  expectStatus(await app.get('/issues', { token: null }), 401);
  assert.deepEqual(await see('/issues', guest.token), ['mine']);
  assert.deepEqual(await see('/issues', guest.token, all), ['group', 'sub', 'open', 'mine']);
  assert.deepEqual(await see('/issues', guest.token, { ...all, non_archived: false }), [
    'group',
    'sub',
    'open',
    'mine',
    'old',
  ]);
  assert.deepEqual(await see('/issues', planner.token, all), ['sub', 'subSecret', 'open']);
  assert.deepEqual(await see(`/groups/${group.id}/issues`, guest.token), ['group', 'sub']);
  assert.deepEqual(await see(`/groups/${group.id}/issues`, planner.token), ['sub', 'subSecret']);
  assert.deepEqual(await see(`/groups/${sub.id}/issues`, guest.token), ['sub']);
  const stranger = await app.make.user();
  expectStatus(await app.get(`/groups/${group.id}/issues`, { token: stranger.token }), 404);
  await assign(inGroup, made.secret, guest.user.id);
  assert.deepEqual(await see('/issues', guest.token, { scope: 'assigned_to_me' }), ['secret']);
  const [first] = expectStatus<Issue[]>(
    await app.get(`/groups/${group.id}/issues`, {
      query: { search: made.sub.title, 'iids[]': [String(made.sub.iid)] },
    }),
    200,
  );
  assert.equal(first?.references.relative, `${inSub.full_path}#${made.sub.iid}`);
  const counts = async (path: string, token: string | null, query: Query = {}) =>
    expectStatus<{ statistics: { counts: object } }>(await app.get(path, { token, query }), 200).statistics.counts;
  await app.deps.db.updateTable('issues').set({ state: 'closed' }).where('id', '=', made.sub.id).execute();
  assert.deepEqual(await counts(`/groups/${group.id}/issues_statistics`, guest.token), {
    all: 3,
    closed: 1,
    opened: 2,
  });
  assert.deepEqual(await counts(`/projects/${inSub.id}/issues_statistics`, guest.token), {
    all: 1,
    closed: 1,
    opened: 0,
  });
  assert.deepEqual(await counts('/issues_statistics', guest.token), { all: 1, closed: 0, opened: 1 });
  expectStatus(await app.get('/issues_statistics', { token: null }), 401);
  const json = async (token: string) =>
    expectStatus<{ open_issues_count: number }>(await app.get(`/projects/${inSub.id}`, { token }), 200);
  assert.equal((await json(guest.token)).open_issues_count, 0);
  assert.equal((await json(planner.token)).open_issues_count, 1);
});

test('keyset pages follow each other without gaps, also past missing values', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/issues`;
  for (const weight of [3, null, 1, 3, null, 2]) await issue(project, { weight });
  const walk = async (query: Query) => {
    const seen: number[] = [];
    let address = `${path}?${new URLSearchParams({ pagination: 'keyset', per_page: '2', ...(query as object) })}`;
    for (let pages = 0; pages < 10; pages += 1) {
      const response = await app.get(address);
      seen.push(...expectStatus<Issue[]>(response, 200).map(({ iid }) => iid));
      assert.equal(response.headers['x-total'], undefined);
      const next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1];
      if (next === undefined) return seen;
      address = next;
    }
    throw new Error('no end');
  };
  assert.deepEqual(await walk({}), [6, 5, 4, 3, 2, 1]);
  assert.deepEqual(await walk({ sort: 'asc' }), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await walk({ order_by: 'weight', sort: 'asc' }), [3, 6, 1, 4, 2, 5]);
  assert.deepEqual(await walk({ order_by: 'weight', sort: 'desc' }), [4, 1, 6, 3, 5, 2]);
  assert.deepEqual(await walk({ order_by: 'title', sort: 'asc' }), [1, 2, 3, 4, 5, 6]);
  expectStatus(await app.get(path, { query: { pagination: 'keyset', order_by: 'popularity' } }), 405);
  for (const cursor of ['x', Buffer.from('[1,2]').toString('base64url'), Buffer.from('{}').toString('base64url')]) {
    expectStatus(await app.get(path, { query: { pagination: 'keyset', cursor } }), 400);
  }
  expectStatus(await app.get(path, { query: { page: 600, per_page: 100 } }), 405);
});

test('odd filters are refused in the words of the platform', async () => {
  const project = await app.make.project();
  const refusal = async (query: Query) =>
    (expectStatus(await app.get(`/projects/${project.id}/issues`, { query }), 400) as { message: string }).message;
  assert.equal(await refusal({ state: 'open' }), 'state does not have a valid value');
  assert.equal(await refusal({ assignee_id: 'x' }), "assignee_id should be an integer, 'None' or 'Any'");
  assert.equal(await refusal({ order_by: 'id' }), 'order_by does not have a valid value');
  assert.equal(
    await refusal({ author_id: 1, author_username: 'x' }),
    'author_id, author_username are mutually exclusive',
  );
  assert.equal(await refusal({ created_after: 'x' }), 'created_after is invalid');
  assert.equal(await refusal({ scope: 'mine' }), 'scope does not have a valid value');
});
