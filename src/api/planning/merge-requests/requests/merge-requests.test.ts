import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Shown {
  id: number;
  iid: number;
  [key: string]: unknown;
}

const pathOf = (project: Project, rest = '') => `/projects/${project.id}/merge_requests${rest}`;
const errorOf = (body: { message?: unknown }) => body.message;

/** A project with `main` and the branch `topic`, two commits ahead of it. */
async function seeded(options: Parameters<TestApp['make']['project']>[0] = {}) {
  const project = await app.make.project(options);
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('topic', { 'b.txt': 'two\n' }, { start: base });
  const head = git.commit('topic', { 'b.txt': 'three\n' });
  return { project, git, base, head };
}

async function create(project: Project, json: object = {}, token?: string): Promise<Shown> {
  const body = { title: 'A change', source_branch: 'topic', target_branch: 'main', ...json };
  return expectStatus<Shown>(await app.post(pathOf(project), { json: body, ...(token ? { token } : {}) }), 201);
}

const note = async (id: number) => {
  const rows = await app.deps.db
    .selectFrom('notes')
    .select('note')
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ note }) => note);
};

test('POST makes a merge request that is checked already, and records it', async () => {
  const { project, base, head } = await seeded();
  const made = await create(project, { description: '- [x] done\n- [ ] open', labels: 'bug,ui', squash: true });
  assert.deepEqual(
    [
      made.iid,
      made.state,
      made.sha,
      made.merge_status,
      made.detailed_merge_status,
      made.labels,
      made.draft,
      made.squash,
    ],
    [1, 'opened', head, 'can_be_merged', 'mergeable', ['bug', 'ui'], false, true],
  );
  assert.deepEqual(made.diff_refs, { base_sha: base, head_sha: head, start_sha: base });
  assert.equal(made.changes_count, '1');
  assert.deepEqual(made.task_completion_status, { count: 2, completed_count: 1 });
  assert.deepEqual(made.references, { short: '!1', relative: '!1', full: `${project.full_path}!1` });
  assert.equal((made.user as { can_merge: boolean }).can_merge, true);
  assert.deepEqual(expectStatus(await app.get(pathOf(project, '/1')), 200), made);
  const events = await app.deps.db
    .selectFrom('domain_events')
    .select('type')
    .where('project_id', '=', project.id)
    .execute();
  assert.ok(events.some(({ type }) => type === 'merge_request.created'));
});

test('POST refuses what leads nowhere, with the texts of the platform', async () => {
  const { project } = await seeded();
  const post = (json: object) => app.post(pathOf(project), { json });
  const full = { title: 'x', source_branch: 'topic', target_branch: 'main' };
  assert.equal(
    errorOf(expectStatus(await post({ title: 'x' }), 400)),
    'source_branch is missing, target_branch is missing',
  );
  assert.equal(errorOf(expectStatus(await post({ ...full, title: '  ' }), 400)), "title can't be blank");
  assert.equal(
    errorOf(expectStatus(await post({ ...full, source_branch: 'none' }), 400)),
    'source_branch does not exist',
  );
  assert.equal(
    errorOf(expectStatus(await post({ ...full, target_branch: '--no' }), 400)),
    'target_branch does not exist',
  );
  assert.equal(
    errorOf(expectStatus(await post({ ...full, source_branch: 'main' }), 422)),
    "You can't use same project/branch for source and target",
  );
  assert.equal(
    errorOf(expectStatus(await post({ ...full, title: 'x'.repeat(256) }), 400)),
    'title is too long (maximum is 255 characters)',
  );
  const other = await app.make.project();
  assert.equal(
    errorOf(expectStatus(await post({ ...full, target_project_id: other.id }), 422)),
    'Source project is not a fork of the target project',
  );
  expectStatus(await post({ ...full, target_project_id: 999_999 }), 404);
  expectStatus(await post(full), 201);
  assert.equal(
    errorOf(expectStatus(await post(full), 409)),
    'Another open merge request already exists for this source branch: !1',
  );
});

