import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { Rows } from '../../../../test/support/rows.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { NoteableType } from '../../../db/tables/tables.kinds.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { changeRefs, inRepositoryQueue } from '../../../repositories/change-refs.ts';
import { ofProject } from '../../../repositories/holder.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { registerReferences } from './references.background.ts';

const clock = new TestClock();
let app: TestApp;
let rows: Rows;
let project: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp({ clock });
  rows = new Rows(app.deps);
  project = await app.make.project({ path: 'home', visibility: 'public' });
  users = await app.make.members(project);
});
after(() => app.close());

/** Records that something happened, and lets all that follows happen. */
async function happened<T extends keyof DomainEvents>(type: T, payload: DomainEvents[T], actorId: number | null) {
  await app.deps.db.transaction().execute((db) => app.deps.events.record(db, type, payload, { actorId }));
  await app.drain();
}
const created = (issue: Issue, actorId: number | null = 1) =>
  happened('issue.created', { issue_id: issue.id, project_id: issue.project_id }, actorId);
const comment = async (kind: string, key: number | string, body: string, user?: TestUser, more: object = {}) => {
  const path = `/projects/${project.id}/${kind}/${key}/notes`;
  const options = { json: { body, ...more }, ...(user === undefined ? {} : { token: user.token }) };
  const note = expectStatus(await app.post(path, options), 201);
  await app.drain();
  return note.id as number;
};
const systemNotesOf = async (type: NoteableType, { id }: { id: number }) => {
  const query = app.deps.db.selectFrom('notes').select('note').where('noteable_type', '=', type);
  const notes = await query.where('noteable_id', '=', id).where('system', '=', 1).orderBy('id').execute();
  return notes.map(({ note }) => note);
};
const mentioned = async (type: NoteableType, { id }: { id: number }) => {
  const query = app.deps.db.selectFrom('user_mentions').select(['user_id', 'note_id']).where('target_type', '=', type);
  return (await query.where('target_id', '=', id).orderBy('id').execute()).map((row) => ({ ...row }));
};
const stateOf = async ({ id }: { id: number }) => {
  const query = app.deps.db.selectFrom('issues').select(['state', 'closed_by_id']).where('id', '=', id);
  return { ...(await query.executeTakeFirstOrThrow()) };
};
const push = async (of: Project, message: string, user?: TestUser, branch = 'main', more: object = {}) => {
  const options = { branch, commit_message: message, token: user?.token, ...more };
  const { id } = await commitFiles(app, of.id, { [`f${Math.random()}`]: 'x' }, options);
  await app.drain();
  return id;
};

test('a description tells what it names, once, in the words for each kind', async () => {
  const other = await app.make.project({ path: 'other', visibility: 'public' });
  const target = await rows.issue(project.id);
  const far = await rows.issue(other.id);
  const change = await makeMergeRequest(app, project);
  const url = `${app.deps.externalUrl()}/root/home/-/issues/${target.iid}`;
  const issue = await rows.issue(project.id, {
    title: `After !${change.iid}`,
    description: `See #${target.iid}, ${url}, other#${far.iid} and \`#${far.iid}\``,
  });
  await created(issue);
  await created(issue);
  assert.deepEqual(await systemNotesOf('Issue', target), [`mentioned in issue #${issue.iid}`]);
  assert.deepEqual(await systemNotesOf('Issue', far), [`mentioned in issue root/home#${issue.iid}`]);
  assert.deepEqual(await systemNotesOf('MergeRequest', change), [`mentioned in issue #${issue.iid}`]);
  assert.deepEqual(await systemNotesOf('Issue', issue), []);
  const payload = { merge_request_id: change.id, project_id: project.id };
  await app.deps.db
    .updateTable('merge_requests')
    .set({ description: `#${target.iid} and !${change.iid}` })
    .where('id', '=', change.id)
    .execute();
  await happened('merge_request.created', payload, 1);
  assert.deepEqual((await systemNotesOf('Issue', target)).slice(1), [`mentioned in merge request !${change.iid}`]);
  assert.equal((await systemNotesOf('MergeRequest', change)).length, 1);
  const snippet = await rows.snippet(project.id, 'public');
  await app.deps.db
    .updateTable('snippets')
    .set({ description: `root/home#${target.iid}` })
    .where('id', '=', snippet.id)
    .execute();
  await happened('snippet.created', { snippet_id: snippet.id, project_id: project.id }, 1);
  assert.deepEqual((await systemNotesOf('Issue', target)).slice(2), [`mentioned in snippet $${snippet.id}`]);
});

