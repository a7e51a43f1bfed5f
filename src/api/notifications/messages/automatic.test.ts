import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let mailed: MailedApp;
let project: Project;
let git: ProjectGit;
let author: TestUser;
let boss: TestUser;
let custom: TestUser;
before(async () => {
  mailed = await MailedApp.open();
  const { make } = mailed.app;
  project = await make.project({ path: 'forge', visibility: 'public' });
  git = new ProjectGit(mailed.app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  [author, boss, custom] = [await make.user(), await make.user(), await make.user()];
  for (const { user } of [author, boss]) await make.member({ project }, user, 40);
  await mailed.setLevel(custom, 'custom', `/projects/${project.id}`, { merge_when_pipeline_succeeds: true });
});
after(() => mailed.close());

const at = (iid?: number) => `/projects/${project.id}/merge_requests${iid === undefined ? '' : `/${iid}`}`;
async function open(branch: string, title: string): Promise<number> {
  git.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start: git.run(['rev-parse', 'main']) });
  const json = { source_branch: branch, target_branch: 'main', title };
  const { iid } = expectStatus<{ iid: number }>(await mailed.app.post(at(), { token: author.token, json }), 201);
  await mailed.app.drain();
  return iid;
}
const put = async (path: string, json: object, by = boss) =>
  expectStatus(await mailed.app.put(path, { token: by.token, json }), 200);

test('an automatic merge is told of when it is set, and to who set it when it happens', async () => {
  const iid = await open('waits', 'Draft: Change');
  const set = await mailed.sentBy(() => put(`${at(iid)}/merge`, { auto_merge: true }));
  assert.deepEqual(addressees(set), addresses(author, custom));
  assert.match(mailTo(set, author).parts[0]!.text, /enabled auto-merge: it is merged when all checks pass\./);
  const merged = await mailed.sentBy(() => put(at(iid), { title: 'Change' }, author));
  const ends = merged.filter(({ source }) => source.includes('The merge request was merged'));
  assert.deepEqual(addressees(ends), addresses(author, boss));
  assert.match(mailTo(ends, boss).parts[0]!.text, new RegExp(`merged automatically, as set by ${boss.user.name}:`));
  // Who merges themselves sees it happen.
  const other = await open('at-once', 'Other');
  const alone = await mailed.sentBy(() => put(`${at(other)}/merge`, {}));
  assert.deepEqual(addressees(alone), addresses(author));
});

test('that all threads are resolved is told once, when the last one is', async () => {
  const iid = await open('threads', 'Talk');
  const start = async (body: string) =>
    expectStatus<{ id: string }>(
      await mailed.app.post(`${at(iid)}/discussions`, { token: boss.token, json: { body } }),
      201,
    );
  const [first, second] = [await start('One?'), await start('Two?')];
  const resolve = (id: string) => mailed.sentBy(() => put(`${at(iid)}/discussions/${id}`, { resolved: true }, boss));
  assert.deepEqual(await resolve(first.id), []);
  const last = await resolve(second.id);
  assert.deepEqual(addressees(last), addresses(author));
  assert.match(mailTo(last, author).parts[0]!.text, new RegExp(`^${boss.user.name} resolved all threads\\.`));
});
