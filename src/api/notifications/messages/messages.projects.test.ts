import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import { Pipelines } from '../../../../test/support/pipeline-states.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let mailed: MailedApp;
let project: Project;
let maintainer: TestUser;
let developer: TestUser;
before(async () => {
  mailed = await MailedApp.open();
  project = await mailed.app.make.project({ path: 'forge', visibility: 'public' });
  new ProjectGit(mailed.app, project).commit('main', { 'a.txt': 'one\n' });
  maintainer = await member(40);
  developer = await member(30);
});
after(() => mailed.close());

async function member(level: number): Promise<TestUser> {
  const made = await mailed.app.make.user();
  await mailed.app.make.member({ project }, made.user, level);
  return made;
}

test('who ran a pipeline is told that it failed, and that the next one is good again', async () => {
  const pipelines = new Pipelines(mailed.app);
  const run = (end: 'failed' | 'success', user = developer) =>
    mailed.sentBy(async () => {
      const jobs = [{ name: 'build' }];
      const columns = { user_id: user.user.id };
      const { pipeline } = await makePipeline(mailed.app, project, { jobs, columns, process: true });
      await pipelines.run(pipeline.id, 'build', end === 'failed' ? 'script_failure' : null);
    });
  const failed = await run('failed');
  assert.deepEqual(addressees(failed), addresses(developer));
  const { headers, parts } = mailTo(failed, developer);
  assert.match(headers.subject!, /^forge \| Failed pipeline for main \| [0-9a-f]{8}$/);
  assert.equal(headers['x-gitlab-pipeline-status'], 'failed');
  assert.equal(headers['x-gitlab-pipeline-ref'], 'main');
  assert.match(parts[0]!.text, /Failed jobs:\nbuild/);
  const fixed = await run('success');
  assert.match(mailTo(fixed, developer).headers.subject!, /\| Fixed pipeline for main \|/);
  assert.deepEqual(await run('success'), []);
  await mailed.setLevel(developer, 'custom', '', { success_pipeline: true });
  assert.match(mailTo(await run('success'), developer).headers.subject!, /\| Successful pipeline for main \|/);
  await mailed.setLevel(developer, 'mention');
  assert.deepEqual(await run('failed'), []);
  await mailed.setLevel(developer, 'participating');
});

test('a child pipeline is part of its parent: it is mailed only where it fails alone', async () => {
  const pipelines = new Pipelines(mailed.app);
  const start = (columns: object = {}) =>
    makePipeline(mailed.app, project, {
      jobs: [{ name: 'build' }],
      columns: { user_id: developer.user.id, ref: 'nested', ...columns },
      process: true,
    });
  const end = (id: number, reason: 'script_failure' | null) =>
    mailed.sentBy(() => pipelines.run(id, 'build', reason).then(() => {}));
  const before = await start();
  await end(before.pipeline.id, 'script_failure');
  const parent = await start();
  const child = await start({ parent_id: parent.pipeline.id, source: 'parent_pipeline' });
  assert.deepEqual(await end(child.pipeline.id, null), []);
  const fixed = await end(parent.pipeline.id, null);
  assert.match(mailTo(fixed, developer).headers.subject!, /Fixed pipeline for nested/);
  const alone = await start({ parent_id: parent.pipeline.id, source: 'parent_pipeline' });
  assert.match(mailTo(await end(alone.pipeline.id, 'script_failure'), developer).headers.subject!, /Failed pipeline/);
  const next = await start();
  assert.deepEqual(await end(next.pipeline.id, null), []);
});

test('a pipeline of a service account is mailed to those who asked for it', async () => {
  const robot = await member(30);
  await mailed.app.deps.db
    .updateTable('users')
    .set({ kind: 'service_account' })
    .where('id', '=', robot.user.id)
    .execute();
  const asked = await member(30);
  await mailed.setLevel(asked, 'custom', '', { service_account_failed_pipeline: true });
  const other = await member(30);
  await mailed.setLevel(other, 'watch');
  const mails = await mailed.sentBy(async () => {
    const { pipeline } = await makePipeline(mailed.app, project, {
      jobs: [{ name: 'build' }],
      columns: { user_id: robot.user.id, ref: 'robot' },
      process: true,
    });
    await new Pipelines(mailed.app).run(pipeline.id, 'build', 'script_failure');
  });
  assert.deepEqual(addressees(mails), addresses(asked));
  for (const user of [asked, other]) await mailed.setLevel(user, 'disabled');
});

test('a release is mailed to those who watch, or want to be told of releases', async () => {
  const [watcher, custom, other] = [await member(20), await member(20), await member(20)];
  await mailed.setLevel(watcher, 'watch');
  await mailed.setLevel(custom, 'custom', `/projects/${project.id}`, { new_release: true });
  await mailed.setLevel(other, 'custom', `/projects/${project.id}`, { new_release: false });
  const mails = await mailed.sentBy(async () => {
    const json = { tag_name: 'v1.0', name: 'The first', ref: 'main', description: '**Good**' };
    expectStatus(await mailed.app.post(`/projects/${project.id}/releases`, { token: maintainer.token, json }), 201);
  });
  assert.deepEqual(addressees(mails), addresses(watcher, custom));
  const { headers, parts } = mailTo(mails, custom);
  assert.equal(headers.subject, 'forge | New release: The first - v1.0');
  assert.match(parts[1]!.text, /<strong>Good<\/strong>/);
  for (const user of [watcher, custom, other]) await mailed.setLevel(user, 'disabled', `/projects/${project.id}`);
});

test('a push mirror that has failed is mailed to who looks after the project', async () => {
  const mails = await mailed.sentBy(() =>
    mailed.app.deps.db
      .transaction()
      .execute((db) =>
        mailed.app.deps.events.record(
          db,
          'remote_mirror.failed',
          { remote_mirror_id: 1, project_id: project.id, error: 'The <server> said no.' },
          { projectId: project.id },
        ),
      ),
  );
  assert.ok(addressees(mails).includes(maintainer.user.email));
  assert.ok(!addressees(mails).includes(developer.user.email));
  assert.match(mailTo(mails, maintainer).parts[1]!.text, /The &lt;server&gt; said no\./);
});

test('that a project was moved is mailed to who looks after it, with where it is now', async () => {
  const group = await mailed.app.make.group({ path: 'elsewhere' });
  const unwilling = [await member(40), await member(40), await member(40)];
  await mailed.setLevel(unwilling[0]!, 'mention');
  await mailed.setLevel(unwilling[1]!, 'disabled');
  await mailed.setLevel(unwilling[2]!, 'custom', '', { moved_project: false });
  const custom = await member(40);
  await mailed.setLevel(custom, 'custom', '', {});
  const mails = await mailed.sentBy(async () =>
    expectStatus(await mailed.app.put(`/projects/${project.id}/transfer`, { json: { namespace: group.id } }), 200),
  );
  assert.ok(addressees(mails).includes(maintainer.user.email));
  assert.ok(addressees(mails).includes(custom.user.email));
  for (const { user } of [developer, ...unwilling]) assert.ok(!addressees(mails).includes(user.email));
  const { headers, parts } = mailTo(mails, maintainer);
  assert.equal(headers.subject, 'forge | Project was moved');
  assert.match(parts[0]!.text, /from .*\/forge to elsewhere\/forge\./);
  assert.match(parts[0]!.text, /git remote set-url origin https:\/\/forge\.example\.com\/elsewhere\/forge\.git/);
});
