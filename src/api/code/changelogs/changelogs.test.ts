import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { type Files, ProjectGit } from '../../../../test/support/project-git.ts';
import type { Visibility } from '../../../core/access-levels.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** A project with the tag `v1.0.0` and commits after it. */
async function history(options: { visibility?: Visibility; files?: Files } = {}) {
  const project = await app.make.project({ visibility: options.visibility ?? 'public' });
  const git = new ProjectGit(app, project);
  let count = 0;
  const commit = (message: string, more: { email?: string } = {}) => {
    count += 1;
    return git.commit('main', { [`${count}.txt`]: `${count}` }, { message: `${message}\n`, ...more });
  };
  const first = git.commit('main', { 'a.txt': 'a', ...options.files });
  git.run(['tag', 'v1.0.0', first]);
  const path = `/projects/${project.id}/repository/changelog`;
  const notes = async (query: Record<string, string> = {}, token?: string | null) => {
    const request = {
      query: { version: '1.1.0', date: '2026-02-03', ...query },
      ...(token === undefined ? {} : { token }),
    };
    return expectStatus<{ notes: string }>(await app.get(path, request), 200).notes;
  };
  const failure = async (query: Record<string, string>, status = 422) =>
    expectStatus<{ message: string }>(await app.get(path, { query: { version: '1.1.0', ...query } }), status).message;
  const url = `${app.deps.externalUrl()}/${project.full_path}/-`;
  return { project, git, commit, first, path, notes, failure, url };
}

test('GET changelog lists the commits with the trailer since the last stable tag, by category', async () => {
  const { commit, notes, git, url } = await history();
  const a = commit('Add a\n\nChangelog: feature');
  git.run(['tag', '-a', '-m', 'x', 'v1.0.1-rc1', 'main']);
  const b = commit('Mend b\n\nChangelog: bug\nIssue: #1');
  commit('Not for the public');
  const c = commit('Add c\n\nBody\n\nChangelog: feature');
  assert.equal(
    await notes(),
    [
      '## 1.1.0 (2026-02-03)',
      '',
      '### feature (2 changes)',
      '',
      `- [Add c](${url}/commit/${c})`,
      `- [Add a](${url}/commit/${a})`,
      '',
      '### bug (1 change)',
      '',
      `- [Mend b](${url}/commit/${b})`,
      '',
    ].join('\n'),
  );
  assert.match(await notes({ version: 'v1.1.0', to: b }), /^## 1\.1\.0 .*\n\n### bug \(1 change\)/);
  assert.match(await notes({ from: b, to: 'main' }), /### feature \(1 change\)/);
  assert.match(await notes({ trailer: 'Issue' }), /### #1 \(1 change\)/);
  assert.equal(await notes({ trailer: 'changelog' }), '## 1.1.0 (2026-02-03)\n\nNo changes.\n');
  git.run(['tag', 'v2.0.0', 'main']);
  assert.match(await notes({ version: '1.9.0' }), /feature \(2 changes\)/);
  assert.match(await notes({ version: '2.0.1' }), /No changes/);
});

test('a commit that the range reverts is left out, and the revert stands there where it has the trailer', async () => {
  const { commit, notes } = await history();
  commit('A\n\nChangelog: changed');
  const b = commit('B\n\nChangelog: changed');
  const revert = commit(`Revert "B"\n\nThis reverts commit ${b}`);
  assert.deepEqual((await notes()).match(/\[.+?\]/g), ['[A]']);
  commit(`Revert "Revert"\n\nThis reverts commit ${revert}`);
  assert.deepEqual((await notes()).match(/\[.+?\]/g), ['[B]', '[A]']);
  const e = commit('E\n\nChangelog: changed');
  commit(`C\n\nThis reverts commit ${e}\n\nChangelog: changed`);
  assert.deepEqual((await notes()).match(/\[.+?\]/g), ['[C]', '[B]', '[A]']);
});

test('authors who are no members and merge requests are named to whoever may see them', async () => {
  const { project, commit, notes, git, url } = await history();
  const { developer, stranger, guest } = await app.make.members(project);
  commit('Ours\n\nChangelog: added', { email: developer.user.email });
  commit('Theirs\n\nChangelog: added', { email: stranger.user.email.toUpperCase() });
  const head = git.commit(
    'topic',
    { 't.txt': 't' },
    { start: 'refs/heads/main', message: 'Topic\n\nChangelog: added\n' },
  );
  const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
  const { iid } = expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json }), 201);
  assert.doesNotMatch(await notes({ to: head }), /merge request/);
  expectStatus(await app.put(`/projects/${project.id}/merge_requests/${iid}/merge`, { json: {} }), 200);
  const all = await notes();
  assert.match(all, new RegExp(`\\[Topic\\]\\(.*?\\) \\(\\[merge request\\]\\(${url}/merge_requests/${iid}\\)\\)`));
  assert.match(all, new RegExp(`\\[Theirs\\]\\(.*?\\) by @${stranger.user.username}\n`));
  assert.match(all, /\[Ours\]\(\S*\)\n/);
  expectStatus(await app.put(`/projects/${project.id}`, { json: { merge_requests_access_level: 'private' } }), 200);
  assert.doesNotMatch(await notes({}, stranger.token), /merge request/);
  assert.doesNotMatch(await notes({}, guest.token), /merge request/);
  assert.match(await notes({}, developer.token), /merge request/);
});