test('POST at the same time gives each a number of its own, and one branch pair to one of them only', async () => {
  const { project, git, base } = await seeded();
  for (const name of ['a', 'b', 'c', 'd']) git.commit(name, { [`${name}.txt`]: name }, { start: base });
  const posts = ['a', 'b', 'c', 'd', 'a', 'b'].map((source_branch) =>
    app.post(pathOf(project), { json: { title: source_branch, source_branch, target_branch: 'main' } }),
  );
  const answers = await Promise.all(posts);
  const made = answers.filter(({ statusCode }) => statusCode === 201).map((response) => response.json<Shown>().iid);
  assert.deepEqual(made.sort(), [1, 2, 3, 4]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 201, 201, 201, 409, 409]);
});

test('POST is for those who may push to the source and may ask in the target', async () => {
  const { project } = await seeded({ visibility: 'public' });
  const { guest, reporter, developer, stranger } = await app.make.members(project);
  const json = { title: 'x', source_branch: 'topic', target_branch: 'main' };
  expectStatus(await app.post(pathOf(project), { json, token: null }), 401);
  for (const { token } of [guest, reporter, stranger])
    expectStatus(await app.post(pathOf(project), { json, token }), 403);
  const readOnly = await app.make.token(developer.user.id, ['read_api']);
  expectStatus(await app.post(pathOf(project), { json, token: readOnly }), 403);
  expectStatus(await app.post(pathOf(project), { json, token: developer.token }), 201);
});

test('POST from a fork: the author needs no rights in the target, and gets none over its labels', async () => {
  const { project, git } = await seeded({ visibility: 'public' });
  const { user, token } = await app.make.user();
  const fork = await app.make.project({
    owner: user,
    visibility: 'public',
    columns: { forked_from_id: project.id, fork_root_id: project.id },
  });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  const head = forkGit.commit('change', { 'c.txt': 'from afar\n' });
  const json = { source_branch: 'change', target_project_id: project.id, labels: 'bug', allow_collaboration: true };
  const made = await create(fork, json, token);
  assert.deepEqual(
    [made.project_id, made.source_project_id, made.target_project_id, made.sha, made.labels, made.allow_collaboration],
    [project.id, fork.id, project.id, head, [], true],
  );
  assert.equal(made.first_contribution, true);
  assert.equal(git.run(['rev-parse', `refs/merge-requests/${made.iid}/head`]), head);
  await app.deps.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', project.id).execute();
  const refused = await app.post(pathOf(fork), { json: { title: 'x', target_branch: 'main', ...json }, token });
  assert.equal(errorOf(expectStatus(refused, 404)), '404 Project Not Found');
  expectStatus(await app.get(pathOf(project, `/${made.iid}`), { token }), 404);
});

