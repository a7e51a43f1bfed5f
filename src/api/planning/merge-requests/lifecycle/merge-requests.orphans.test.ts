import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { auditOf } from '../../../../../test/support/audit-trail.ts';
import { makeMergeRequest, reloadMergeRequest, writeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { payloadsOf, sentPayloadsOf } from '../../../../../test/support/payloads.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import { changeRefs, inRepositoryQueue } from '../../../../repositories/change-refs.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { closeOrphans } from './merge-requests.orphans.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Hook {
  object_attributes: { action: string; state: string; iid: number };
}

/** A project, a fork of it with an owner, and an open merge request from a branch of the fork. */
async function forked() {
  const project = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  const author = await app.make.user();
  const columns = { forked_from_id: project.id, fork_root_id: project.id };
  const fork = await app.make.project({ owner: author.user, visibility: 'public', columns });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  forkGit.commit('change', { 'c.txt': 'from afar\n' });
  const row = await makeMergeRequest(app, project, {
    source_project_id: fork.id,
    source_branch: 'change',
    author_id: author.user.id,
  });
  const path = `/projects/${project.id}/merge_requests/${row.iid}`;
  return { project, git, fork, forkGit, author, row, path };
}

async function own() {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('topic', { 'b.txt': 'b\n' }, { start: base });
  const row = await makeMergeRequest(app, project, { source_branch: 'topic' });
  return { project, git, base, row, path: `/projects/${project.id}/merge_requests/${row.iid}` };
}

const stateOf = async (row: MergeRequest) => (await reloadMergeRequest(app, row)).state;

const notesOf = ({ id }: MergeRequest) =>
  app.deps.db
    .selectFrom('notes')
    .select(['note', 'author_id'])
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', id)
    .where('system_action', '=', 'closed')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row })));

const eventsOf = async (path: string) =>
  expectStatus<{ state: string; user: { id: number } | null }[]>(
    await app.get(`${path}/resource_state_events`),
    200,
  ).map(({ state, user }) => [state, user?.id ?? null]);

