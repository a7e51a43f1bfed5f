import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { beforeTransaction, meanwhile } from '../../../test/support/meanwhile.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import type { Project } from '../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Scene {
  project: Project;
  git: ProjectGit;
  me: TestUser;
  at: string;
  side: string;
}

/** A project with `main`, and `side` with one commit more, both made before any rule. */
async function scene(): Promise<Scene> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1\n' });
  const side = git.commit('side', { id_rsa: 's\n' }, { start: base, message: 'side' });
  const tree = git.run(['mktree'], `160000 commit ${PART}\tpart\n`);
  git.run(['update-ref', 'refs/heads/modules', git.run(['commit-tree', '-m', 'modules', tree])]);
  const me = await app.make.user();
  await app.make.member({ project }, me.user, 40);
  return { project, git, me, at: `/projects/${project.id}`, side };
}

async function setRule({ at }: Scene, json: Json): Promise<void> {
  await app.delete(`${at}/push_rule`);
  expectStatus(await app.post(`${at}/push_rule`, { json }), 201);
}
const token = ({ me }: Scene) => ({ token: me.token });
const refsOf = ({ git }: Scene): string => git.run(['for-each-ref', 'refs/heads', 'refs/tags']);
const create = (made: Scene, path: string, more: Json = {}) =>
  app.post(`${made.at}/repository/commits`, {
    ...token(made),
    json: {
      branch: 'main',
      commit_message: 'new',
      actions: [{ action: 'create', file_path: path, content: 'x' }],
      ...more,
    },
  });
/** The message of a refusal that changes nothing. */
async function refusal(made: Scene, send: (made: Scene) => ReturnType<TestApp['request']>, status = 400) {
  const before = refsOf(made);
  const { message } = expectStatus<Json>(await send(made), status);
  assert.equal(refsOf(made), before);
  return String(message);
}

const PART = '1'.repeat(40);

/** Everything by which a commit comes through the API. */
const WRITES: Record<string, (made: Scene) => ReturnType<TestApp['request']>> = {
  'a commit': (made) => create(made, 'new'),
  'a new file': (made) =>
    app.post(`${made.at}/repository/files/new`, {
      ...token(made),
      json: { branch: 'main', commit_message: 'x', content: 'x' },
    }),
  'a changed file': (made) =>
    app.put(`${made.at}/repository/files/a`, {
      ...token(made),
      json: { branch: 'main', commit_message: 'x', content: 'x' },
    }),
  'a deleted file': (made) =>
    app.delete(`${made.at}/repository/files/a`, { ...token(made), json: { branch: 'main', commit_message: 'x' } }),
  'a cherry-pick': (made) =>
    app.post(`${made.at}/repository/commits/${made.side}/cherry_pick`, { ...token(made), json: { branch: 'main' } }),
  'a changelog': (made) =>
    app.post(`${made.at}/repository/changelog`, {
      ...token(made),
      json: {
        version: '1.0.0',
        branch: 'main',
        from: made.git.run(['rev-parse', 'main']),
        to: made.side,
        message: 'new',
      },
    }),
  'a moved submodule': (made) =>
    app.put(`${made.at}/repository/submodules/part`, {
      ...token(made),
      json: { branch: 'modules', commit_sha: '2'.repeat(40), commit_message: 'new' },
    }),
  'a revert': (made) =>
    app.post(`${made.at}/repository/commits/${made.side}/revert`, { ...token(made), json: { branch: 'side' } }),
};

const STATUS: Readonly<Record<string, number>> = {
  'a changed file': 200,
  'a deleted file': 204,
  'a changelog': 200,
  'a moved submodule': 200,
};

/** What stands around the words of the rule. */
const REFUSED: Readonly<Record<string, { status: number; before: string }>> = {
  'a changelog': { status: 422, before: 'Failed to generate the changelog: ' },
};