test('PUT changes everything and tells it', async () => {
  const { project, git, base } = await seeded();
  const { developer, guest } = await app.make.members(project);
  git.commit('release', { 'r.txt': 'r' }, { start: base });
  const made = await create(project);
  const changed = expectStatus<Shown>(
    await app.put(pathOf(project, '/1'), {
      json: {
        title: 'Draft: A change',
        description: 'said',
        target_branch: 'release',
        assignee_ids: [developer.user.id, guest.user.id],
        reviewer_ids: [developer.user.id],
        add_labels: ['new'],
        squash: true,
        discussion_locked: true,
        remove_source_branch: true,
        merge_after: '2030-01-01T00:00:00Z',
      },
    }),
    200,
  );
  assert.deepEqual(
    [
      changed.title,
      changed.draft,
      changed.description,
      changed.target_branch,
      changed.labels,
      changed.discussion_locked,
    ],
    ['Draft: A change', true, 'said', 'release', ['new'], true],
  );
  assert.deepEqual(
    (changed.assignees as { id: number }[]).map(({ id }) => id),
    [developer.user.id],
  );
  assert.equal((changed.reviewers as { id: number }[])[0]?.id, developer.user.id);
  assert.equal((changed.diff_refs as { start_sha: string }).start_sha, git.run(['rev-parse', 'refs/heads/release']));
  assert.deepEqual(
    [changed.squash, changed.force_remove_source_branch, changed.merge_after],
    [true, true, '2030-01-01T00:00:00.000Z'],
  );
  const notes = await note(made.id);
  assert.ok(notes.includes('marked this merge request as **draft**'));
  assert.ok(notes.includes('changed target branch from `main` to `release`'));
  assert.ok(notes.includes(`requested review from @${developer.user.username}`));
  const renamed = expectStatus<Shown>(
    await app.put(pathOf(project, '/1'), { json: { title: 'Ready', remove_labels: 'new' } }),
    200,
  );
  assert.deepEqual([renamed.draft, renamed.labels], [false, []]);
  expectStatus(await app.put(pathOf(project, '/1'), { json: {} }), 400);
  expectStatus(await app.put(pathOf(project, '/1'), { json: { target_branch: 'none' } }), 400);
  expectStatus(await app.put(pathOf(project, '/1'), { json: { target_branch: 'topic' } }), 422);
});

test('PUT closes and opens again, with what was pushed meanwhile as the head', async () => {
  const { project, git } = await seeded();
  const made = await create(project);
  const closed = expectStatus<Shown>(await app.put(pathOf(project, '/1'), { json: { state_event: 'close' } }), 200);
  assert.deepEqual([closed.state, closed.detailed_merge_status], ['closed', 'not_open']);
  assert.equal((closed.closed_by as { id: number }).id, 1);
  await create(project, { title: 'Again' });
  const again = await app.put(pathOf(project, '/1'), { json: { state_event: 'reopen' } });
  assert.equal(
    errorOf(expectStatus(again, 409)),
    'Another open merge request already exists for this source branch: !2',
  );
  expectStatus(await app.put(pathOf(project, '/2'), { json: { state_event: 'close' } }), 200);
  const head = git.commit('topic', { 'd.txt': 'later\n' });
  const opened = expectStatus<Shown>(await app.put(pathOf(project, '/1'), { json: { state_event: 'reopen' } }), 200);
  assert.deepEqual(
    [opened.state, opened.sha, opened.closed_at, opened.merge_status],
    ['opened', head, null, 'can_be_merged'],
  );
  assert.deepEqual(await note(made.id), ['closed', 'reopened']);
});

test('PUT is for Developers, the author and assignees', async () => {
  const { project } = await seeded({ visibility: 'public' });
  const { guest, reporter, developer, stranger, maintainer } = await app.make.members(project);
  await create(project, { assignee_id: reporter.user.id }, developer.token);
  const json = { title: 'Mine' };
  expectStatus(await app.put(pathOf(project, '/1'), { json, token: null }), 401);
  for (const { token } of [guest, stranger]) expectStatus(await app.put(pathOf(project, '/1'), { json, token }), 403);
  for (const { token } of [reporter, developer, maintainer]) {
    expectStatus(await app.put(pathOf(project, '/1'), { json, token }), 200);
  }
  const byAssignee = { json: { labels: 'x', description: 'd' }, token: reporter.token };
  assert.deepEqual(expectStatus(await app.put(pathOf(project, '/1'), byAssignee), 200).labels, []);
});

