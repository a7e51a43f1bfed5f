import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { payloadsOf, projectShown, sentPayloadsOf } from '../../../../test/support/payloads.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { sampleEvent } from './sample.ts';

const NOTHING = '0'.repeat(40);

let app: TestApp;
let user: GitUser;
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
});
after(() => app.close());

/** A project with one commit on `main`, made through the API. */
async function started() {
  const project = await app.make.project();
  const commit = await commitFiles(app, project.id, { 'a.txt': 'a' }, { commit_message: 'First' });
  return { project, commit };
}

test('a push to a branch tells its commits with their files, the project and who pushed', async () => {
  const { project, commit: first } = await started();
  let second = first;
  const sent = await sentPayloadsOf(app, async () => {
    const actions = [
      { action: 'create', file_path: 'dir/b.txt', content: 'b' },
      { action: 'update', file_path: 'a.txt', content: 'changed' },
    ];
    second = await commitFiles(app, project.id, actions, { commit_message: 'Second\n\nWith more to say' });
  });
  const shown = projectShown(app, { ...project, namespace: 'Administrator' });
  const pushed = {
    object_kind: 'push',
    event_name: 'push',
    before: first.id,
    after: second.id,
    ref: 'refs/heads/main',
    ref_protected: true,
    checkout_sha: second.id,
    message: null,
    user_id: 1,
    user_name: 'Administrator',
    user_username: 'root',
    user_email: null,
    user_avatar: null,
    project_id: project.id,
    project: shown,
    commits: [
      {
        id: second.id,
        message: 'Second\n\nWith more to say',
        title: 'Second',
        timestamp: second.committed_date.replace(/\.\d{3}/, ''),
        url: second.web_url,
        author: { name: 'Administrator', email: 'admin@example.com' },
        added: ['dir/b.txt'],
        modified: ['a.txt'],
        removed: [],
      },
    ],
    total_commits_count: 1,
    push_options: {},
    repository: {
      name: project.name,
      url: shown.url,
      description: null,
      homepage: shown.homepage,
      git_http_url: shown.http_url,
      git_ssh_url: shown.ssh_url,
      visibility_level: 0,
    },
  };
  assert.deepEqual(sent.hooks, [
    { trigger: 'push', header: 'Push Hook', projectId: project.id, groupId: null, branch: 'main', payload: pushed },
  ]);
  const update = {
    event_name: 'repository_update',
    user_id: 1,
    user_name: 'Administrator',
    user_email: null,
    user_avatar: null,
    project_id: project.id,
    project: shown,
    changes: [{ before: first.id, after: second.id, ref: 'refs/heads/main' }],
    refs: ['refs/heads/main'],
  };
  assert.deepEqual(sent.system, [
    { trigger: 'push', header: 'System Hook', branch: 'main', payload: pushed },
    { trigger: 'repository_update', header: 'System Hook', payload: update },
  ]);
});

test('the first push to a project tells all commits, of many the newest twenty and how many there are', async () => {
  const project = await app.make.project();
  const dir = await user.tree();
  for (let at = 2; at <= 22; at += 1) await user.ok(dir, 'commit', '--allow-empty', '--message', `Commit ${at}`);
  const sent = await sentPayloadsOf(app, () => user.ok(dir, 'push', user.address(project), 'main'));
  const [payload] = payloadsOf<{ commits: { title: string }[]; total_commits_count: number }>(sent, 'push');
  assert.equal(payload!.total_commits_count, 22);
  assert.deepEqual(
    payload!.commits.map(({ title }) => title),
    Array.from({ length: 20 }, (_, at) => `Commit ${at + 3}`),
  );
});

test('a new branch tells what the default branch had not when it was made, whatever became of that since', async () => {
  const { project, commit } = await started();
  const sent = await sentPayloadsOf(app, async () => {
    await commitFiles(app, project.id, { b: 'b' }, { branch: 'side', start_branch: 'main', commit_message: 'Aside' });
    await commitFiles(app, project.id, { c: 'c' }, { commit_message: 'Main' });
    await app.post(`/projects/${project.id}/repository/branches`, { query: { branch: 'same', ref: commit.id } });
    // The default branch gets the commit, too.
    const git = new ProjectGit(app, project);
    git.run(['update-ref', 'refs/heads/main', 'refs/heads/side']);
  });
  const pushes = payloadsOf<{ ref: string; before: string; commits: { title: string }[] }>(sent, 'push');
  assert.deepEqual(
    pushes.map(({ ref, before, commits }) => [ref, before === NOTHING, commits.map(({ title }) => title)]),
    [
      ['refs/heads/side', true, ['Aside']],
      ['refs/heads/main', false, ['Main']],
      ['refs/heads/same', true, []],
    ],
  );
});

test('a branch that is deleted has no commit to check out', async () => {
  const { project } = await started();
  await app.post(`/projects/${project.id}/repository/branches`, { query: { branch: 'gone', ref: 'main' } });
  const sent = await sentPayloadsOf(app, () => app.delete(`/projects/${project.id}/repository/branches/gone`));
  const [payload] = payloadsOf(sent, 'push');
  const { after: now, checkout_sha, commits, total_commits_count, ref_protected } = payload!;
  assert.deepEqual(
    { now, checkout_sha, commits, total_commits_count, ref_protected },
    { now: NOTHING, checkout_sha: null, commits: [], total_commits_count: 0, ref_protected: false },
  );
});

