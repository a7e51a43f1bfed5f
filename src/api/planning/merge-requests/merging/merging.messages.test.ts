import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { changedSettings, type ProjectSettings } from '../../../spaces/projects/projects.settings.ts';

let app: TestApp;
let author: TestUser;
before(async () => {
  app = await buildTestApp();
  author = await app.make.user({ username: 'ada', columns: { commit_email: 'ada@example.com' } });
});
after(() => app.close());

interface Scene {
  project: Project;
  git: ProjectGit;
  row: MergeRequest;
}

/** A merge request of three commits by three people, in a project with these settings. */
async function scene(settings: Partial<ProjectSettings>, columns: Partial<MergeRequest> = {}): Promise<Scene> {
  const project = await app.make.project({ columns: { settings: changedSettings({ settings: '{}' }, settings) } });
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base, message: 'First\n' });
  git.commit('topic', { b: '2' }, { message: 'Second\n\nwith a reason\n', email: 'eve@example.com' });
  git.commit('topic', { b: '3' }, { message: 'Third\n\nmore\n', email: 'zoe@example.com' });
  const values = { author_id: author.user.id, title: 'Do it', ...columns };
  return { project, git, row: await makeMergeRequest(app, project, { source_branch: 'topic', ...values }) };
}

async function merged({ project, git, row }: Scene, json: object = {}): Promise<{ merge: string; squash: string }> {
  const body = expectStatus(await app.put(`/projects/${project.id}/merge_requests/${row.iid}/merge`, { json }), 200);
  const message = (commit: unknown) =>
    commit === null ? '' : git.run(['show', '-s', '--format=%B', String(commit)]).trim();
  return { merge: message(body.merge_commit_sha), squash: message(body.squash_commit_sha) };
}

async function closes({ row }: Scene, project: Project, iid: number): Promise<void> {
  const issue = await app.deps.db
    .insertInto('issues')
    .values({ iid, project_id: project.id, author_id: 1, title: 'Bug', created_at: '', updated_at: '' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.deps.db
    .insertInto('merge_requests_closing_issues')
    .values({ merge_request_id: row.id, issue_id: issue.id })
    .execute();
}

test('the usual merge message names the issues that are closed, from where they are', async () => {
  const made = await scene({});
  const neighbour = await app.make.project({ path: 'neighbour' });
  const far = await app.make.project({ namespace: await app.make.group({ path: 'far' }), path: 'away' });
  await closes(made, made.project, 7);
  await closes(made, neighbour, 8);
  await closes(made, far, 9);
  const { merge } = await merged(made);
  const reference = `See merge request ${made.project.full_path}!${made.row.iid}`;
  assert.equal(
    merge,
    `Merge branch 'topic' into 'main'\n\nDo it\n\nCloses #7, neighbour#8 and far/away#9\n\n${reference}`,
  );
});

test('the templates of the project know all variables', async () => {
  const names = [
    'source_branch',
    'target_branch',
    'title',
    'description',
    'reference',
    'local_reference',
    'source_project_id',
    'url',
    'merged_by',
    'merge_request_author',
    'approved_by',
    'reviewed_by',
    'co_authored_by',
    'first_commit',
    'first_multiline_commit',
    'first_multiline_commit_description',
    'all_commits',
  ];
  const template = names.map((name) => `${name}: %{${name}}`).join('\n');
  const made = await scene(
    { merge_commit_template: template, squash_commit_template: template },
    { description: '%{url}' },
  );
  const { project, row } = made;
  const reviewer = await app.make.user();
  const { id: user_id, name, email } = reviewer.user;
  const about = { merge_request_id: row.id, user_id, created_at: '' };
  await app.deps.db
    .insertInto('approvals')
    .values({ ...about, head_sha: row.head_sha! })
    .execute();
  await app.deps.db
    .insertInto('merge_request_reviewers')
    .values({ ...about, state: 'approved' })
    .execute();
  const { merge, squash } = await merged(made, { squash: true });
  const lines = [
    'source_branch: topic',
    'target_branch: main',
    'title: Do it',
    'description: %{url}',
    `reference: ${project.full_path}!${row.iid}`,
    `local_reference: !${row.iid}`,
    `source_project_id: ${project.id}`,
    `url: ${app.deps.externalUrl()}/${project.full_path}/-/merge_requests/${row.iid}`,
    'merged_by: Merged-by: Administrator <admin@example.com>',
    'merge_request_author: Name of ada <ada@example.com>',
    `approved_by: Approved-by: ${name} <${email}>`,
    `reviewed_by: Reviewed-by: ${name} <${email}>`,
  ];
  const zoe = 'Co-authored-by: Ada <zoe@example.com>\nCo-authored-by: Ada <eve@example.com>';
  const commits = [
    'first_commit: First',
    'first_multiline_commit: Second\n\nwith a reason',
    'first_multiline_commit_description: with a reason',
    'all_commits: * First\n\n* Second\n\nwith a reason\n\n* Third\n\nmore',
  ];
  assert.equal(squash, [...lines, `co_authored_by: ${zoe}`, ...commits].join('\n'));
  const all = `${zoe}\nCo-authored-by: Ada <ada@example.com>`;
  assert.equal(merge, [...lines, `co_authored_by: ${all}`, ...commits].join('\n'));
});

test('what the merge says wins over templates, and is none itself', async () => {
  const made = await scene({ merge_commit_template: 'template', squash_commit_template: 'template' });
  const json = { merge_commit_message: 'say %{title}', squash_commit_message: 'squash %{url}', squash: true };
  assert.deepEqual(await merged(made, json), { merge: 'say %{title}', squash: 'squash %{url}' });
});

test('without values a template leaves no empty lines behind', async () => {
  const template = '%{title}\n\n%{description}\n\n%{approved_by}\n\n%{issues}';
  assert.equal((await merged(await scene({ merge_commit_template: template }))).merge, 'Do it');
});