test('GET hides merge requests of projects and features that are closed to the caller', async () => {
  const { project } = await seeded();
  await create(project);
  const { guest, reporter, stranger } = await app.make.members(project);
  for (const token of [null, stranger.token]) expectStatus(await app.get(pathOf(project, '/1'), { token }), 404);
  expectStatus(await app.get(pathOf(project, '/1'), { token: guest.token }), 403);
  expectStatus(await app.get(pathOf(project, '/1'), { token: reporter.token }), 200);
  expectStatus(await app.get(pathOf(project, '/2')), 404);
  const html = expectStatus<Shown>(
    await app.get(pathOf(project, '/1'), {
      query: { render_html: true, include_rebase_in_progress: true, include_diverged_commits_count: true },
    }),
    200,
  );
  assert.deepEqual([html.title_html, html.rebase_in_progress, html.diverged_commits_count], ['A change', false, 0]);
  await app.put(pathOf(project, '/1'), { json: { description: '*Why* !1' } });
  const rich = expectStatus<Shown>(await app.get(pathOf(project, '/1'), { query: { render_html: true } }), 200);
  assert.match(
    String(rich.description_html),
    /^<p [^>]*><em>Why<\/em> <a href="[^"]*\/-\/merge_requests\/1"[^>]*>!1<\/a><\/p>$/,
  );
});

test('DELETE is for owners, minds If-Unmodified-Since and takes the head with it', async () => {
  const { project, git } = await seeded();
  const made = await create(project);
  const { maintainer, owner } = await app.make.members(project);
  expectStatus(await app.delete(pathOf(project, '/1'), { token: maintainer.token }), 403);
  const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' };
  expectStatus(await app.delete(pathOf(project, '/1'), { token: owner.token, headers }), 412);
  expectStatus(await app.delete(pathOf(project, '/1'), { token: owner.token }), 204);
  expectStatus(await app.get(pathOf(project, '/1')), 404);
  await app.drain();
  assert.equal(git.run(['for-each-ref', 'refs/merge-requests']), '');
  assert.deepEqual(await note(made.id), []);
});

test('times, subscriptions and participants work as those of issues', async () => {
  const { project } = await seeded({ visibility: 'public' });
  await create(project);
  const { reporter, developer } = await app.make.members(project);
  const { token } = developer;
  const post = (rest: string, json: object = {}, as = token) =>
    app.post(pathOf(project, `/1/${rest}`), { json, token: as });
  assert.equal(expectStatus(await post('time_estimate', { duration: '1d 2h' }), 200).human_time_estimate, '1d 2h');
  assert.equal(expectStatus(await post('add_spent_time', { duration: '30m' }), 201).total_time_spent, 1_800);
  expectStatus(await post('add_spent_time', { duration: '1h' }, reporter.token), 403);
  assert.equal(
    expectStatus(await app.get(pathOf(project, '/1/time_stats'), { token: null }), 200).time_estimate,
    36_000,
  );
  assert.equal(expectStatus<Shown>(await post('subscribe'), 201).subscribed, true);
  assert.equal((await post('subscribe')).statusCode, 304);
  assert.equal(expectStatus<Shown>(await post('unsubscribe'), 201).subscribed, false);
  const people = expectStatus<{ id: number }[]>(await app.get(pathOf(project, '/1/participants')), 200);
  assert.deepEqual(
    people.map(({ id }) => id),
    [1],
  );
});

test('assignees and reviewers are taken as a bare number, and away by 0, null or an empty list', async () => {
  const { project } = await seeded();
  const { developer } = await app.make.members(project);
  const people = ({ assignees, reviewers }: Shown) =>
    [assignees, reviewers].map((each) => (each as { id: number }[]).map(({ id }) => id));
  const { id } = developer.user;
  const made = await create(project, { assignee_ids: id, reviewer_ids: id, labels: 'one' });
  const put = async (json: object) =>
    expectStatus<Shown>(await app.put(pathOf(project, `/${made.iid}`), { json }), 200);
  assert.deepEqual(people(made), [[id], [id]]);
  for (const none of [0, null, [], [0]]) {
    assert.deepEqual(people(await put({ assignee_ids: id, reviewer_ids: id })), [[id], [id]]);
    assert.deepEqual(people(await put({ assignee_ids: none, reviewer_ids: none })), [[], []], JSON.stringify(none));
  }
  assert.deepEqual((await put({ labels: null })).labels, []);
});