test('the configuration of the project decides about titles, dates, tags and the template', async () => {
  const config = [
    "date_format: '%d.%m.%y'",
    'categories: { feature: Features }',
    "tag_regex: '^rel-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$'",
    'template: |',
    '  {% each categories %}',
    '  * {{ title }}: {% each entries %}{{ title }} {{ commit.reference }} {{ commit.trailers.Issue }};{% end %}',
    '',
    '  {% end %}',
  ].join('\n');
  const { project, commit, notes, failure, git } = await history({ files: { '.gitlab/changelog_config.yml': config } });
  assert.match(await failure({}), /no previous tag could be found/);
  git.run(['tag', 'rel-0.9.0', 'main']);
  const sha = commit('New\n\nChangelog: feature\nIssue: 5');
  assert.equal(await notes(), `## 1.1.0 (03.02.26)\n\n* Features: New ${project.full_path}@${sha} 5;\n`);
  git.commit('other', { 'c.yml': 'template: other' }, { start: sha });
  assert.match(await notes({ config_file: 'c.yml', config_file_ref: 'other', from: 'v1.0.0' }), /\n\nother\n$/);
  for (const [text, problem] of [
    ['a: [', /not valid YAML/],
    ['- x', /must be a mapping/],
    ["tag_regex: '('", /tag_regex .* invalid/],
    ['tag_regex: 5', /must be a string/],
    ['categories: x', /must be a mapping/],
    ['include_groups: x', /include_groups/],
    ["template: '{% if %}'", /template/],
    [`a: ${'['.repeat(60_000)}`, /not valid YAML/],
    [`a: ${'x'.repeat(140_000)}`, /longer than/],
    [`a: &a [1,1]\nb: &b [*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]`, /not valid YAML/],
  ] as const) {
    git.commit('bad', { 'c.yml': text }, { start: sha });
    assert.match(await failure({ config_file: 'c.yml', config_file_ref: 'bad' }), problem, text.slice(0, 50));
  }
});

test('members of groups of the configuration are credited where the caller may see the group', async () => {
  const { project, commit, notes, git } = await history();
  const users = await app.make.members(project);
  const group = await app.make.group({ visibility: 'private' });
  const member = { user_id: users.developer.user.id, access_level: 30 };
  expectStatus(await app.post(`/groups/${group.id}/members`, { json: member }), 201);
  git.commit('main', { '.gitlab/changelog_config.yml': `include_groups: [${group.full_path}, none, '1']` });
  commit('Ours\n\nChangelog: added', { email: users.developer.user.email });
  assert.match(await notes({}, users.developer.token), / by @/);
  assert.doesNotMatch(await notes({}, users.maintainer.token), / by @/);
});

