import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { runGitClient } from '../../../test/support/git-client.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import { meanwhile } from '../../../test/support/meanwhile.ts';
import type { Project } from '../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let git: GitUser;
before(async () => {
  app = await buildTestApp();
  git = await GitUser.of(app);
});
after(() => app.close());

/** A project with one commit on `main`, a maintainer, and their work tree, whose remote is the project. */
async function place(rule: Json = {}) {
  const project = await app.make.project();
  const { maintainer } = await app.make.members(project);
  const dir = await git.tree();
  await git.ok(dir, 'remote', 'add', 'origin', git.address(project, maintainer.token));
  await git.ok(dir, 'push', '--quiet', 'origin', 'main');
  await setRule(project, rule);
  return { project, maintainer, dir };
}

async function setRule(project: Project, rule: Json): Promise<void> {
  const path = `/projects/${project.id}/push_rule`;
  await app.delete(path);
  if (Object.keys(rule).length > 0) expectStatus(await app.post(path, { json: rule }), 201);
}

/** Commits as somebody, what another has written where one is named. */
async function commitAs(dir: string, name: string, email: string, author = `${name} <${email}>`): Promise<void> {
  const env = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  const args = ['commit', '--quiet', '--allow-empty', '--message', 'x', '--author', author];
  const { code, stderr } = await runGitClient(dir, args, '', env);
  assert.equal(code, 0, stderr);
}
const commit = (dir: string, message: string, ...more: string[]) =>
  git.ok(dir, 'commit', '--quiet', '--allow-empty', '--message', message, ...more);
const push = (dir: string, branch = 'work') => git.ok(dir, 'push', 'origin', `HEAD:refs/heads/${branch}`);
const refused = async (dir: string, ...refs: string[]) =>
  git.fails(dir, 'push', '--force', 'origin', ...(refs.length === 0 ? ['HEAD:refs/heads/work'] : refs));
const reset = (dir: string) => git.ok(dir, 'reset', '--quiet', '--hard', 'origin/main');

test('a message has to match, in lines, and must not match what is forbidden', async () => {
  const { dir, project } = await place({ commit_message_regex: '^JIRA-\\d+$', commit_message_negative_regex: 'WIP' });
  await commit(dir, 'fine\n\nJIRA-12');
  await commit(dir, 'no key');
  assert.match(await refused(dir), /remote: Stithy: Commit message does not follow the pattern '\^JIRA-\\d\+\$'/);
  await git.ok(dir, 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'JIRA-1\n\nWIP');
  assert.match(await refused(dir), /remote: Stithy: Commit message contains the forbidden pattern 'WIP'/);
  await git.ok(dir, 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'JIRA-1');
  await push(dir);
  // One pattern for the whole text.
  await setRule(project, { commit_message_regex: '(?-m)^JIRA-\\d+$' });
  await commit(dir, 'text\nJIRA-1');
  assert.match(await refused(dir), /does not follow the pattern/);
});

test('every new commit is looked at, and no old one', async () => {
  const { dir, project } = await place();
  for (const n of [1, 2, 3]) await commit(dir, `old ${n}`);
  await push(dir, 'old');
  await setRule(project, { commit_message_regex: '^new' });
  await push(dir, 'same-as-old');
  await commit(dir, 'bad one between');
  await commit(dir, 'new');
  assert.match(await refused(dir), /Commit message does not follow the pattern '\^new'/);
});

test('branches are called as the rule wants, but for the default branch and those that go', async () => {
  const { dir, project } = await place();
  await push(dir, 'odd');
  await setRule(project, { branch_name_regex: '^(feature|fix)/' });
  await commit(dir, 'one');
  assert.match(await refused(dir), /Branch name 'work' does not follow the pattern '\^\(feature\|fix\)\/'/);
  await push(dir, 'feature/one');
  await push(dir, 'main');
  await git.ok(dir, 'push', 'origin', ':refs/heads/odd');
  await git.ok(dir, 'push', 'origin', 'HEAD:refs/tags/v1');
  assert.match(await refused(dir, 'HEAD:refs/heads/feature/two', 'HEAD:refs/heads/bad'), /Branch name 'bad'/);
  const tip = await git.fails(dir, 'ls-remote', '--exit-code', 'origin', 'refs/heads/feature/two');
  assert.equal(tip, '');
});