describe('commits through the API', () => {
  for (const [name, write] of Object.entries(WRITES)) {
    test(`${name} is held to the rule, in its words`, async () => {
      const made = await scene();
      await setRule(made, { commit_message_regex: 'JIRA-\\d+' });
      const { status, before } = REFUSED[name] ?? { status: 400, before: '' };
      const reason = "Commit message does not follow the pattern 'JIRA-\\d+'";
      assert.equal(await refusal(made, write, status), before + reason);
      await setRule(made, { commit_message_regex: 'x|side|new' });
      expectStatus(await write(made), STATUS[name] ?? 201);
    });

    test(`${name} is refused where the rule comes after it was looked at`, async () => {
      const made = await scene();
      meanwhile(app, async () => beforeTransaction(app, () => setRule(made, { deny_delete_tag: true })));
      const { status, before } = REFUSED[name] ?? { status: 400, before: '' };
      const reason = 'The push rules were changed meanwhile. Please try again.';
      assert.equal(await refusal(made, write, status), before + reason);
    });
  }

  test('names and sizes of files, addresses and names of people, branches: each by its rule', async () => {
    const made = await scene();
    const { user } = made.me;
    for (const [rule, path, more, reason] of [
      [{ prevent_secrets: true }, 'x/.id_rsa', {}, /File name 'x\/\.id_rsa' was prohibited by the pattern/],
      [{ file_name_regex: '\\.exe$' }, 'a.exe', {}, /File name 'a\.exe' was prohibited by the pattern '\\\.exe\$'/],
      [{ author_email_regex: '@good$' }, 'b', { author_email: 'x@bad' }, /email '.*' does not follow the pattern/],
      [{ member_check: true }, 'b', { author_email: 'x@bad' }, /Author 'x@bad' is not a member of team/],
      [{ commit_committer_name_check: true }, 'b', { author_name: 'Else' }, /'Else' instead of 'Name of/],
      [{ reject_non_dco_commits: true }, 'b', {}, /must contain a DCO signoff/],
      [{ commit_message_negative_regex: 'new' }, 'b', {}, /contains the forbidden pattern 'new'/],
      [{ branch_name_regex: '^f/' }, 'b', { branch: 'x', start_branch: 'main' }, /Branch name 'x' does not follow/],
    ] as const) {
      await setRule(made, rule);
      assert.match(await refusal(made, () => create(made, path, more)), reason);
    }
    await setRule(made, { max_file_size: 1 });
    const large = [{ action: 'create', file_path: 'large', content: 'x'.repeat(1024 * 1024 + 1) }];
    const reason = await refusal(made, () => create(made, 'b', { actions: large }));
    assert.equal(reason, "File 'large' is larger than the allowed size of 1 MiB. Use Git LFS to manage this file.");
    const rule = {
      prevent_secrets: true,
      max_file_size: 1,
      member_check: true,
      commit_committer_check: true,
      commit_committer_name_check: true,
      author_email_regex: user.email,
      branch_name_regex: 'never',
    };
    await setRule(made, rule);
    expectStatus(await create(made, 'fine', { commit_message: 'x' }), 201);
    await app.deps.db.updateTable('users').set({ confirmed_at: null }).where('id', '=', user.id).execute();
    const unverified = await refusal(made, () => create(made, 'fine2'));
    assert.equal(unverified, `Committer email '${user.email}' is not verified.`);
  });
});

describe('branches and tags through the API', () => {
  test('a new branch is called as the rule wants, and brings no commit that was not looked at', async () => {
    const made = await scene();
    const branch = (name: string, ref: string) => () =>
      app.post(`${made.at}/repository/branches`, { ...token(made), json: { branch: name, ref } });
    const tag = (name: string, ref: string) => () =>
      app.post(`${made.at}/repository/tags`, { ...token(made), json: { tag_name: name, ref } });
    await setRule(made, { branch_name_regex: '^f/', commit_message_regex: 'good' });
    assert.equal(await refusal(made, branch('x', 'main')), "Branch name 'x' does not follow the pattern '^f/'");
    expectStatus(await branch('f/1', 'main')(), 201);
    expectStatus(await tag('v1', 'side')(), 201);
    // What only the server's own refs lead to, such as the head of a merge request from a fork.
    const hidden = made.git.commit('gone', { b: '1' }, { message: 'bad' });
    made.git.run(['update-ref', 'refs/merge-requests/7/head', hidden]);
    made.git.run(['update-ref', '-d', 'refs/heads/gone']);
    const reason = "Commit message does not follow the pattern 'good'";
    assert.equal(await refusal(made, branch('f/2', hidden)), reason);
    assert.equal(await refusal(made, tag('v2', hidden)), reason);
    const release = { tag_name: 'v3', ref: hidden, name: 'x' };
    const released = () => app.post(`${made.at}/releases`, { ...token(made), json: release });
    assert.match(await refusal(made, released), /does not follow the pattern 'good'/);
  });

  test('a tag that no push may remove goes through the API', async () => {
    const made = await scene();
    made.git.run(['tag', 'v1', 'main']);
    await setRule(made, { deny_delete_tag: true });
    expectStatus(await app.delete(`${made.at}/repository/tags/v1`, token(made)), 204);
  });
});

describe('merges', () => {
  const open = async (made: Scene, source_branch: string, more: Json = {}) => {
    const json = { source_branch, target_branch: 'main', title: 'Work', ...more };
    const path = `/projects/${(more.from as number | undefined) ?? made.project.id}/merge_requests`;
    const { iid } = expectStatus<Json>(await app.post(path, { ...token(made), json }), 201);
    await app.drain();
    return `${made.at}/merge_requests/${iid}`;
  };
  const merge = (made: Scene, path: string, json: Json = {}) => app.put(`${path}/merge`, { ...token(made), json });

  test('merge and squash commits are held to the rule, what the branch has already is not', async () => {
    const made = await scene();
    const path = await open(made, 'side');
    await setRule(made, { commit_message_regex: 'JIRA-\\d+', prevent_secrets: true });
    const reason = "Commit message does not follow the pattern 'JIRA-\\d+'";
    const refused = await refusal(made, () => merge(made, path), 422);
    assert.equal(refused, `Branch cannot be merged: ${reason}`);
    const shown = expectStatus<Json>(await app.get(path, token(made)), 200);
    assert.deepEqual([shown.state, shown.merge_error], ['opened', reason]);
    const squash = { squash: true, merge_commit_message: 'JIRA-1' };
    assert.match(await refusal(made, () => merge(made, path, squash), 422), /Commit message does not follow/);
    // A squash commit brings the file anew.
    const both = { ...squash, squash_commit_message: 'JIRA-2' };
    assert.match(await refusal(made, () => merge(made, path, both), 422), /File name 'id_rsa' was prohibited/);
    const merged = expectStatus<Json>(await merge(made, path, { merge_commit_message: 'JIRA-1' }), 200);
    assert.deepEqual([merged.state, merged.merge_error], ['merged', null]);
  });

  test('what comes from a fork is held to the rule of the target, but need not be by who merges', async () => {
    const made = await scene();
    const columns = { forked_from_id: made.project.id, fork_root_id: made.project.id, visibility: 'public' } as const;
    const fork = await app.make.project({ columns });
    await app.make.member({ project: fork }, made.me.user, 40);
    const theirs = new ProjectGit(app, fork);
    theirs.run(['fetch', '--quiet', made.git.dir, 'refs/heads/main:refs/heads/main']);
    theirs.commit('work', { 'b.exe': '1' }, { start: theirs.run(['rev-parse', 'main']), message: 'theirs' });
    const path = await open(made, 'work', { from: fork.id, target_project_id: made.project.id });
    await setRule(made, { file_name_regex: '\\.exe$' });
    assert.match(await refusal(made, () => merge(made, path), 422), /File name 'b\.exe' was prohibited/);
    await setRule(made, { commit_message_regex: 'Merge' });
    assert.match(await refusal(made, () => merge(made, path), 422), /Commit message does not follow/);
    await setRule(made, { reject_unsigned_commits: true });
    assert.match(await refusal(made, () => merge(made, path), 422), /Commit must be signed/);
    await setRule(made, { member_check: true });
    assert.match(await refusal(made, () => merge(made, path), 422), /'.*@example\.com' is not a member of team/);
    await setRule(made, { commit_committer_check: true, commit_committer_name_check: true });
    expectStatus(await merge(made, path), 200);
  });

  test('a rule that comes while a merge waits for its turn refuses it', async () => {
    const made = await scene();
    const path = await open(made, 'side');
    meanwhile(app, () => setRule(made, { commit_message_regex: 'JIRA' }));
    assert.match(await refusal(made, () => merge(made, path), 422), /The push rules were changed meanwhile/);
  });

  test('a rebase is held to the rule of the source project, and says why it failed', async () => {
    const made = await scene();
    made.git.commit('main', { c: '1' }, { message: 'upstream' });
    const path = await open(made, 'side');
    await setRule(made, { commit_message_regex: 'JIRA' });
    const before = refsOf(made);
    expectStatus(await app.put(`${path}/rebase`, token(made)), 202);
    await app.drain();
    const shown = async () => expectStatus<Json>(await app.get(path, token(made)), 200);
    assert.equal((await shown()).merge_error, "Rebase failed: Commit message does not follow the pattern 'JIRA'");
    assert.equal(refsOf(made), before);
    await setRule(made, { commit_message_regex: 'side', commit_committer_check: true, reject_unsigned_commits: true });
    expectStatus(await app.put(`${path}/rebase`, token(made)), 202);
    await app.drain();
    assert.equal((await shown()).merge_error, null);
    assert.notEqual(refsOf(made), before);
  });
});