test('a change tells what it names anew, and only when it changes the text', async () => {
  const [one, two, issue] = [await rows.issue(project.id), await rows.issue(project.id), await rows.issue(project.id)];
  const describe = (description: string) =>
    app.deps.db.updateTable('issues').set({ description }).where('id', '=', issue.id).execute();
  const about = { issue_id: issue.id, project_id: project.id };
  await describe(`#${one.iid} @root`);
  await happened('issue.updated', { ...about, changes: { weight: [1, 2] } }, 1);
  assert.deepEqual([await systemNotesOf('Issue', one), await mentioned('Issue', issue)], [[], []]);
  await happened('issue.updated', { ...about, changes: { description: ['', 'x'] } }, 1);
  assert.equal((await systemNotesOf('Issue', one)).length, 1);
  assert.deepEqual(await mentioned('Issue', issue), [{ user_id: 1, note_id: null }]);
  await describe(`#${two.iid} @${users.guest.user.username}`);
  await happened('issue.updated', { ...about, changes: { description: ['x', 'y'] } }, 1);
  assert.equal((await systemNotesOf('Issue', one)).length, 1);
  assert.equal((await systemNotesOf('Issue', two)).length, 1);
  assert.deepEqual(await mentioned('Issue', issue), [{ user_id: users.guest.user.id, note_id: null }]);
});

test('notes tell in the name of what they are about; internal ones tell nothing', async () => {
  const [target, issue] = [await rows.issue(project.id), await rows.issue(project.id)];
  await comment('issues', issue.iid, `Secretly #${target.iid}`, users.planner, { internal: true });
  assert.deepEqual(await systemNotesOf('Issue', target), []);
  const id = await comment('issues', issue.iid, `Like #${target.iid}`, users.guest);
  await comment('issues', issue.iid, `Again #${target.iid}`);
  assert.deepEqual(await systemNotesOf('Issue', target), [`mentioned in issue #${issue.iid}`]);
  const note = await app.deps.db
    .selectFrom('notes')
    .innerJoin('cross_references', 'cross_references.note_id', 'notes.id')
    .select(['notes.author_id', 'notes.system_action', 'source_type', 'source_id', 'source_project_id'])
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', target.id)
    .execute();
  assert.deepEqual(
    note.map((row) => ({ ...row })),
    [
      {
        author_id: users.guest.user.id,
        system_action: 'cross_reference',
        source_type: 'Issue',
        source_id: issue.id,
        source_project_id: project.id,
      },
    ],
  );
  const shown = await app.get(`/projects/${project.id}/issues/${target.iid}/notes`, { token: null });
  assert.deepEqual(
    expectStatus<{ body: string }[]>(shown, 200).map(({ body }) => body),
    [`mentioned in issue #${issue.iid}`],
  );
  const count = app.deps.db.selectFrom('issues').select('user_notes_count').where('id', '=', target.id);
  assert.equal((await count.executeTakeFirstOrThrow()).user_notes_count, 0);
  expectStatus(await app.delete(`/projects/${project.id}/issues/${issue.iid}/notes/${id}`), 204);
  await app.drain();
  assert.equal((await systemNotesOf('Issue', target)).length, 1);
});

test('what the author may not see is told nothing', async () => {
  const hidden = await app.make.project({ path: 'hidden' });
  const secret = await rows.issue(hidden.id);
  const change = await makeMergeRequest(app, hidden);
  const confidential = await rows.issue(project.id, { confidential: 1 });
  const issue = await rows.issue(project.id);
  const text = `root/hidden#${secret.iid} hidden!${change.iid} #${confidential.iid} none/such#1 #424242`;
  await comment('issues', issue.iid, text, users.guest);
  assert.deepEqual(await systemNotesOf('Issue', secret), []);
  assert.deepEqual(await systemNotesOf('MergeRequest', change), []);
  assert.deepEqual(await systemNotesOf('Issue', confidential), []);
  await comment('issues', issue.iid, text, users.planner);
  assert.deepEqual(await systemNotesOf('Issue', confidential), [`mentioned in issue #${issue.iid}`]);
  await comment('issues', issue.iid, text);
  assert.deepEqual(await systemNotesOf('Issue', secret), [`mentioned in issue root/home#${issue.iid}`]);
  assert.deepEqual(await systemNotesOf('MergeRequest', change), [`mentioned in issue root/home#${issue.iid}`]);
});