test('addresses of author and committer have to match', async () => {
  const { dir } = await place({ author_email_regex: '@good\\.example$' });
  await commitAs(dir, 'Ann', 'ann@good.example', 'Bo <bo@bad.example>');
  assert.match(await refused(dir), /Author's email 'bo@bad\.example' does not follow the pattern '@good\\\.example\$'/);
  await reset(dir);
  await commitAs(dir, 'Ann', 'ann@bad.example', 'Bo <bo@good.example>');
  assert.match(await refused(dir), /Committer's email 'ann@bad\.example' does not follow the pattern/);
  await reset(dir);
  await commitAs(dir, 'Ann', 'ann@good.example', 'Bo <bo@good.example>');
  await push(dir);
});

test('tags stay where no push may remove them; the API can', async () => {
  const { dir, project, maintainer } = await place({ deny_delete_tag: true });
  await git.ok(dir, 'push', 'origin', 'HEAD:refs/tags/v1', 'HEAD:refs/heads/gone');
  assert.match(await refused(dir, ':refs/tags/v1'), /remote: Stithy: You cannot delete a tag/);
  await git.ok(dir, 'push', 'origin', ':refs/heads/gone');
  expectStatus(await app.delete(`/projects/${project.id}/repository/tags/v1`, { token: maintainer.token }), 204);
});

test('authors and committers have to be users, by confirmed addresses', async () => {
  const { dir, maintainer } = await place({ member_check: true });
  const other = await app.make.user();
  const made = (author: string) => commitAs(dir, 'Me', maintainer.user.email, author);
  await made('Nobody <nobody@elsewhere.example>');
  assert.match(await refused(dir), /Author 'nobody@elsewhere\.example' is not a member of team/);
  await reset(dir);
  await made(`Other <${other.user.email.toUpperCase()}>`);
  await push(dir);
  await app.deps.db.updateTable('users').set({ confirmed_at: null }).where('id', '=', other.user.id).execute();
  await made(`Other <${other.user.email}>`);
  assert.match(await refused(dir), /Author '.*' is not a member of team/);
  await reset(dir);
  await commitAs(dir, 'X', 'x@x.example', `Me <${maintainer.user.email}>`);
  assert.match(await refused(dir), /Committer 'x@x\.example' is not a member of team/);
});

test('the committer has to be who pushes, by an address that is confirmed', async () => {
  const { dir, maintainer } = await place({ commit_committer_check: true });
  const other = await app.make.user();
  await commitAs(dir, 'X', other.user.email);
  assert.match(
    await refused(dir),
    new RegExp(`You cannot push commits for '${other.user.email}'. You can only push commits if the committer email`),
  );
  await reset(dir);
  const now = new Date().toISOString();
  const row = { user_id: maintainer.user.id, email: 'second@example.org', confirmed_at: null, created_at: now };
  await app.deps.db.insertInto('emails').values(row).execute();
  await commitAs(dir, 'X', row.email);
  assert.match(await refused(dir), /Committer email 'second@example\.org' is not verified\./);
  await app.deps.db.updateTable('emails').set({ confirmed_at: now }).where('email', '=', row.email).execute();
  await push(dir);
  await commitAs(dir, 'X', maintainer.user.email.toUpperCase());
  await push(dir);
});

test('the author has to be called as the account that pushes', async () => {
  const { dir, maintainer } = await place({ commit_committer_name_check: true });
  await commitAs(dir, 'Somebody', 'a@b.example');
  assert.match(await refused(dir), /Author name is inconsistent with the account name: 'Somebody' instead of 'Name of/);
  await reset(dir);
  await commitAs(dir, maintainer.user.name, 'a@b.example');
  await push(dir);
});

test('messages have to be signed off', async () => {
  const { dir } = await place({ reject_non_dco_commits: true });
  for (const message of ['plain', 'x\n\nSigned-off-by: nobody', 'x\n\nnot Signed-off-by: A <a@b.example>']) {
    await commit(dir, message);
    assert.match(await refused(dir), /Commit message must contain a DCO signoff/);
    await reset(dir);
  }
  await commit(dir, 'x', '--signoff');
  await push(dir);
});

test('new files are not called as is forbidden, nor as those with secrets; old ones stay', async () => {
  const { dir, project } = await place();
  await git.commit(dir, 'old.exe', 'x');
  await git.commit(dir, 'keys/old.pem', 'x');
  await push(dir, 'main');
  await git.ok(dir, 'fetch', '--quiet', 'origin');
  await setRule(project, { file_name_regex: '(^|/)install\\.exe$|\\.exe$', prevent_secrets: true });
  await git.commit(dir, 'old.exe', 'changed');
  await git.commit(dir, 'keys/old.pem', 'changed');
  await push(dir);
  for (const [path, reason] of [
    ['sub/new.exe', /File name 'sub\/new\.exe' was prohibited by the pattern '\(\^\|\/\)install/],
    ['.aws/credentials', /File name '\.aws\/credentials' was prohibited by the pattern 'aws\/credentials\$'/],
    ['a/.ssh/personal_ed25519', /was prohibited by the pattern/],
    ['config/server_ecdsa_sk', /was prohibited by the pattern/],
    ['id_rsa', /File name 'id_rsa' was prohibited/],
    ['x/.id_dsa', /was prohibited by the pattern/],
    ['tls/server.pem', /was prohibited by the pattern/],
    ['a.key', /was prohibited by the pattern/],
    ['.bash_history', /was prohibited by the pattern/],
    ['.history', /was prohibited by the pattern/],
    ['é\u00a0ü.exe', /File name 'é\u00a0ü\.exe' was prohibited/],
  ] as const) {
    await git.commit(dir, path, 'secret');
    // Gone from the last commit, but still in the history.
    await git.ok(dir, 'rm', '--quiet', path);
    await commit(dir, 'away');
    assert.match(await refused(dir), reason);
    await reset(dir);
  }
  for (const path of ['id_rsa.pub', 'credentials', 'history', 'pem', 'droid_rsa', 'exe/readme']) {
    await git.commit(dir, path, 'x');
  }
  await push(dir, 'fine');
  await git.ok(dir, 'mv', 'old.exe', 'renamed.exe');
  await commit(dir, 'rename');
  assert.match(await refused(dir), /File name 'renamed\.exe' was prohibited/);
});

test('new files are no larger than allowed; those that are there do not count', async () => {
  const { dir, project } = await place();
  const large = Buffer.alloc(1024 * 1024 + 1, 'x');
  writeFileSync(join(dir, 'old.bin'), large);
  await git.commit(dir, 'note', 'x');
  await push(dir, 'main');
  await git.ok(dir, 'fetch', '--quiet', 'origin');
  await setRule(project, { max_file_size: 1 });
  await git.ok(dir, 'mv', 'old.bin', 'moved.bin');
  await commit(dir, 'move');
  await push(dir, 'moved');
  writeFileSync(join(dir, 'just.bin'), large.subarray(1));
  await git.commit(dir, 'note', 'y');
  await push(dir, 'just');
  writeFileSync(join(dir, 'more.bin'), Buffer.concat([large, large]));
  await git.commit(dir, 'note', 'z');
  const reason = /File 'more\.bin' is larger than the allowed size of 1 MiB\. Use Git LFS to manage this file\./;
  assert.match(await refused(dir), reason);
  // By a tag alone.
  assert.match(await refused(dir, 'HEAD:refs/tags/large'), reason);
});

test('what comes by a tag, or by a merge, is judged as what comes by a branch', async () => {
  const { dir } = await place({ commit_message_regex: 'good', file_name_regex: '\\.exe$' });
  await commit(dir, 'bad');
  await git.ok(dir, 'tag', '--annotate', '--message', 'x', 'v1');
  assert.match(await refused(dir, 'refs/tags/v1'), /Commit message does not follow/);
  assert.match(await refused(dir, 'HEAD:refs/tags/light'), /Commit message does not follow/);
  await reset(dir);
  await git.ok(dir, 'switch', '--quiet', '--create', 'side');
  await git.commit(dir, 'side', 'x');
  await git.ok(dir, 'commit', '--quiet', '--amend', '--message', 'good side');
  await git.ok(dir, 'switch', '--quiet', 'main');
  await commit(dir, 'good main');
  await git.ok(dir, 'merge', '--quiet', '--no-commit', '--no-ff', 'side');
  writeFileSync(join(dir, 'evil.exe'), 'x');
  await git.ok(dir, 'add', '--all');
  await commit(dir, 'good merge');
  assert.match(await refused(dir), /File name 'evil\.exe' was prohibited/);
});

test('a push of a blob, of a tree and of refs of other kinds is no way around', async () => {
  const { dir } = await place({ commit_message_regex: 'good', prevent_secrets: true, max_file_size: 1 });
  await git.ok(dir, 'tag', 'blob', 'HEAD:README.md');
  await git.ok(dir, 'tag', 'tree', 'HEAD^{tree}');
  await git.ok(dir, 'push', 'origin', 'refs/tags/blob', 'refs/tags/tree');
  await commit(dir, 'bad');
  await git.ok(dir, 'push', 'origin', 'HEAD:refs/other/place');
  assert.match(await refused(dir), /Commit message does not follow/);
});

test('a group rules the projects below that have no push rule of their own, those there and new ones', async () => {
  const group = await app.make.group();
  const sub = await app.make.group({ parent: group });
  const before = await app.make.project({ namespace: sub });
  expectStatus(await app.post(`/groups/${group.id}/push_rule`, { json: { commit_message_regex: 'JIRA' } }), 201);
  const later = await app.make.project({ namespace: sub });
  const dir = await git.tree();
  for (const project of [before, later]) {
    const output = await git.fails(dir, 'push', git.address(project), 'main');
    assert.match(output, /Commit message does not follow the pattern 'JIRA'/);
  }
  await setRule(before, { commit_message_regex: 'Change' });
  await git.ok(dir, 'push', git.address(before), 'main');
  const elsewhere = await app.make.project();
  await git.ok(dir, 'push', git.address(elsewhere), 'main');
  expectStatus(await app.delete(`/groups/${group.id}/push_rule`), 204);
  await git.ok(dir, 'push', git.address(later), 'main');
});

test('snippets and wikis know no push rules', async () => {
  const { project, maintainer, dir } = await place({ commit_message_regex: 'never', prevent_secrets: true });
  const { token } = maintainer;
  const json = { title: 'x', visibility: 'private', files: [{ file_path: 'id_rsa', content: 'x' }] };
  expectStatus(await app.post(`/projects/${project.id}/snippets`, { token, json }), 201);
  const page = { title: 'home', content: 'x' };
  expectStatus(await app.post(`/projects/${project.id}/wikis`, { token, json: page }), 201);
  const wiki = git.address({ full_path: `${project.full_path}.wiki` }, token);
  await git.ok(dir, 'push', '--force', wiki, 'HEAD:refs/heads/main');
});

test('a push that was looked at is refused where the rule, or who pushes, is another by its turn', async () => {
  const { dir, project, maintainer } = await place({ commit_committer_check: true });
  await commitAs(dir, 'X', maintainer.user.email);
  meanwhile(app, () => setRule(project, { deny_delete_tag: true }));
  assert.match(await refused(dir), /The push rules were changed meanwhile\. Please try again\./);
  await setRule(project, { commit_committer_check: true });
  const { id } = maintainer.user;
  const email = 'another@example.org';
  meanwhile(app, () => app.deps.db.updateTable('users').set({ email }).where('id', '=', id).execute());
  assert.match(await refused(dir), /Your name or addresses were changed meanwhile/);
  await commitAs(dir, 'X', email);
  await git.ok(dir, 'reset', '--quiet', '--soft', 'HEAD~2');
  await commitAs(dir, 'X', email);
  await push(dir);
  await setRule(project, { member_check: true });
  await commitAs(dir, 'X', email);
  meanwhile(app, () => app.deps.db.updateTable('users').set({ confirmed_at: null }).where('id', '=', id).execute());
  assert.match(await refused(dir), /'another@example\.org' is not a member of team/);
});

test('a text that would keep everybody waiting is refused, not waited for', async () => {
  const { dir } = await place({ commit_message_regex: '(\\pL{1,30} ?){1,25}[M-Q]|JIRA' });
  await commit(dir, `JIRA\n\n${'words and '.repeat(2_000)}`);
  assert.match(await refused(dir), /A text of 2\d{4} characters is too long for the pattern/);
  await git.ok(dir, 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'JIRA');
  await push(dir);
});

test('a message beyond measure is refused where messages are looked at', async () => {
  const { dir, project } = await place({ reject_non_dco_commits: true });
  const file = join(git.folder, 'message');
  writeFileSync(file, `x\n\nSigned-off-by: A <a@b.example>\n\n${'x'.repeat(1024 * 1024)}`);
  await git.ok(dir, 'commit', '--quiet', '--allow-empty', '--file', file);
  assert.match(await refused(dir), /Commit message of [0-9a-f]{40} is too long to be checked/);
  await setRule(project, { member_check: false });
  await push(dir);
});

test('a refusal shows nothing that a terminal would follow', async () => {
  const { dir, project } = await place({ file_name_regex: '\\.exe$' });
  await git.commit(dir, 'a\x1b[2J\x07\x9b31m\r.exe', 'x');
  const names = await refused(dir);
  assert.match(names, /was prohibited by the pattern/);
  await reset(dir);
  await setRule(project, { author_email_regex: '@example\\.org$' });
  await commitAs(dir, 'Eve', 'eve@\x1b]0;owned\x07evil.example');
  const emails = await refused(dir);
  assert.match(emails, /does not follow the pattern/);
  for (const text of [names, emails]) {
    const remote = text.split('\n').filter((line) => line.includes('Stithy:'));
    assert.ok(remote.length > 0);
    for (const line of remote) assert.doesNotMatch(line.replace(/\x1b\[K/g, ''), /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  }
});

test('several thousand commits, files and branches come in by one push', async () => {
  const { dir } = await place({
    commit_message_regex: '^good \\d+$',
    branch_name_regex: '^b/',
    author_email_regex: '@example',
    file_name_regex: '\\.exe$',
    max_file_size: 1,
  });
  const author = 'author Ada <ada@example.com>';
  const script = Array.from({ length: 3_000 }, (_, n) =>
    [
      `commit refs/heads/b/${n % 10}`,
      `${author} ${1_700_000_000 + n} +0000`,
      `${author.replace('author', 'committer')} ${1_700_000_000 + n} +0000`,
      `data ${`good ${n}`.length}\ngood ${n}`,
      `M 100644 inline dir/${n}\ndata 1\nx`,
      '',
    ].join('\n'),
  ).join('');
  assert.equal((await runGitClient(dir, ['fast-import', '--quiet'], script)).code, 0);
  await git.ok(dir, 'push', '--quiet', 'origin', 'refs/heads/b/*:refs/heads/b/*');
});

test('a stored pattern that cannot be read lets nothing in', async () => {
  const { dir, project, maintainer } = await place({ commit_message_regex: 'x', branch_name_regex: 'work' });
  const set = (columns: object) =>
    app.deps.db.updateTable('push_rules').set(columns).where('project_id', '=', project.id).execute();
  await set({ commit_message_regex: '(' });
  await commit(dir, 'x');
  assert.match(await refused(dir), /remote: Stithy: The pattern '\(' cannot be read/);
  await set({ branch_name_regex: '[' });
  assert.match(await refused(dir), /remote: Stithy: The pattern '\[' cannot be read/);
  const json = { branch: 'new', ref: 'main' };
  const path = `/projects/${project.id}/repository/branches`;
  const { message } = expectStatus<Json>(await app.post(path, { token: maintainer.token, json }), 400);
  assert.equal(message, "The pattern '[' cannot be read");
});
