import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { Rows } from '../../../../test/support/rows.ts';
import { changeSettings } from '../../../../test/support/settings.ts';
import { entriesOf } from '../../../../test/support/tar.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let rows: Rows;
before(async () => {
  app = await buildTestApp();
  rows = new Rows(app.deps);
});
after(() => app.close());

async function exported(project: Project, relation: string, batch_number?: number): Promise<Json[]> {
  const query = { relation, ...(batch_number === undefined ? {} : { batched: true, batch_number }) };
  const response = await app.get(`/projects/${project.id}/export_relations/download`, { query });
  assert.equal(response.statusCode, 200, response.body);
  const text = gunzipSync(response.rawPayload).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Json]));
}
const start = async (project: Project, batched = false) => {
  expectStatus(await app.post(`/projects/${project.id}/export_relations`, { json: { batched } }), 202);
  await app.drain();
};

describe('what was mentioned from elsewhere', () => {
  test('is told to those alone who may see where that was, in relations and archives', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const secret = await app.make.project({ visibility: 'private', path: `secret-${project.id}` });
    const open = await app.make.project({ visibility: 'public', path: `open-${project.id}` });
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const git = new ProjectGit(app, project);
    git.commit('main', { 'a.txt': 'a' });
    const place = `/projects/${project.id}`;
    expectStatus(await app.post(`${place}/issues`, { json: { title: 'Named' } }), 201);
    const request = await makeMergeRequest(app, project, { source_branch: 'work' });
    await changeSettings(app, { project_download_export_limit: 100 });
    const names = `${project.full_path}#1 and ${project.full_path}!${request.iid}`;
    for (const { id } of [secret, open]) {
      expectStatus(await app.post(`/projects/${id}/issues`, { json: { title: 'Source', description: names } }), 201);
    }
    await app.drain();
    const exportedTo = async (by: string | undefined) => {
      const as = by === undefined ? {} : { token: by };
      expectStatus(await app.post(`${place}/export_relations`, as), 202);
      expectStatus(await app.post(`${place}/export`, as), 202);
      await app.drain();
      const objects = [...(await exported(project, 'issues')), ...(await exported(project, 'merge_requests'))];
      const archive = await app.get(`${place}/export/download`);
      assert.equal(archive.statusCode, 200, archive.body);
      const entries = new Map(await entriesOf(gunzipSync(archive.rawPayload)));
      const packed = ['issues', 'merge_requests'].map((name) => entries.get(`tree/project/${name}.ndjson`)!);
      const texts = [JSON.stringify(objects), packed.join('')];
      return texts.map((text) => [secret, open].map(({ path }) => text.split(`${path}#1`).length - 1));
    };
    assert.deepEqual(await exportedTo(token), [
      [0, 2],
      [0, 2],
    ]);
    assert.deepEqual(await exportedTo(undefined), [
      [2, 2],
      [2, 2],
    ]);
  });
});