describe('a merge request whose source branch is deleted', () => {
  test('is closed with event, note and hook, in the name of who deleted it', async () => {
    const { project, row, path } = await own();
    const { developer } = await app.make.members(project);
    const sentPayloads = await sentPayloadsOf(app, async () =>
      expectStatus(
        await app.delete(`/projects/${project.id}/repository/branches/topic`, { token: developer.token }),
        204,
      ),
    );
    const shown = expectStatus<{ state: string; closed_by: { id: number }; detailed_merge_status: string }>(
      await app.get(path),
      200,
    );
    assert.deepEqual(
      [shown.state, shown.closed_by.id, shown.detailed_merge_status],
      ['closed', developer.user.id, 'not_open'],
    );
    assert.deepEqual(await notesOf(row), [{ note: 'closed', author_id: developer.user.id }]);
    assert.deepEqual(await eventsOf(path), [['closed', developer.user.id]]);
    assert.deepEqual(
      payloadsOf<Hook>(sentPayloads, 'merge_requests').map(({ object_attributes: { action, state } }) => [
        action,
        state,
      ]),
      [['close', 'closed']],
    );
  });

  test('loses its automatic merge and keeps its approvals', async () => {
    const { project, row, path } = await own();
    const { maintainer, owner } = await app.make.members(project);
    const rule = { name: 'r', approvals_required: 1, user_ids: [owner.user.id] };
    expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
    expectStatus(await app.post(`${path}/approve`, { token: maintainer.token }), 201);
    expectStatus(await app.put(`${path}/merge`, { json: { auto_merge: true } }), 200);
    expectStatus(await app.delete(`/projects/${project.id}/repository/branches/topic`), 204);
    await app.drain();
    const now = await reloadMergeRequest(app, row);
    assert.deepEqual([now.state, now.auto_merge], ['closed', 0]);
    const { approved_by } = expectStatus<{ approved_by: unknown[] }>(await app.get(`${path}/approvals`), 200);
    assert.equal(approved_by.length, 1);
  });

  test('is not opened again as long as the branch is not there', async () => {
    const { project, git, base, row, path } = await own();
    expectStatus(await app.delete(`/projects/${project.id}/repository/branches/topic`), 204);
    const reopen = () => app.put(path, { json: { state_event: 'reopen' } });
    const refused = expectStatus<{ message: string }>(await reopen(), 400);
    assert.equal(refused.message, 'source_branch does not exist');
    assert.equal(await stateOf(row), 'closed');
    git.commit('topic', { 'b.txt': 'again\n' }, { start: base });
    expectStatus(await reopen(), 200);
    assert.equal(await stateOf(row), 'opened');
  });

  test('is not closed when the branch is there again by then', async () => {
    const { project, git, row } = await own();
    await inRepositoryQueue(app.deps, project, (repo) =>
      changeRefs(app.deps, repo, {
        holder: ofProject(project),
        userId: 1,
        updates: [{ ref: 'refs/heads/topic', old: row.head_sha!, new: null }],
        via: 'git',
        pushOptions: [],
        // The observers look at it after the refs have moved.
        guard: async () => {
          const resolve = repo.refs.resolve.bind(repo.refs);
          let gone = false;
          repo.refs.resolve = async (ref) => {
            const oid = await resolve(ref);
            if (ref !== 'refs/heads/topic' || oid !== null || gone) return oid;
            gone = true;
            git.run(['update-ref', 'refs/heads/topic', row.head_sha!]);
            repo.refs.resolve = resolve;
            return resolve(ref);
          };
        },
      }),
    );
    assert.equal(await stateOf(row), 'opened');
  });

  test('stays open where only its target branch is deleted', async () => {
    const { project, git, base } = await own();
    git.commit('next', { 'n.txt': 'n\n' }, { start: base });
    const row = await makeMergeRequest(app, project, { source_branch: 'topic', target_branch: 'next' });
    expectStatus(await app.delete(`/projects/${project.id}/repository/branches/next`), 204);
    await app.drain();
    const now = await reloadMergeRequest(app, row);
    assert.deepEqual([now.state, now.target_branch], ['opened', 'next']);
    const path = `/projects/${project.id}/merge_requests/${row.iid}`;
    assert.ok((await app.put(`${path}/merge`)).statusCode >= 400);
  });

  test('is closed with hundreds of others by a bounded transaction and jobs after it', async () => {
    const { project, git, row } = await own();
    const branches = Array.from({ length: 300 }, (_, n) => `many-${n}`);
    const input = branches.map((name) => `create refs/heads/${name} ${row.head_sha}\n`).join('');
    git.run(['update-ref', '--stdin'], Buffer.from(input));
    const rows: MergeRequest[] = [];
    for (const source_branch of branches) {
      rows.push(await writeMergeRequest(app, project, { source_branch, head_sha: row.head_sha }));
    }
    const updates = branches.map((name) => ({ ref: `refs/heads/${name}`, old: row.head_sha!, new: null }));
    await inRepositoryQueue(app.deps, project, (repo) =>
      changeRefs(app.deps, repo, {
        holder: ofProject(project),
        userId: 1,
        updates,
        via: 'git',
        pushOptions: [],
        guard: async () => {},
      }),
    );
    const jobs = await app.deps.db
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', 'merge_requests.close_orphans')
      .execute();
    assert.ok(jobs.length <= 3);
    await app.drain();
    const open = await app.deps.db
      .selectFrom('merge_requests')
      .select('id')
      .where('project_id', '=', project.id)
      .where('state', '=', 'opened')
      .execute();
    assert.deepEqual(
      open.map(({ id }) => id),
      [row.id],
    );
    assert.equal((await notesOf(rows[299]!)).length, 1);
  });
});

test('one that is being merged holds up none of the others, and is looked at again', async () => {
  const { project, git, base, row } = await own();
  git.commit('other', { 'c.txt': 'c\n' }, { start: base });
  const next = await makeMergeRequest(app, project, { source_branch: 'topic', target_branch: 'other' });
  const setState = (id: number, state: 'locked' | 'opened') =>
    app.deps.db.updateTable('merge_requests').set({ state }).where('id', '=', id).execute();
  for (const { id } of [row, next]) await setState(id, 'locked');
  await app.deps.db.transaction().execute((db) => closeOrphans(app.deps, db, [row.id, next.id], 1));
  git.run(['update-ref', '-d', 'refs/heads/topic']);
  await setState(next.id, 'opened');
  await app.deps.jobs.drain(0);
  assert.deepEqual([await stateOf(row), await stateOf(next)], ['locked', 'closed']);
  const jobs = await app.deps.db
    .selectFrom('jobs')
    .select(['state', 'attempts', 'last_error'])
    .where('kind', '=', 'merge_requests.close_orphans')
    .execute();
  await setState(row.id, 'opened');
  await app.drain();
  assert.deepEqual(
    jobs.map((job) => ({ ...job })),
    [{ state: 'waiting', attempts: 0, last_error: null }],
  );
  assert.equal(await stateOf(row), 'closed');
});

