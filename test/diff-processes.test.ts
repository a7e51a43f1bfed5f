import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runGit } from '../src/git/process/index.ts';
import { buildTestApp } from './support/app.ts';
import { makeMergeRequest } from './support/merge-request.ts';
import { ProjectGit } from './support/project-git.ts';
import { startedGit } from './support/started-git.ts';

const BRANCHES = 5;

test('diffs, comparisons and changes of merge requests that were never asked for start no process after the first', async (t) => {
  // The server of another test has looked for git already.
  await runGit(['--version']);
  const started = startedGit(t);
  const app = await buildTestApp();
  t.after(() => app.close());
  const project = await app.make.project({});
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const commits = Array.from({ length: BRANCHES }, (_, at) => {
    return git.commit(`topic-${at}`, { 'a.txt': `changed ${at}\n`, [`new/${at}`]: `${at}\n` }, { start: base });
  });
  git.commit('main', { 'b.txt': 'moved on\n' });
  const at = `/projects/${project.id}`;
  const iids: number[] = [];
  for (const number of commits.keys()) {
    iids.push((await makeMergeRequest(app, project, { source_branch: `topic-${number}` })).iid);
  }
  const paths = (number: number) => [
    `${at}/repository/commits/${commits[number]}`,
    `${at}/repository/commits/${commits[number]}/diff`,
    `${at}/repository/compare?from=main&to=topic-${number}`,
    `${at}/repository/compare?from=topic-${number}&to=main&straight=true`,
    `${at}/merge_requests/${iids[number]}/diffs`,
    `${at}/merge_requests/${iids[number]}/changes`,
    `${at}/merge_requests/${iids[number]}/versions`,
    `${at}/repository/commits?with_stats=true&ref_name=topic-${number}`,
  ];
  // What was made here was made by git, too.
  started();
  for (const path of paths(0)) assert.equal((await app.get(path)).statusCode, 200, path);
  assert.notDeepEqual(started(), []);
  for (const number of commits.keys()) {
    if (number === 0) continue;
    for (const path of paths(number)) {
      assert.equal((await app.get(path)).statusCode, 200, path);
      assert.deepEqual(started(), [], path);
    }
  }
});