describe('the issues of a project', () => {
  test('come with all that belongs to them', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 30);
    const place = `/projects/${project.id}`;
    expectStatus(await app.post(`/groups/${group.id}/labels`, { json: { name: 'wide', color: '#112233' } }), 201);
    expectStatus(await app.post(`${place}/labels`, { json: { name: 'own', color: '#445566', priority: 3 } }), 201);
    const { id: milestone_id } = expectStatus<{ id: number }>(
      await app.post(`${place}/milestones`, { json: { title: 'v1' } }),
      201,
    );
    const issue = {
      title: 'Größe ☃',
      description: 'x'.repeat(100_000),
      labels: 'wide,own',
      milestone_id,
      confidential: true,
    };
    expectStatus(
      await app.post(`${place}/issues`, { json: { ...issue, assignee_ids: [user.id], due_date: '2026-12-24' } }),
      201,
    );
    expectStatus(await app.post(`${place}/issues/1/notes`, { token, json: { body: 'A word' } }), 201);
    expectStatus(await app.post(`${place}/issues/1/notes`, { json: { body: 'Inside', internal: true } }), 201);
    const notes = expectStatus<Json[]>(await app.get(`${place}/issues/1/notes`), 200);
    const word = notes.find(({ body }) => body === 'A word')!;
    expectStatus(await app.post(`${place}/issues/1/notes/${word.id}/award_emoji`, { json: { name: 'rocket' } }), 201);
    expectStatus(await app.post(`${place}/issues/1/award_emoji`, { token, json: { name: 'thumbsup' } }), 201);
    expectStatus(
      await app.post(`${place}/issues/1/add_spent_time`, { token, json: { duration: '2h', summary: 'looked' } }),
      201,
    );
    expectStatus(await app.put(`${place}/issues/1`, { token, json: { state_event: 'close' } }), 200);
    await app.drain();
    await start(project);

    const [exportedIssue, ...others] = await exported(project, 'issues');
    assert.equal(others.length, 0);
    assert.deepEqual(
      [
        exportedIssue!.title,
        exportedIssue!.description,
        exportedIssue!.iid,
        exportedIssue!.state,
        exportedIssue!.confidential,
        exportedIssue!.due_date,
        exportedIssue!.closed_by_id,
      ],
      ['Größe ☃', issue.description, 1, 'closed', true, '2026-12-24', user.id],
    );
    const labels = (exportedIssue!.label_links as { label: Json }[]).map(({ label }) => [
      label.title,
      label.type,
      label.color,
    ]);
    assert.deepEqual(labels.sort(), [
      ['own', 'ProjectLabel', '#445566'],
      ['wide', 'GroupLabel', '#112233'],
    ]);
    assert.equal((exportedIssue!.milestone as Json).title, 'v1');
    assert.deepEqual(exportedIssue!.issue_assignees, [{ user_id: user.id }]);
    assert.deepEqual(
      (exportedIssue!.award_emoji as Json[]).map(({ name, user_id }) => [name, user_id]),
      [['thumbsup', user.id]],
    );
    assert.deepEqual(
      (exportedIssue!.timelogs as Json[]).map(({ time_spent, summary }) => [time_spent, summary]),
      [[7_200, 'looked']],
    );
    assert.deepEqual(
      (exportedIssue!.resource_state_events as Json[]).map(({ state }) => state),
      ['closed'],
    );
    assert.equal((exportedIssue!.resource_label_events as Json[]).length, 2);
    const userNotes = (exportedIssue!.notes as Json[]).filter(({ system }) => system === false);
    assert.deepEqual(
      userNotes.map(({ note, confidential, author, award_emoji }) => [
        note,
        confidential,
        (author as Json).name,
        (award_emoji as Json[]).length,
      ]),
      [
        ['A word', false, user.name, 1],
        ['Inside', true, 'Administrator', 0],
      ],
    );
    assert.ok((exportedIssue!.notes as Json[]).some(({ system }) => system === true));
    assert.deepEqual(
      (await exported(project, 'labels')).map(({ title, priorities }) => [title, priorities]),
      [['own', [{ priority: 3 }]]],
    );
    const people = (await exported(project, 'user_contributions')).map(({ username, public_email }) => [
      username,
      public_email,
    ]);
    assert.deepEqual(
      people.sort(),
      [
        ['root', null],
        [user.username, null],
      ].sort(),
    );
  });

  test('are all there, each with its own notes, whatever the order of their rows', async () => {
    const project = await app.make.project();
    const place = { projectId: project.id, type: 'Issue' as const };
    const iids = Array.from({ length: 1_120 }, (_, n) => 1_120 - n);
    for (const iid of iids) {
      const issue = await rows.issue(project.id, { iid, title: `Issue ${iid}` });
      const notes = iid === 7 ? 450 : iid % 3;
      for (let n = 0; n < notes; n += 1) await rows.note({ ...place, id: issue.id }, { note: `${n} on ${iid}` });
    }
    await start(project, true);
    const exportedIssues = [...(await exported(project, 'issues', 1)), ...(await exported(project, 'issues', 2))];
    assert.deepEqual(
      exportedIssues.map(({ iid }) => Number(iid)).sort((a, b) => a - b),
      iids.toReversed(),
    );
    for (const { iid, notes } of exportedIssues as { iid: number; notes: Json[] }[]) {
      const expected = Array.from({ length: iid === 7 ? 450 : iid % 3 }, (_, n) => `${n} on ${iid}`);
      assert.deepEqual(
        notes.map(({ note }) => note),
        expected,
      );
    }
  });
});

