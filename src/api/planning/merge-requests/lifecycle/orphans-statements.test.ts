import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../../test/support/app.ts';
import { GitUser } from '../../../../../test/support/git-user.ts';
import { writeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import { isOfTheCall } from '../../../../../test/support/statements.ts';

let app: TestApp;
let user: GitUser;
let seen: string[] = [];
before(async () => {
  app = await buildTestApp({
    onQuery: ({ sql }) => {
      if (isOfTheCall(sql)) seen.push(sql);
    },
  });
  user = await GitUser.of(app);
});
after(() => app.close());

/** Pushes the deletion of branches that each have an open merge request. @returns the statements until its answer, and behind it */
async function deleteBranches(count: number): Promise<{ answered: number; settled: number }> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  const head_sha = git.commit('side', { 'b.txt': 'b\n' }, { start: base });
  const branches = Array.from({ length: count }, (_, index) => `topic-${index}`);
  git.run(['update-ref', '--stdin'], branches.map((name) => `create refs/heads/${name} ${head_sha}\n`).join(''));
  for (const source_branch of branches) await writeMergeRequest(app, project, { source_branch, head_sha });
  const dir = await user.tree();
  await app.drain();
  seen = [];
  await user.ok(dir, 'push', '--quiet', user.address(project), '--delete', ...branches);
  const answered = seen.length;
  await app.drain();
  const settled = seen.length - answered;
  const states = await app.deps.db
    .selectFrom('merge_requests')
    .select((eb) => ['state', eb.fn.countAll<number>().as('many')])
    .where('project_id', '=', project.id)
    .groupBy('state')
    .execute();
  assert.deepEqual(
    states.map(({ state, many }) => [state, Number(many)]),
    [['closed', count]],
  );
  return { answered, settled };
}

/*
 * What the push itself sends where it closes merge requests in its own transaction, for each of them; and what closing one
 * later takes, with the feed, the pipelines that it keeps and the environments that it stops. Both may be lowered here.
 */
const MAX_AT_ONCE = 11;
const MAX_LATER = 28;
/** What a push sends that closes nothing. */
const MAX_OF_PUSH = 60;

test('a push that deletes many branches sends as many statements for each merge request as one that deletes few', async () => {
  const atOnce = await deleteBranches(20);
  assert.ok(atOnce.answered <= MAX_OF_PUSH + 20 * MAX_AT_ONCE, `${atOnce.answered} until the answer`);
  for (const count of [40, 400]) {
    const { answered, settled } = await deleteBranches(count);
    assert.ok(answered <= MAX_OF_PUSH, `${count} branches: ${answered} until the answer`);
    assert.ok(settled <= MAX_OF_PUSH + count * MAX_LATER, `${count} branches: ${settled} behind the answer`);
  }
});