test('a tag tells its message and the commit that it is on', async () => {
  const { project, commit } = await started();
  const query = { tag_name: 'v1', ref: 'main', message: 'The first\nof all' };
  const sent = await sentPayloadsOf(app, () => app.post(`/projects/${project.id}/repository/tags`, { query }));
  assert.deepEqual(
    sent.hooks.map(({ trigger, header, branch }) => ({ trigger, header, branch })),
    [{ trigger: 'tag_push', header: 'Tag Push Hook', branch: undefined }],
  );
  const { commits, after: now, ...payload } = sent.hooks[0]!.payload as { commits: { id: string }[]; after: string };
  assert.deepEqual(
    commits.map(({ id }) => id),
    [commit.id],
  );
  assert.notEqual(now, commit.id);
  assert.deepEqual(
    { ...payload, project: null, repository: null },
    {
      object_kind: 'tag_push',
      event_name: 'tag_push',
      before: NOTHING,
      ref: 'refs/tags/v1',
      ref_protected: false,
      checkout_sha: commit.id,
      message: 'The first\nof all',
      user_id: 1,
      user_name: 'Administrator',
      user_username: 'root',
      user_email: null,
      user_avatar: null,
      project_id: project.id,
      project: null,
      total_commits_count: 1,
      push_options: {},
      repository: null,
    },
  );
});

test('of a push of more branches than the setting says only system hooks are told, once', async () => {
  const project = await app.make.project();
  const dir = await user.tree();
  for (const name of ['a', 'b', 'c', 'd']) await user.ok(dir, 'branch', name);
  await user.ok(dir, 'tag', 'v1');
  const push = ['push', user.address(project), 'a', 'b', 'c', 'd', 'v1'];
  const { hooks, system } = await sentPayloadsOf(app, () => user.ok(dir, ...push));
  assert.deepEqual(
    hooks.map(({ trigger }) => trigger),
    ['tag_push'],
  );
  assert.deepEqual(
    system.map(({ trigger }) => trigger),
    ['tag_push', 'repository_update'],
  );
  assert.equal((system[1]!.payload.refs as string[]).length, 5);
  expectStatus(await app.put('/application/settings', { query: { push_event_hooks_limit: 4 } }), 200);
  for (const name of ['e', 'f', 'g', 'h']) await user.ok(dir, 'branch', name);
  const sent = await sentPayloadsOf(app, () => user.ok(dir, 'push', user.address(project), 'e', 'f', 'g', 'h'));
  assert.equal(payloadsOf(sent, 'push').length, 4);
  expectStatus(await app.put('/application/settings', { query: { push_event_hooks_limit: 3 } }), 200);
});

test('the options of a push are told by their areas', async () => {
  const project = await app.make.project();
  const dir = await user.tree();
  const options = ['-o', 'ci.skip', '-o', 'mr.label=one', '-o', 'mr.label=two', '-o', 'ci.variable=A=b', '-o', 'x'];
  const sent = await sentPayloadsOf(app, () => user.ok(dir, 'push', ...options, user.address(project), 'main'));
  assert.deepEqual(payloadsOf(sent, 'push')[0]!.push_options, {
    ci: { skip: true, variable: { 'A=b': 1 } },
    merge_request: { label: { one: 1, two: 1 } },
  });
});

test('an address that a user shows to everybody is told', async () => {
  const pusher = await app.make.user({ columns: { public_email: 'shown@example.org' } });
  const project = await app.make.project({ owner: pusher.user });
  const dir = await user.tree();
  const sent = await sentPayloadsOf(app, () => user.ok(dir, 'push', user.address(project, pusher.token), 'main'));
  const { user_email, user_id } = payloadsOf(sent, 'push')[0]!;
  assert.deepEqual({ user_email, user_id }, { user_email: 'shown@example.org', user_id: pusher.user.id });
});

test('tests of hooks take the last commits and the last tag', async () => {
  const { project, commit } = await started();
  const place = { projectId: project.id };
  const push = await sampleEvent(app.deps, place, 'push', 1);
  assert.equal(push.payload.after, commit.id);
  assert.equal((push.payload.commits as unknown[]).length, 1);
  assert.equal((await sampleEvent(app.deps, place, 'tag_push', 1)).payload.ref, 'refs/tags/v1.0.0');
  await app.post(`/projects/${project.id}/repository/tags`, { query: { tag_name: 'v2', ref: 'main' } });
  assert.equal((await sampleEvent(app.deps, place, 'tag_push', 1)).payload.ref, 'refs/tags/v2');
  const empty = await app.make.project();
  await assert.rejects(sampleEvent(app.deps, { projectId: empty.id }, 'push', 1), {
    status: 422,
    message: 'Ensure the project has at least one commit.',
  });
});
