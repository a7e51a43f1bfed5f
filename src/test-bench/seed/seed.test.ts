import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { applySeed, type SeedReport } from './seed.apply.ts';

const SEED = `
users:
  - username: ada
    password: correct-horse-battery
    tokens: [{token: glpat-of-ada, scopes: [api, read_user], expires_at: 2099-01-01}]
  - bob
groups:
  - path: acme
    visibility: public
    members: [{user: ada, access_level: maintainer}]
    labels: [bug, {name: feature, color: '#00ff00'}]
    subgroups:
      - path: tools
        visibility: public
        members: [{user: bob, access_level: developer}]
projects:
  - path: web
    namespace: acme/tools
    visibility: public
    commits:
      - {message: First, author: ada, authored_date: '2024-05-01T10:00:00+02:00', files: {README.md: '# Web', src/a.txt: one}}
      - {branch: feature, actions: [{action: update, file_path: src/a.txt, content: two}]}
      - {branch: main, merge: feature}
    milestones: [{title: v1, state: closed}]
    issues:
      - title: Broken
        author: bob
        assignees: [ada]
        labels: [bug]
        milestone: v1
        created_at: 2024-06-01T08:00:00Z
        notes: [Hello, {body: Hi, author: ada, award_emoji: [thumbsup]}]
        award_emoji: [{name: tada, user: ada}]
        state: closed
        closed_by: ada
        links: [{issue: 2}]
      - {title: 'Task {n}', count: 3}
`;

const apply = (app: TestApp, text = SEED): Promise<SeedReport> =>
  applySeed(app.instance, { text, file: 'seed.yml', bundles: async () => null });

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await buildTestApp({ clock: new TestClock(), settings: { STITHY_BENCH: '1' } });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

/** What clients see, but the tokens of pictures and the like. */
async function viewOf(app: TestApp): Promise<string> {
  const paths = [
    '/users',
    '/groups?all_available=true',
    '/groups/acme%2Ftools/members',
    '/projects/1/repository/commits?all=true',
    '/projects/1/issues?scope=all',
    '/projects/1/issues/1/discussions',
    '/projects/1/events',
    '/todos',
  ];
  const answers = await Promise.all(paths.map(async (path) => (await app.get(path)).body));
  return answers.join('\n').replaceAll(/"runners_token":"[^"]*"/g, '');
}

test('a seed makes users, groups, projects, commits and issues as the file tells', () =>
  withApp(async (app) => {
    const { made } = await apply(app);
    assert.deepEqual(
      { users: made.users, groups: made.groups, projects: made.projects, commits: made.commits, issues: made.issues },
      { users: 2, groups: 2, projects: 1, commits: 3, issues: 4 },
    );
    const me = expectStatus<{ username: string; id: number }>(await app.get('/user', { token: 'glpat-of-ada' }), 200);
    assert.deepEqual([me.username, me.id], ['ada', 2]);
    const issue = expectStatus(await app.get('/projects/acme%2Ftools%2Fweb/issues/1'), 200);
    assert.equal(issue.created_at, '2024-06-01T08:00:00.000Z');
    assert.equal((issue.closed_by as { username: string }).username, 'ada');
    assert.deepEqual(issue.labels, ['bug']);
    const [merge, , first] = expectStatus<{ parent_ids: string[]; authored_date: string }[]>(
      await app.get('/projects/1/repository/commits'),
      200,
    ) as [{ parent_ids: string[] }, unknown, { authored_date: string }];
    assert.equal(merge.parent_ids.length, 2);
    assert.equal(first.authored_date, '2024-05-01T10:00:00.000+02:00');
    assert.equal(app.deps.clock.now().getUTCFullYear(), 2026);
  }));

test('applied twice it changes nothing, and two servers are the same', () =>
  withApp(async (app) => {
    await apply(app);
    const before = await viewOf(app);
    assert.deepEqual((await apply(app)).made, {});
    assert.equal(await viewOf(app), before);
    await withApp(async (other) => {
      await apply(other);
      assert.equal(await viewOf(other), before);
    });
  }));

test('a seed leaves nothing to be done soon: sizes are counted, and the housekeeping of repositories is due later', () =>
  withApp(async (app) => {
    await apply(app);
    const { statistics } = expectStatus<{ statistics: { commit_count: number; repository_size: number } }>(
      await app.get('/projects/1?statistics=true'),
      200,
    );
    assert.equal(statistics.commit_count, 3);
    assert.ok(statistics.repository_size > 0);
    assert.equal(await app.deps.jobs.isIdle(), true);
    const query = app.deps.db.selectFrom('jobs').select('run_at').where('kind', '=', 'maintain-repository');
    const [job, ...others] = await query.execute();
    assert.deepEqual(others, []);
    assert.ok(Date.parse(job!.run_at) > app.deps.clock.now().getTime() + 600_000);
  }));