test('people are mentioned where they may read it', async () => {
  const { guest, planner, stranger } = users;
  const names = [guest, planner, stranger].map(({ user }) => `@${user.username.toUpperCase()}`).join(' ');
  const ids = (list: { user_id: number }[]) => list.map(({ user_id }) => user_id).sort((a, b) => a - b);
  const open = await rows.issue(project.id, { description: `${names} @nobody \`@root\`` });
  await created(open);
  assert.deepEqual(ids(await mentioned('Issue', open)), [guest.user.id, planner.user.id, stranger.user.id].sort());
  const confidential = await rows.issue(project.id, { description: names, confidential: 1 });
  await created(confidential);
  assert.deepEqual(ids(await mentioned('Issue', confidential)), [planner.user.id]);
  const note = await comment('issues', open.iid, names, users.planner, { internal: true });
  const inNote = (await mentioned('Issue', open)).filter(({ note_id }) => note_id === note);
  assert.deepEqual(ids(inNote), [planner.user.id]);
  const closed = await app.make.project();
  const away = await rows.issue(closed.id, { description: names });
  await created(away);
  assert.deepEqual(await mentioned('Issue', away), []);
  const personal = await rows.snippet(null, 'private', guest.user.id);
  await app.deps.db.updateTable('snippets').set({ description: names }).where('id', '=', personal.id).execute();
  await happened('snippet.created', { snippet_id: personal.id, project_id: null }, guest.user.id);
  assert.deepEqual(ids(await mentioned('Snippet', personal)), [guest.user.id]);
});

test('events that come twice, late or about what is gone change nothing', async () => {
  const [target, issue] = [await rows.issue(project.id), await rows.issue(project.id)];
  const note = await comment('issues', issue.iid, `#${target.iid} @root`);
  for (let round = 0; round < 3; round += 1) {
    await happened('note.created', { note_id: note, project_id: project.id, noteable_type: 'Issue' }, 1);
  }
  assert.equal((await systemNotesOf('Issue', target)).length, 1);
  assert.deepEqual(await mentioned('Issue', issue), [{ user_id: 1, note_id: note }]);
  await happened('note.updated', { note_id: 424242, project_id: project.id, noteable_type: 'Issue' }, 1);
  await happened('issue.created', { issue_id: 424242, project_id: project.id }, 1);
  await happened('merge_request.created', { merge_request_id: 424242, project_id: project.id }, 1);
  await happened('merge_request.merged', { merge_request_id: 424242, project_id: project.id }, 1);
  await happened('snippet.created', { snippet_id: 424242, project_id: null }, 1);
  await happened('push', { project_id: 424242, updates: [], push_options: [], via: 'git' }, 1);
  const failed = await app.deps.db.selectFrom('jobs').select(['kind', 'last_error']).execute();
  assert.deepEqual(
    failed.filter(({ last_error }) => last_error !== null),
    [],
  );
  assert.throws(() => registerReferences(app.deps), /registered twice/);
});

test('pushed commits tell what they name, with the right of who pushed', async () => {
  const scope = await app.make.project({ visibility: 'public' });
  const staff = await app.make.members(scope);
  const target = await rows.issue(scope.id);
  const confidential = await rows.issue(scope.id, { confidential: 1 });
  const away = await rows.issue(project.id);
  const change = await makeMergeRequest(app, scope);
  await push(scope, 'start', staff.owner);
  const message = `See #${target.iid} #${confidential.iid} !${change.iid} root/home#${away.iid} @root`;
  const sha = await push(scope, message, staff.maintainer);
  assert.deepEqual(await systemNotesOf('Issue', target), [`mentioned in commit ${sha}`]);
  assert.deepEqual(await systemNotesOf('Issue', confidential), [`mentioned in commit ${sha}`]);
  assert.deepEqual(await systemNotesOf('MergeRequest', change), [`mentioned in commit ${sha}`]);
  assert.deepEqual(await systemNotesOf('Issue', away), [`mentioned in commit ${scope.full_path}@${sha}`]);
  const topic = await push(scope, `Also #${target.iid}`, staff.developer, 'topic', { start_branch: 'main' });
  assert.deepEqual((await systemNotesOf('Issue', target)).slice(1), [`mentioned in commit ${topic}`]);
  await inRepositoryQueue(app.deps, scope, (repo) =>
    changeRefs(app.deps, repo, {
      holder: ofProject(scope),
      userId: staff.maintainer.user.id,
      updates: [{ ref: 'refs/heads/main', old: sha, new: topic }],
      via: 'git',
      pushOptions: [],
      guard: async () => {},
    }),
  );
  await app.drain();
  assert.equal((await systemNotesOf('Issue', target)).length, 2);
  const path = `/projects/${scope.id}/repository/commits/${sha}/discussions`;
  expectStatus(await app.post(path, { json: { body: `And #${away.iid} root/home#${away.iid} #${target.iid}` } }), 201);
  await app.drain();
  assert.equal((await systemNotesOf('Issue', target)).length, 2);
  assert.equal((await systemNotesOf('Issue', away)).length, 1);
});

