import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { nextIid } from '../../db/iids.ts';
import type { Issue as IssueRow } from '../../db/tables/issues.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Issue } from './entity.ts';

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
  const answer = await app.get(path, { query, ...(token === undefined ? {} : { token }) });
  return expectStatus<Issue[]>(answer, 200).map(({ iid }) => iid);
};

test('the issues of a project come newest first, with labels, people and headers', async () => {
  const project = await app.make.project();
  const [first, second] = [await issue(project), await issue(project, { description: '- [x] a\n- [ ] b' })];
  await label(project, 'bug', [first]);
  await assign(project, second, 1);
  const answer = await app.get(`/projects/${project.id}/issues`);
  const [newer, older] = expectStatus<Issue[]>(answer, 200);
  assert.equal(answer.headers['x-total'], '2');
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
