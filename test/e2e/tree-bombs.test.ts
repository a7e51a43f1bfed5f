import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { enqueueStatistics } from '../../src/api/spaces/projects/statistics.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { GitError } from '../../src/git/common/index.ts';
import { RefStore } from '../../src/git/refs/index.ts';
import { jobKind } from '../../src/jobs/jobs.kinds.ts';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { GitUser } from '../support/git-user.ts';
import { ProjectGit } from '../support/project-git.ts';
import { makeTreeBomb, workingOn } from '../support/tree-bomb.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let bomb: string;

before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  git = new ProjectGit(app, project);
  git.commit('main', { 'README.md': 'Hello\n' });
  bomb = makeTreeBomb((args, input) => git.run(args, input));
});
after(() => app.close());

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

const paths = (sha: string) => ({
  commit: `repository/commits/${sha}`,
  diff: `repository/commits/${sha}/diff`,
  compare: 'repository/compare?from=main&to=bomb',
  list: 'repository/commits?ref_name=bomb&with_stats=true',
});

for (const name of ['commit', 'diff', 'compare', 'list'] as const) {
  test(`git ends with the client that left: ${name}`, async () => {
    const url = `${await app.listen()}/api/v4/projects/${project.id}/${paths(bomb)[name]}`;
    assert.equal(workingOn(git.dir).length, 0);
    const request = get(url, { headers: { 'private-token': ROOT_TOKEN } });
    request.on('error', () => {});
    request.on('response', (response) => response.resume());
    await until(() => workingOn(git.dir).length > 0);
    request.destroy();
    await until(() => workingOn(git.dir).length === 0);
  });
}

test('what is known of a project is told, however many files it stands for', async () => {
  const large = await app.make.project();
  const its = new ProjectGit(app, large);
  makeTreeBomb((args, input) => its.run(args, input), 'main');
  const { deps } = app;
  await enqueueStatistics(deps, deps.db, large.id);
  await app.drain();
  const { body } = await app.get(`/projects/${large.id}`, { query: { statistics: true } });
  assert.equal(JSON.parse(body).statistics.commit_count, 2);
});

test('a push that costs too much to check is refused with the reason', async (t) => {
  const user = await GitUser.of(app);
  const dir = await user.tree();
  const into = await app.make.project();
  const mock = t.mock.method(RefStore.prototype, 'head', () =>
    Promise.reject(new GitError('timeout', 'took too long')),
  );
  assert.match(
    await user.fails(dir, 'push', user.address(into), 'main'),
    /remote: Stithy: The push is too large to be checked/,
  );
  mock.mock.restore();
  await user.ok(dir, 'push', '--quiet', user.address(into), 'main');
});

test('a job that costs too much is not tried again', async () => {
  const { jobs, db } = app.deps;
  let runs = 0;
  const costly = jobKind<object>('test.costly', { lane: 'git' });
  jobs.register(costly, async () => {
    runs += 1;
    throw new GitError('timeout', 'took too long');
  });
  await jobs.enqueue(db, costly, {});
  await app.drain();
  const job = await db.selectFrom('jobs').selectAll().where('kind', '=', 'test.costly').executeTakeFirst();
  assert.deepEqual([runs, job?.state, job?.attempts], [1, 'dead', 1]);
});