test('commits on the default branch close issues, where their project wants it and the pusher may', async () => {
  const scope = await app.make.project({ visibility: 'public' });
  const staff = await app.make.members(scope);
  await app.make.member({ project }, staff.developer.user, AccessLevel.reporter);
  await push(scope, 'start', staff.owner);
  const issue = await rows.issue(scope.id);
  await push(scope, `Fixes #${issue.iid}`, staff.developer, 'aside', { start_branch: 'main' });
  assert.equal((await stateOf(issue)).state, 'opened');
  const foreign = await app.make.project({ visibility: 'public' });
  const untouchable = await rows.issue(foreign.id);
  const own = await rows.issue(foreign.id, { author_id: staff.maintainer.user.id });
  const shy = await app.make.project({
    visibility: 'public',
    columns: { settings: '{"autoclose_referenced_issues":false}' },
  });
  const notAutoclosed = await rows.issue(shy.id, { author_id: staff.maintainer.user.id });
  const path = (of: Project, { iid }: Issue) => `${of.full_path}#${iid}`;
  const message = `Closes #${issue.iid}, ${path(foreign, untouchable)}, ${path(foreign, own)}, ${path(shy, notAutoclosed)}`;
  const sha = await push(scope, message, staff.maintainer);
  assert.deepEqual(await stateOf(issue), { state: 'closed', closed_by_id: staff.maintainer.user.id });
  assert.ok((await systemNotesOf('Issue', issue)).includes(`closed via commit ${sha}`));
  assert.equal((await stateOf(untouchable)).state, 'opened');
  assert.equal((await stateOf(own)).state, 'closed');
  assert.ok((await systemNotesOf('Issue', own)).includes(`closed via commit ${scope.full_path}@${sha}`));
  assert.equal((await stateOf(notAutoclosed)).state, 'opened');
  const event = await app.deps.db.selectFrom('domain_events').selectAll().where('type', '=', 'issue.closed').execute();
  assert.ok(event.some(({ payload }) => JSON.parse(payload).issue_id === issue.id));
});

test('an issue that was opened again stays open when the event comes again', async () => {
  const scope = await app.make.project();
  await push(scope, 'start');
  const issue = await rows.issue(scope.id);
  await push(scope, `Closes #${issue.iid}`);
  assert.equal((await stateOf(issue)).state, 'closed');
  const event = await app.deps.db
    .selectFrom('domain_events')
    .select('id')
    .where('type', '=', 'push')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  clock.advance(1_000);
  await app.deps.db.transaction().execute(async (db) => {
    await db.updateTable('issues').set({ state: 'opened' }).where('id', '=', issue.id).execute();
    const target = { type: 'Issue', id: issue.id, projectId: scope.id } as const;
    await writeSystemNote(app.deps, db, target, 1, 'reopened', 'reopened');
    await app.deps.jobs.enqueue(db, jobKind('event:references.push', { lane: 'events' }), { event_id: event.id });
  });
  await app.drain();
  assert.equal((await stateOf(issue)).state, 'opened');
});