test('what cannot be generated is refused and says why', async () => {
  const { failure, first } = await history();
  assert.equal(
    await failure({ version: 'v0.0.0' }),
    'Failed to generate the changelog: The commit start range is unspecified, and no previous tag could be found to use instead',
  );
  for (const query of [{ from: 'none' }, { to: 'none' }, { from: first, to: 'f'.repeat(40) }] as Record<
    string,
    string
  >[]) {
    assert.match(await failure(query), /Invalid or not found commit value/);
  }
  assert.equal(await failure({ version: '1.0' }, 400), 'version is invalid');
  await failure({ date: 'yesterday' }, 400);
  const empty = await app.make.project();
  expectStatus(await app.get(`/projects/${empty.id}/repository/changelog`, { query: { version: '1.0.0' } }), 422);
  expectStatus(await app.get(`/projects/${empty.id}/repository/changelog`), 400);
});

test('POST changelog commits the section once, in the order of versions', async () => {
  const { project, commit, path, git } = await history();
  commit('New\n\nChangelog: feature');
  const post = (json: object) => app.post(path, { json: { date: '2026-02-03', ...json } });
  assert.equal(expectStatus(await post({ version: '1.1.0' }), 200), 200);
  assert.equal(git.run(['log', '-1', '--format=%s', 'main']), 'Add changelog for version 1.1.0');
  assert.match(git.run(['show', 'main:CHANGELOG.md']), /^## 1\.1\.0 \(2026-02-03\)\n\n### feature \(1 change\)\n/);
  const head = git.run(['rev-parse', 'main']);
  expectStatus(await post({ version: 'v1.1.0' }), 200);
  assert.equal(git.run(['rev-parse', 'main']), head);
  expectStatus(await post({ version: '1.0.5', message: 'Older' }), 200);
  expectStatus(await post({ version: '1.2.0' }), 200);
  const sections = () => git.run(['show', 'main:CHANGELOG.md']).match(/^## \S+/gm);
  assert.deepEqual(sections(), ['## 1.2.0', '## 1.1.0', '## 1.0.5']);
  await Promise.all(['1.3.0', '1.4.0', '1.5.0'].map(async (version) => expectStatus(await post({ version }), 200)));
  assert.deepEqual(sections()?.slice(0, 4), ['## 1.5.0', '## 1.4.0', '## 1.3.0', '## 1.2.0']);
  git.run(['branch', 'side', 'v1.0.0']);
  git.commit('side', { 's.txt': 's' }, { message: 'Side\n\nChangelog: added\n' });
  expectStatus(await post({ version: '1.1.0', branch: 'side', file: 'docs/NEWS.md' }), 200);
  assert.match(git.run(['show', 'side:docs/NEWS.md']), /\[Side\]/);
  assert.match(
    expectStatus(await post({ version: '1.1.0', branch: 'none' }), 422).message as string,
    /Invalid or not found/,
  );
  assert.match(expectStatus(await post({ version: '1.1.0', file: '../x' }), 422).message as string, /traversal/);
  assert.match(
    expectStatus(await post({ version: '1.1.0', file: 'docs', branch: 'side' }), 422).message as string,
    /is not a file/,
  );
  await app.drain();
  assert.ok(expectStatus<unknown[]>(await app.get(`/projects/${project.id}/events`), 200).length > 0);
});

test('whoever may read the code generates, and whoever may push to the branch commits', async () => {
  const { project, path, commit, git } = await history();
  commit('New\n\nChangelog: feature');
  const { stranger, guest, reporter, developer, maintainer } = await app.make.members(project);
  const query = { version: '1.1.0' };
  for (const token of [null, stranger.token, guest.token, reporter.token]) {
    expectStatus(await app.get(path, { query, token }), 200);
    expectStatus(await app.post(path, { json: query, token }), token === null ? 401 : 403);
  }
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'main' } }), 201);
  const head = git.run(['rev-parse', 'main']);
  const { message } = expectStatus(await app.post(path, { json: query, token: developer.token }), 422);
  assert.equal(message, 'Failed to generate the changelog: You are not allowed to push into this branch');
  assert.equal(git.run(['rev-parse', 'main']), head);
  expectStatus(await app.post(path, { json: query, token: maintainer.token }), 200);
  const hidden = await history({ visibility: 'private' });
  const members = await app.make.members(hidden.project);
  expectStatus(await app.get(hidden.path, { query, token: null }), 404);
  expectStatus(await app.get(hidden.path, { query, token: stranger.token }), 404);
  expectStatus(await app.get(hidden.path, { query, token: members.guest.token }), 403);
  expectStatus(await app.post(hidden.path, { json: query, token: stranger.token }), 404);
});
