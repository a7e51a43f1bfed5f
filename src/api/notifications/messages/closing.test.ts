import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let mailed: MailedApp;
let project: Project;
let git: ProjectGit;
let author: TestUser;
let boss: TestUser;
before(async () => {
  mailed = await MailedApp.open();
  const { make } = mailed.app;
  project = await make.project({ path: 'forge', visibility: 'public' });
  git = new ProjectGit(mailed.app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  [author, boss] = [await make.user(), await make.user()];
  await make.member({ project }, boss.user, 40);
});
after(() => mailed.close());

const at = (what: string) => `/projects/${project.id}/${what}`;
interface Made {
  id: number;
  iid: number;
}
const issue = async (json: object = {}) =>
  expectStatus<Made>(
    await mailed.app.post(at('issues'), { token: author.token, json: { title: 'Leak', ...json } }),
    201,
  );
const setLevels = (column: 'merge_requests_access_level' | 'repository_access_level', level: 'private' | 'enabled') =>
  mailed.app.deps.db
    .updateTable('projects')
    .set({ [column]: level })
    .where('id', '=', project.id)
    .execute();

async function mergeThatCloses(iid: number): Promise<Made> {
  const branch = `closes-${iid}`;
  git.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start: git.run(['rev-parse', 'main']) });
  const json = { source_branch: branch, target_branch: 'main', title: 'Mend', description: `Closes #${iid}` };
  const made = expectStatus<Made>(await mailed.app.post(at('merge_requests'), { token: boss.token, json }), 201);
  await mailed.app.drain();
  return made;
}

test('an issue that a merge request closes is told of with it, to those who may read that', async () => {
  for (const hidden of [false, true]) {
    const { iid } = await issue();
    const request = await mergeThatCloses(iid);
    if (hidden) await setLevels('merge_requests_access_level', 'private');
    const mails = await mailed.sentBy(async () => {
      expectStatus(await mailed.app.put(`${at('merge_requests')}/${request.iid}/merge`, { token: boss.token }), 200);
    });
    const { text } = mailTo(mails, author).parts[0]!;
    assert.match(text, new RegExp(`^${boss.user.name} closed the issue\\.`));
    assert.equal(
      text.includes(`It was closed by merge request ${project.full_path}!${request.iid}: https://`),
      !hidden,
    );
    assert.equal(text.includes('merge request'), !hidden);
  }
  await setLevels('merge_requests_access_level', 'enabled');
});

test('an issue that a commit closes is told of with it, to those who may read code', async () => {
  for (const hidden of [false, true]) {
    const { iid } = await issue();
    if (hidden) await setLevels('repository_access_level', 'private');
    const mails = await mailed.sentBy(async () => {
      const options = { token: boss.token, commit_message: `Fixes #${iid}` };
      await commitFiles(mailed.app, project.id, { [`c${iid}.txt`]: 'c' }, options);
    });
    const { text } = mailTo(mails, author).parts[0]!;
    assert.match(text, /closed the issue\./);
    assert.equal(/It was closed by commit .*@[0-9a-f]{8}: https:/.test(text), !hidden);
  }
  await setLevels('repository_access_level', 'enabled');
});

test('a moved issue is told of as moved, and where to is for those who may follow', async () => {
  const { make } = mailed.app;
  const there = await make.project({ path: 'elsewhere', visibility: 'private' });
  const inside = await make.user();
  for (const { user } of [inside, boss]) await make.member({ project: there }, user, 30);
  const { iid } = await issue({ description: `@${inside.user.username}` });
  await mailed.app.drain();
  const mails = await mailed.sentBy(async () => {
    const json = { to_project_id: there.id };
    expectStatus(await mailed.app.post(`${at('issues')}/${iid}/move`, { token: boss.token, json }), 201);
  });
  const mailTextTo = (user: TestUser) => {
    const own = mails.filter(({ to, headers }) => to.includes(user.user.email) && headers.subject!.startsWith('Re: '));
    assert.equal(own.length, 1);
    return own[0]!.parts[0]!.text;
  };
  assert.match(mailTextTo(author), /moved the issue to another project\./);
  assert.doesNotMatch(
    mails
      .filter(({ to }) => to.includes(author.user.email))
      .map(({ source }) => source)
      .join(),
    /elsewhere/,
  );
  assert.match(mailTextTo(inside), /It continues as .*elsewhere#1: https:/);
  assert.doesNotMatch(mailTextTo(inside), /closed/);
});

test('members of a group that is named are told, where its author sees it and it lets itself be named', async () => {
  const { make } = mailed.app;
  const [member, above, other] = [await make.user(), await make.user(), await make.user()];
  const group = await make.group({ path: 'crew', visibility: 'public', owner: above.user });
  const sub = await make.group({ path: 'night', parent: group, visibility: 'public', owner: member.user });
  await make.group({ path: 'hidden', visibility: 'private', owner: other.user });
  const named = async (description: string) => addressees(await mailed.sentBy(() => issue({ description })));
  assert.deepEqual(await named('@Crew/Night, please'), addresses(member));
  assert.deepEqual(await named('@crew and `@crew/night`'), addresses(above));
  assert.deepEqual(await named('@hidden'), []);
  expectStatus(await mailed.app.put(`/groups/${sub.id}`, { json: { mentions_disabled: true } }), 200);
  assert.deepEqual(await named('@crew/night'), []);
});

test('everybody who is named by @all is told who may read it, once a mail, and nobody beside the members', async () => {
  const { make } = mailed.app;
  const group = await make.group({ visibility: 'public', owner: boss.user });
  const inner = await make.project({ namespace: group, visibility: 'public' });
  const [guest, quiet] = [await make.user(), await make.user()];
  for (const { user } of [guest, quiet]) await make.member({ project: inner }, user, 10);
  await mailed.setLevel(quiet, 'disabled', `/projects/${inner.id}`);
  const json = { title: 'News', description: '@all: a party' };
  const say = (more: object = {}) =>
    mailed.sentBy(() =>
      mailed.app.post(`/projects/${inner.id}/issues`, { token: author.token, json: { ...json, ...more } }),
    );
  assert.deepEqual(addressees(await say()), addresses(guest, boss));
  assert.deepEqual(addressees(await say({ confidential: true })), addresses(boss));
});