test('what closed an issue is told to those alone who can see it, whatever the projects look like', async () => {
  const columns = { repository_access_level: 'private', merge_requests_access_level: 'private' } as const;
  const scope = await app.make.project({ visibility: 'public', columns });
  const issue = await rows.issue(project.id);
  await push(scope, 'start');
  const sha = await push(scope, `Closes ${project.full_path}#${issue.iid}`);
  assert.equal((await stateOf(issue)).state, 'closed');
  const path = `/projects/${project.id}/issues/${issue.iid}`;
  const shown = async (token?: string) => {
    const notes = await app.get(`${path}/notes?sort=asc`, token === undefined ? {} : { token });
    const bodies = expectStatus<{ body: string }[]>(notes, 200).map(({ body }) => body);
    return bodies.filter((body) => !body.startsWith('mentioned'));
  };
  const closed = `closed via commit ${scope.full_path}@${sha}`;
  assert.deepEqual(await shown(), [closed]);
  assert.deepEqual(await shown(users.owner.token), []);
  await app.make.member({ project: scope }, users.owner.user, AccessLevel.guest);
  assert.deepEqual(await shown(users.owner.token), []);
  const member = { json: { access_level: AccessLevel.reporter } };
  expectStatus(await app.put(`/projects/${scope.id}/members/${users.owner.user.id}`, member), 200);
  assert.deepEqual(await shown(users.owner.token), [closed]);
  // Who closes it by hand names nothing, and is shown to everybody.
  const again = (state_event: string) => app.put(path, { json: { state_event } });
  for (const event of ['reopen', 'close']) expectStatus(await again(event), 200);
  assert.deepEqual((await shown(users.maintainer.token)).slice(-2), ['reopened', 'closed']);
});

test('merge requests know the issues that they close, and close them when they are merged', async () => {
  const scope = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, scope);
  const [named, committed, later, aside] = [
    await rows.issue(scope.id),
    await rows.issue(scope.id),
    await rows.issue(scope.id),
    await rows.issue(scope.id),
  ];
  const base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base, message: `Resolves #${committed.iid}\n` });
  const path = `/projects/${scope.id}/merge_requests`;
  const json = { title: 'Change', description: `Closes #${named.iid}`, source_branch: 'topic', target_branch: 'main' };
  const { iid, id } = expectStatus(await app.post(path, { json }), 201) as { iid: number; id: number };
  await app.drain();
  const closing = async () => {
    const query = app.deps.db.selectFrom('merge_requests_closing_issues').select('issue_id');
    return (await query.where('merge_request_id', '=', id).orderBy('issue_id').execute()).map((row) => row.issue_id);
  };
  assert.deepEqual(await closing(), [named.id, committed.id]);
  assert.deepEqual(await systemNotesOf('Issue', named), [`mentioned in merge request !${iid}`]);
  const description = `Closes #${named.iid} and #${later.iid}`;
  expectStatus(await app.put(`${path}/${iid}`, { json: { description } }), 200);
  await app.drain();
  assert.deepEqual(await closing(), [named.id, committed.id, later.id]);
  git.commit('other', { c: '1' }, { start: base });
  expectStatus(await app.put(`${path}/${iid}`, { json: { target_branch: 'other' } }), 200);
  await app.drain();
  assert.deepEqual(await closing(), []);
  expectStatus(await app.put(`${path}/${iid}`, { json: { target_branch: 'main' } }), 200);
  const sha = await push(scope, `Also closes #${aside.iid}`, undefined, 'topic');
  assert.deepEqual(await closing(), [named.id, committed.id, later.id, aside.id]);
  assert.equal((await stateOf(aside)).state, 'opened');
  const merge = git.merge('merged', [base, sha], { b: '1' });
  await inRepositoryQueue(app.deps, scope, (repo) =>
    changeRefs(app.deps, repo, {
      holder: ofProject(scope),
      userId: 1,
      updates: [{ ref: 'refs/heads/main', old: base, new: merge }],
      via: 'api',
      pushOptions: [],
      cause: { type: 'merge', merge_request_id: id, head_sha: sha, merge_commit_sha: merge, squash_commit_sha: null },
      guard: async () => {},
    }),
  );
  await app.drain();
  for (const issue of [named, committed, later, aside]) {
    assert.deepEqual(await stateOf(issue), { state: 'closed', closed_by_id: 1 });
    const closed = (await systemNotesOf('Issue', issue)).filter((note) => note.startsWith('closed'));
    assert.deepEqual(closed, [`closed via merge request !${iid}`]);
  }
  assert.deepEqual(await closing(), [named.id, committed.id, later.id, aside.id]);
});