test('merge requests, releases, protections and notes on commits come, too', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { 'a.txt': 'a' });
  git.commit('change', { 'b.txt': 'b' }, { start: sha });
  const place = `/projects/${project.id}`;
  const reviewer = await app.make.user();
  await app.make.member({ project }, reviewer.user, 40);
  const { iid } = await makeMergeRequest(app, project, { source_branch: 'change', title: 'Draft: Change', draft: 1 });
  expectStatus(await app.post(`${place}/merge_requests/${iid}/notes`, { json: { body: 'Good' } }), 201);
  expectStatus(await app.post(`${place}/merge_requests/${iid}/approve`, { token: reviewer.token }), 201);
  expectStatus(await app.post(`${place}/repository/commits/${sha}/comments`, { json: { note: 'On the commit' } }), 201);
  expectStatus(
    await app.post(`${place}/releases`, { json: { tag_name: 'v1', ref: 'main', description: 'First' } }),
    201,
  );
  expectStatus(
    await app.post(`${place}/releases/v1/assets/links`, { json: { name: 'x', url: 'https://example.org/x' } }),
    201,
  );
  expectStatus(
    await app.post(`${place}/protected_branches`, { json: { name: 'stable-*', push_access_level: 40 } }),
    201,
  );
  expectStatus(await app.post(`${place}/protected_tags`, { json: { name: 'v*', create_access_level: 30 } }), 201);
  await app.drain();
  await start(project);

  const [request] = await exported(project, 'merge_requests');
  assert.deepEqual(
    [
      request!.title,
      request!.source_branch,
      request!.target_branch,
      request!.state,
      (request!.approvals as Json[]).length,
    ],
    ['Draft: Change', 'change', 'main', 'opened', 1],
  );
  assert.match(String(request!.diff_head_sha), /^[0-9a-f]{40}$/);
  assert.equal((request!.merge_request_diff as Json).base_commit_sha, sha);
  assert.ok((request!.notes as Json[]).some(({ note }) => note === 'Good'));
  const [note] = await exported(project, 'commit_notes');
  assert.deepEqual([note!.note, note!.commit_id], ['On the commit', sha]);
  const [release] = await exported(project, 'releases');
  assert.deepEqual(
    [release!.tag, release!.description, (release!.links as Json[])[0]!.url],
    ['v1', 'First', 'https://example.org/x'],
  );
  const branches = await exported(project, 'protected_branches');
  assert.deepEqual(branches.find(({ name }) => name === 'stable-*')!.push_access_levels, [{ access_level: 40 }]);
  assert.deepEqual((await exported(project, 'protected_tags'))[0]!.create_access_levels, [{ access_level: 30 }]);
  const [self] = await exported(project, 'self');
  assert.deepEqual([self!.path, self!.default_branch, self!.visibility_level], [project.path, 'main', 0]);
});

test('they are for maintainers', async () => {
  const project = await app.make.project();
  const { developer, maintainer, stranger } = await app.make.members(project);
  const ask = async (token: string | null) =>
    (await app.post(`/projects/${project.id}/export_relations`, { token })).statusCode;
  assert.equal(await ask(null), 401);
  assert.equal(await ask(stranger.token), 404);
  assert.equal(await ask(developer.token), 403);
  assert.equal(await ask(maintainer.token), 202);
});