describe('a merge request from a fork is closed', () => {
  test('when the fork is unlinked, and opens again only once it is linked', async () => {
    const { project, fork, author, row, path } = await forked();
    const back = await makeMergeRequest(app, fork, {
      source_project_id: project.id,
      source_branch: 'main',
      target_branch: 'change',
    });
    expectStatus(await app.delete(`/projects/${fork.id}/fork`, { token: author.token }), 204);
    assert.deepEqual([await stateOf(row), await stateOf(back)], ['closed', 'closed']);
    assert.deepEqual(await eventsOf(path), [['closed', author.user.id]]);
    const reopen = () => app.put(path, { json: { state_event: 'reopen' } });
    const { message } = expectStatus<{ message: string }>(await reopen(), 400);
    assert.equal(message, 'source_project is no longer a fork of the target project');
    expectStatus(await app.post(`/projects/${fork.id}/fork/${project.id}`), 201);
    expectStatus(await reopen(), 200);
  });

  test('when the fork is removed, not when it is marked for that', async () => {
    const { fork, author, row, path } = await forked();
    const { full_path } = fork;
    await app.deps.db.updateTable('projects').set({ in_deletion: 1 }).where('id', '=', fork.id).execute();
    assert.equal(await stateOf(row), 'opened');
    expectStatus(
      await app.delete(`/projects/${fork.id}`, {
        token: author.token,
        query: { permanently_remove: 'true', full_path },
      }),
      202,
    );
    await app.drain();
    const now = await reloadMergeRequest(app, row);
    assert.deepEqual([now.state, now.source_project_id], ['closed', null]);
    assert.equal((await notesOf(row)).length, 1);
    expectStatus(await app.put(path, { json: { state_event: 'reopen' } }), 400);
  });

  test('with more than a transaction takes, when the fork is unlinked or removed', async () => {
    for (const how of ['unlinked', 'removed'] as const) {
      const { project, fork, author, row } = await forked();
      const rows = [row];
      for (let n = 0; n < 25; n += 1) {
        const columns = { source_project_id: fork.id, source_branch: 'change', target_branch: `into-${n}` };
        rows.push(await writeMergeRequest(app, project, columns));
      }
      const { token } = author;
      const query = { permanently_remove: 'true', full_path: fork.full_path };
      if (how === 'unlinked') expectStatus(await app.delete(`/projects/${fork.id}/fork`, { token }), 204);
      else expectStatus(await app.delete(`/projects/${fork.id}`, { token, query }), 202);
      await app.drain();
      const states = new Set(await Promise.all(rows.map(stateOf)));
      assert.deepEqual([...states], ['closed'], how);
    }
  });

  for (const hard of [false, true]) {
    test(`when the owner of the fork is deleted${hard ? ' with all that they made' : ''}`, async () => {
      const { project, author, row } = await forked();
      const requestAuthor = hard ? await app.make.user() : author;
      await app.deps.db
        .updateTable('merge_requests')
        .set({ author_id: requestAuthor.user.id })
        .where('id', '=', row.id)
        .execute();
      const sentPayloads = await sentPayloadsOf(
        app,
        async () =>
          expectStatus(await app.delete(`/users/${author.user.id}`, { query: { hard_delete: String(hard) } }), 204),
        true,
      );
      assert.equal(await stateOf(row), 'closed');
      const closed = payloadsOf<Hook & { project: { id: number } }>(sentPayloads, 'merge_requests').filter(
        (hook) => hook.project.id === project.id,
      );
      assert.deepEqual(
        closed.map(({ object_attributes }) => object_attributes.action),
        ['close'],
      );
    });
  }

  test('when the fork is made less visible', async () => {
    const { fork, author, row } = await forked();
    expectStatus(await app.put(`/projects/${fork.id}`, { token: author.token, json: { visibility: 'private' } }), 200);
    assert.equal(await stateOf(row), 'closed');
  });

  test('when its target is made less visible, which unlinks its forks; they stay forks of each other', async () => {
    const { project, fork, row } = await forked();
    const columns = { forked_from_id: project.id, fork_root_id: project.id };
    const sibling = await app.make.project({ visibility: 'public', columns });
    const between = await writeMergeRequest(app, sibling, { source_project_id: fork.id, source_branch: 'change' });
    const put = (visibility: string) => app.put(`/projects/${project.id}`, { json: { visibility } });
    expectStatus(await put('public'), 200);
    assert.equal(await stateOf(row), 'opened');
    const audit = await auditOf(app, async () => {
      const shown = expectStatus<{ visibility: string; forks_count: number }>(await put('private'), 200);
      assert.deepEqual([shown.visibility, shown.forks_count], ['private', 0]);
    });
    assert.deepEqual(
      audit
        .filter(({ event_name }) => event_name === 'project_fork_relationship_removed')
        .map(({ entity_id, author_id, details }) => [entity_id, author_id, details.custom_message]),
      [fork, sibling].map(({ id }) => [id, 1, 'Project unlinked from its source']),
    );
    assert.deepEqual([await stateOf(row), await stateOf(between)], ['closed', 'opened']);
    for (const { id } of [fork, sibling]) {
      assert.ok(!('forked_from_project' in expectStatus(await app.get(`/projects/${id}`), 200)));
    }
    const rows = await app.deps.db
      .selectFrom('projects')
      .select(['id', 'fork_root_id'])
      .where('id', 'in', [project.id, fork.id, sibling.id])
      .orderBy('id')
      .execute();
    assert.deepEqual(
      rows.map(({ fork_root_id }) => fork_root_id),
      [project.id, fork.id, fork.id],
    );
    expectStatus(await put('public'), 200);
    assert.equal(await stateOf(row), 'closed');
  });

  test('when it is moved to a group that hides it', async () => {
    const { fork, author, row } = await forked();
    const group = await app.make.group({ owner: author.user, visibility: 'private' });
    expectStatus(
      await app.put(`/projects/${fork.id}/transfer`, { token: author.token, json: { namespace: group.id } }),
      200,
    );
    assert.equal(await stateOf(row), 'closed');
  });

  test('when its group is moved to one that hides it; forks within the group stay linked', async () => {
    const { project, fork, author, row } = await forked();
    const group = await app.make.group({ owner: author.user, visibility: 'public' });
    const parent = await app.make.group({ owner: author.user, visibility: 'private' });
    const moveToGroup = (id: number) =>
      app.deps.db.updateTable('projects').set({ namespace_id: group.id }).where('id', '=', id).execute();
    await moveToGroup(fork.id);
    // A source and a fork that are both below the group.
    const inside = await app.make.project({ visibility: 'public' });
    const columns = { forked_from_id: inside.id, fork_root_id: inside.id };
    const forkInside = await app.make.project({ visibility: 'public', columns });
    const between = await writeMergeRequest(app, inside, { source_project_id: forkInside.id, source_branch: 'change' });
    for (const { id } of [inside, forkInside]) await moveToGroup(id);
    const audit = await auditOf(app, async () =>
      expectStatus(
        await app.post(`/groups/${group.id}/transfer`, { token: author.token, json: { group_id: parent.id } }),
        201,
      ),
    );
    assert.deepEqual([await stateOf(row), await stateOf(between)], ['closed', 'opened']);
    assert.deepEqual(
      audit
        .filter(({ event_name }) => event_name === 'project_fork_relationship_removed')
        .map(({ entity_id, author_id }) => [entity_id, author_id]),
      [[fork.id, author.user.id]],
    );
    const sources = await app.deps.db
      .selectFrom('projects')
      .select(['id', 'visibility', 'forked_from_id'])
      .where('id', 'in', [project.id, fork.id, forkInside.id])
      .orderBy('id')
      .execute();
    assert.deepEqual(
      sources.map(({ visibility, forked_from_id }) => [visibility, forked_from_id]),
      [
        ['public', null],
        ['private', null],
        ['private', inside.id],
      ],
    );
  });

  test('when the group of its target is moved to one that hides it', async () => {
    const { project, fork, row } = await forked();
    const group = await app.make.group({ visibility: 'public' });
    const parent = await app.make.group({ visibility: 'internal' });
    await app.deps.db.updateTable('projects').set({ namespace_id: group.id }).where('id', '=', project.id).execute();
    expectStatus(await app.post(`/groups/${group.id}/transfer`, { json: { group_id: parent.id } }), 201);
    assert.equal(await stateOf(row), 'closed');
    assert.ok(!('forked_from_project' in expectStatus(await app.get(`/projects/${fork.id}`), 200)));
  });
});
