import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { finishJob } from '../src/pipelines/states/finish-job.ts';
import { apiClient } from './support/api-client.ts';
import { buildTestApp, type TestApp } from './support/app.ts';
import { GitUser } from './support/git-user.ts';
import { makeMergeRequest } from './support/merge-request.ts';
import { Pipelines } from './support/pipeline-states.ts';
import { makePipeline } from './support/pipelines.ts';
import { isOfTheCall } from './support/statements.ts';

/*
 * How many statements the commonest calls send to the database, as a client on a socket makes them: in a project whose
 * default branch is protected, by a token that was used before, after something else was written, with begin and commit
 * left out. A number may be lowered here without more ado; who raises it slows everybody down, most of all where the
 * database is another machine.
 */
const MAX_STATEMENTS = {
  'read who one is': 7,
  'read a project': 16,
  'list projects': 14,
  'read a file': 5,
  'list branches': 6,
  'list issues': 12,
  'open an issue': 19,
  'read an issue': 14,
  'read a merge request': 29,
  'list merge requests': 21,
  'comment on a merge request': 12,
  // The feed tells of one commit at once, in two of them; the job that did so took ten.
  'commit to a branch with an open merge request': 32,
  'push to a branch with an open merge request': 44,
  'list pipelines': 6,
  'read a pipeline': 8,
  'list the jobs of a pipeline': 11,
  'list jobs': 9,
  'read a job': 9,
  'cancel a job': 19,
  'retry a job': 27,
  // One of them asks which licenses there are, as on every route of a paid plan.
  'approve a merge request': 27,
  'merge a merge request': 113,
  'start a job of a pipeline of 500': 4,
  'finish a job of a pipeline of 500': 11,
};

let app: TestApp;
let user: GitUser;
let seen: string[] | null = null;
before(async () => {
  app = await buildTestApp({
    onQuery: ({ sql }) => {
      if (isOfTheCall(sql)) seen?.push(sql);
    },
  });
  user = await GitUser.of(app);
  // As a server that serves: on PostgreSQL it knows whether it is alone.
  app.deps.processes.start();
});
after(() => app.close());

const counted: Record<string, string[]> = {};

/** Counts what one call takes, once all that went before it is done and nothing is remembered of it. */
async function count(what: keyof typeof MAX_STATEMENTS, call: () => Promise<unknown>): Promise<void> {
  await app.drain();
  await app.deps.db.updateTable('users').set({ updated_at: new Date().toISOString() }).where('id', '=', 1).execute();
  seen = [];
  await call();
  counted[what] = seen;
  seen = null;
}

test('the commonest calls send no more statements than they did', async () => {
  const project = await app.make.project();
  const { maintainer } = await app.make.members(project);
  const dir = await user.tree();
  const address = user.address(project, maintainer.token);
  await user.ok(dir, 'push', '--quiet', address, 'main');
  await user.commit(dir, 'work.txt', 'one\n');
  await user.ok(dir, 'push', '--quiet', address, 'HEAD:refs/heads/work');
  const { iid } = await makeMergeRequest(app, project, { source_branch: 'work' });
  const client = apiClient(await app.listen(), maintainer.token);
  const at = `/projects/${project.id}`;
  const request = `${at}/merge_requests/${iid}`;
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await client(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  };
  const commit = (name: string) =>
    call('POST', `${at}/repository/commits`, {
      branch: 'work',
      commit_message: name,
      actions: [{ action: 'create', file_path: name, content: 'x' }],
    });
  // What is only done once, such as noting that a token is in use, or making one for runners.
  await call('POST', `${at}/issues`, { title: 'first' });
  await commit('first');
  await call('POST', `${request}/notes`, { body: 'first' });
  await call('GET', at);

  await count('read who one is', () => call('GET', '/user'));
  await count('read a project', () => call('GET', at));
  await count('list projects', () => call('GET', '/projects?membership=true'));
  await count('read a file', () => call('GET', `${at}/repository/files/README.md/raw?ref=main`));
  await count('list branches', () => call('GET', `${at}/repository/branches`));
  await count('list issues', () => call('GET', `${at}/issues`));
  await count('open an issue', () => call('POST', `${at}/issues`, { title: 'second' }));
  await count('read an issue', () => call('GET', `${at}/issues/1`));
  await count('read a merge request', () => call('GET', request));
  await count('list merge requests', () => call('GET', `${at}/merge_requests`));
  await count('comment on a merge request', () => call('POST', `${request}/notes`, { body: 'second' }));
  await count('commit to a branch with an open merge request', () => commit('second'));
  await user.ok(dir, 'pull', '--quiet', address, 'work');
  await user.commit(dir, 'more.txt', 'two\n');
  await count('push to a branch with an open merge request', () =>
    user.ok(dir, 'push', '--quiet', address, 'HEAD:refs/heads/work'),
  );
  const twenty = Array.from({ length: 20 }, (_, n) => ({ name: `job ${n}`, status: 'pending' as const }));
  const made = await makePipeline(app, project, {
    jobs: twenty,
    columns: { user_id: maintainer.user.id, ref: 'work' },
  });
  const onePipeline = `${at}/pipelines/${made.pipeline.id}`;
  const oneJob = `${at}/jobs/${made.jobs['job 0']!.id}`;
  await count('list pipelines', () => call('GET', `${at}/pipelines`));
  await count('read a pipeline', () => call('GET', onePipeline));
  await count('list the jobs of a pipeline', () => call('GET', `${onePipeline}/jobs`));
  await count('list jobs', () => call('GET', `${at}/jobs?scope[]=pending&scope[]=running`));
  await count('read a job', () => call('GET', oneJob));
  await count('cancel a job', () => call('POST', `${oneJob}/cancel`));
  await count('retry a job', () => call('POST', `${oneJob}/retry`));
  await app.deps.db.deleteFrom('pipelines').where('id', '=', made.pipeline.id).execute();
  await count('approve a merge request', () => call('POST', `${request}/approve`));
  await call('GET', request);
  await count('merge a merge request', () => call('PUT', `${request}/merge`));

  const jobs = Array.from({ length: 500 }, (_, n) => ({
    name: `job ${n}`,
    stage: n < 250 ? 'build' : 'test',
    ...(n < 250 ? {} : { needs: [`job ${n - 250}`] }),
  }));
  const { pipeline } = await makePipeline(app, project, { jobs, process: true });
  const pipelines = new Pipelines(app);
  await pipelines.run(pipeline.id, 'job 0');
  const job = await pipelines.job(pipeline.id, 'job 1');
  await count('start a job of a pipeline of 500', () => pipelines.startRow(job));
  await count('finish a job of a pipeline of 500', () => finishJob(app.deps, job.id, { status: 'success' }));
  assert.equal((await pipelines.job(pipeline.id, 'job 251')).status, 'pending');

  const limits: Record<string, number> = MAX_STATEMENTS;
  const grown = Object.entries(counted).filter(([what, statements]) => statements.length > limits[what]!);
  const text = [
    ...grown.map(([what, { length }]) => `${what}: ${length} instead of ${limits[what]}`),
    ...grown.flatMap(([what, statements]) => ['', what, ...statements.map((sql) => `  ${sql.trim().slice(0, 120)}`)]),
  ];
  assert.equal(grown.length, 0, text.join('\n'));
});
