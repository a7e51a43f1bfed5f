import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import {
  payloadsOf,
  projectShown,
  ROOT_SHOWN,
  readAs,
  repositoryShown,
  sentPayloadsOf,
} from '../../../../test/support/payloads.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { sampleEvent } from './sample.ts';

interface NotePayload {
  event_type: string;
  object_attributes: Record<string, unknown>;
  issue?: { id: number; confidential: boolean };
  merge_request?: Record<string, unknown>;
  snippet?: Record<string, unknown>;
  commit?: Record<string, unknown>;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

const at = (project: Project, path: string) => `/projects/${project.id}/${path}`;
const say = async (project: Project, path: string, json: object = {}) =>
  expectStatus<{ id: number }>(await app.post(at(project, path), { json: { body: 'Hello', ...json } }), 201);
const openIssue = async (project: Project, json: object = {}) =>
  expectStatus<{ id: number }>(await app.post(at(project, 'issues'), { json: { title: 'One', ...json } }), 201);

test('a comment on an issue is told with the issue', async () => {
  const project = await app.make.project();
  const issue = await openIssue(project);
  let note = { id: 0 };
  const sent = await sentPayloadsOf(app, async () => {
    note = await say(project, 'issues/1/notes');
  });
  const [payload] = payloadsOf<NotePayload>(sent, 'note');
  const { issue: shown, ...rest } = payload!;
  assert.equal(shown!.id, issue.id);
  const { discussion_id } = rest.object_attributes;
  assert.match(String(discussion_id), /^[0-9a-f]{40}$/);
  assert.deepEqual(rest, {
    object_kind: 'note',
    event_type: 'note',
    user: ROOT_SHOWN,
    project_id: project.id,
    project: projectShown(app, { ...project, namespace: 'Administrator' }),
    object_attributes: {
      id: note.id,
      note: 'Hello',
      description: 'Hello',
      noteable_type: 'Issue',
      noteable_id: issue.id,
      author_id: 1,
      project_id: project.id,
      commit_id: null,
      discussion_id,
      type: null,
      system: false,
      internal: false,
      attachment: null,
      line_code: null,
      st_diff: null,
      position: null,
      original_position: null,
      change_position: null,
      created_at: '2026-06-15 12:00:00 UTC',
      updated_at: '2026-06-15 12:00:00 UTC',
      updated_by_id: null,
      resolved_at: null,
      resolved_by_id: null,
      resolved_by_push: null,
      url: `${app.deps.externalUrl()}/${project.full_path}/-/issues/1#note_${note.id}`,
      action: 'create',
    },
    repository: repositoryShown(app, project),
  });
});

test('comments on merge requests, snippets and commits are told with these', async () => {
  const project = await app.make.project();
  const { id: sha } = await commitFiles(app, project.id, { 'a.txt': 'one\ntwo\n' });
  const mergeRequest = await makeMergeRequest(app, project);
  const snippet = {
    title: 'S',
    description: 'D',
    visibility: 'public',
    files: [{ file_path: 'a.rb', content: 'puts' }],
  };
  const { id } = expectStatus<{ id: number }>(await app.post(at(project, 'snippets'), { json: snippet }), 201);
  const sent = await sentPayloadsOf(app, async () => {
    await say(project, `merge_requests/${mergeRequest.iid}/notes`);
    await say(project, `snippets/${id}/notes`);
    const line = { note: 'Here', path: 'a.txt', line: 2, line_type: 'new' };
    expectStatus(await app.post(at(project, `repository/commits/${sha}/comments`), { json: line }), 201);
  });
  const [first, second, third] = payloadsOf<NotePayload>(sent, 'note');
  const web = `${app.deps.externalUrl()}/${project.full_path}`;
  assert.equal(first!.merge_request!.id, mergeRequest.id);
  assert.match(String(first!.object_attributes.url), /\/-\/merge_requests\/1#note_\d+$/);
  assert.deepEqual(second!.snippet, {
    id,
    title: 'S',
    description: 'D',
    content: 'puts',
    author_id: 1,
    project_id: project.id,
    created_at: '2026-06-15 12:00:00 UTC',
    updated_at: '2026-06-15 12:00:00 UTC',
    file_name: 'a.rb',
    type: 'ProjectSnippet',
    visibility_level: 20,
    url: `${web}/-/snippets/${id}`,
  });
  assert.deepEqual([third!.commit!.id, third!.commit!.url], [sha, `${web}/-/commit/${sha}`]);
  assert.deepEqual([third!.object_attributes.commit_id, third!.object_attributes.noteable_type], [sha, 'Commit']);
  assert.match(String(third!.object_attributes.line_code), /^[0-9a-f]{40}_0_2$/);
});

test('internal comments and those on confidential issues are confidential', async () => {
  const project = await app.make.project();
  await openIssue(project);
  await openIssue(project, { confidential: true });
  const sent = await sentPayloadsOf(app, async () => {
    await say(project, 'issues/1/notes', { internal: true });
    await say(project, 'issues/2/notes');
  });
  assert.deepEqual(
    sent.hooks.map(({ trigger, header, payload }) => [trigger, header, payload.event_type]),
    [
      ['confidential_note', 'Confidential Note Hook', 'confidential_note'],
      ['confidential_note', 'Confidential Note Hook', 'confidential_note'],
    ],
  );
});

test('a comment that is changed is told as it is then; what is resolved, removed or said by the server is not', async () => {
  const project = await app.make.project();
  await commitFiles(app, project.id, { 'a.txt': 'one\ntwo\n' });
  await makeMergeRequest(app, project);
  const discussions = at(project, 'merge_requests/1/discussions');
  const sent = await sentPayloadsOf(app, async () => {
    const thread = expectStatus<{ id: string; notes: { id: number }[] }>(
      await app.post(discussions, { json: { body: 'A thread' } }),
      201,
    );
    const note = at(project, `merge_requests/1/notes/${thread.notes[0]!.id}`);
    expectStatus(await app.put(note, { json: { body: 'Better' } }), 200);
    expectStatus(await app.put(`${discussions}/${thread.id}`, { json: { resolved: true } }), 200);
    expectStatus(await app.put(at(project, 'merge_requests/1'), { json: { title: 'Other' } }), 200);
    expectStatus(await app.delete(note), 204);
  });
  const payloads = payloadsOf<NotePayload>(sent, 'note');
  assert.deepEqual(
    payloads.map(({ object_attributes: { action, note, type } }) => [action, note, type]),
    [
      ['create', 'A thread', 'DiscussionNote'],
      ['update', 'Better', 'DiscussionNote'],
    ],
  );
});

test('tests of hooks take the last comment', async () => {
  const project = await app.make.project();
  const place = { projectId: project.id };
  await assert.rejects(sampleEvent(app.deps, place, 'note', 1), { message: 'Ensure the project has notes.' });
  await openIssue(project);
  await say(project, 'issues/1/notes', { body: 'Last' });
  const sample = await sampleEvent(app.deps, place, 'confidential_note', 1);
  assert.equal(readAs<NotePayload>(sample.payload).object_attributes.note, 'Last');
});

test('reactions are told as they are given and taken back, with what they are on', async () => {
  const project = await app.make.project();
  await openIssue(project);
  const note = await say(project, 'issues/1/notes');
  const snippet = { title: 'S', visibility: 'public', files: [{ file_path: 'a.rb', content: 'puts' }] };
  const { id } = expectStatus<{ id: number }>(await app.post(at(project, 'snippets'), { json: snippet }), 201);
  let award = { id: 0 };
  const sent = await sentPayloadsOf(app, async () => {
    const react = async (path: string) =>
      expectStatus<{ id: number }>(await app.post(at(project, path), { json: { name: 'tada' } }), 201);
    award = await react(`issues/1/notes/${note.id}/award_emoji`);
    await react(`snippets/${id}/award_emoji`);
    expectStatus(await app.delete(at(project, `issues/1/notes/${note.id}/award_emoji/${award.id}`)), 204);
  });
  const [input, onSnippet, revoked] = payloadsOf<Record<string, Record<string, unknown>>>(sent, 'emoji');
  const url = `${app.deps.externalUrl()}/${project.full_path}/-/issues/1#note_${note.id}`;
  const { note: on, issue, ...rest } = input!;
  assert.deepEqual([on!.id, on!.url, issue!.iid], [note.id, url, 1]);
  const attributes = {
    user_id: 1,
    created_at: '2026-06-15 12:00:00 UTC',
    id: award.id,
    name: 'tada',
    awardable_type: 'Note',
    awardable_id: note.id,
    updated_at: '2026-06-15 12:00:00 UTC',
    action: 'award',
    awarded_on_url: url,
  };
  assert.deepEqual(rest, {
    object_kind: 'emoji',
    event_type: 'award',
    user: ROOT_SHOWN,
    project_id: project.id,
    project: projectShown(app, { ...project, namespace: 'Administrator' }),
    object_attributes: attributes,
  });
  assert.equal(onSnippet!.project_snippet!.id, id);
  assert.equal(revoked!.event_type, 'revoke');
  assert.deepEqual(revoked!.object_attributes, { ...attributes, action: 'revoke' });
  const sample = await sampleEvent(app.deps, { projectId: project.id }, 'emoji', 1);
  assert.equal((sample.payload.object_attributes as { awardable_type: string }).awardable_type, 'Snippet');
});
