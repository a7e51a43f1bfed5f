import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { parseCommand } from './slash-commands.parse.ts';

type Json = Record<string, unknown>;
interface Answer {
  response_type: string;
  text: string;
  attachments?: { title: string; text?: string; fields: { value: string }[] }[];
}
const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const SLUG = 'mattermost-slash-commands';
let accounts = 0;

/** A project with commands, and a user of it whose account in the chat is linked. */
async function chatting(level: number | null = 30, options: Parameters<TestApp['make']['project']>[0] = {}) {
  const project = await app.make.project(options);
  expectStatus(await app.put(`/projects/${project.id}/integrations/${SLUG}`, { json: { token: 'sesame' } }), 200);
  const { user, token } = await app.make.user();
  if (level !== null) await app.make.member({ project }, user, level);
  accounts += 1;
  const who = { team_id: 'T1', team_domain: 'team', user_id: `U${accounts}`, user_name: user.username };
  const say = async (text: string, more: Json = {}) =>
    expectStatus<Answer>(await send(project, { token: 'sesame', command: '/forge', text, ...who, ...more }), 200);
  const link = async () => {
    const { text } = await say('help');
    const secret = /token=([^"]+)"/.exec(text)?.[1];
    return expectStatus<{ id: number }>(await app.post('/user/chat_names', { token, json: { token: secret } }), 201);
  };
  return { project, user, token, who, say, link };
}

/** As chats send: a form, without a credential of the API. */
const send = (project: Project, fields: Json) =>
  app.post(`/projects/${project.id}/integrations/${SLUG}/trigger`, {
    token: null,
    form: new URLSearchParams(fields as Record<string, string>).toString(),
  });

const issuesOf = (project: Project) =>
  app.deps.db.selectFrom('issues').selectAll().where('project_id', '=', project.id).orderBy('iid').execute();

test('commands are read as they are written', () => {
  assert.deepEqual(parseCommand(''), { kind: 'help' });
  assert.deepEqual(parseCommand('issue show #12'), { kind: 'issue show', iid: 12 });
  assert.deepEqual(parseCommand('issue new  A title\r\n\r\nmore\nlines '), {
    kind: 'issue new',
    title: 'A title',
    description: 'more\nlines',
  });
  assert.deepEqual(parseCommand('issue search two words'), { kind: 'issue search', query: 'two words' });
  assert.deepEqual(parseCommand('issue comment 3\nHm'), { kind: 'issue comment', iid: 3, body: 'Hm' });
  assert.deepEqual(parseCommand('deploy staging to production'), { kind: 'deploy', from: 'staging', to: 'production' });
  for (const text of ['issue', 'issue show x', 'issue comment 3', 'issue show 99999999999', 'deploy a b', 'rm -rf /']) {
    assert.equal(parseCommand(text), undefined, text);
  }
});

describe('who may', () => {
  test('only a chat that has the token of the integration is answered', async () => {
    const { project, who } = await chatting();
    const bare = await app.make.project();
    for (const [place, token] of [
      [project, 'wrong'],
      [project, ''],
      [bare, 'sesame'],
    ] as const) {
      const response = await send(place, { token, text: 'help', ...who });
      assert.ok([400, 404].includes(response.statusCode), response.body);
      assert.doesNotMatch(response.body, new RegExp(project.full_path));
    }
    expectStatus(await send(project, { text: 'help', ...who }), 400);
    expectStatus(await app.delete(`/projects/${project.id}/integrations/${SLUG}`), 204);
    expectStatus(await send(project, { token: 'sesame', text: 'help', ...who }), 404);
  });

  test('an account that is linked to nobody is told how it is linked, and does nothing', async () => {
    const { project, say } = await chatting();
    const { response_type, text } = await say('issue new Mine');
    assert.equal(response_type, 'ephemeral');
    assert.match(text, /\/api\/v4\/user\/chat_names" --data-urlencode "token=/);
    assert.deepEqual(await issuesOf(project), []);
  });

  test('a link is good for ten minutes, for its account and its integration alone', async () => {
    const { say, token, link, who } = await chatting();
    const secret = /token=([^"]+)"/.exec((await say('help')).text)?.[1];
    clock.advance(600_001);
    expectStatus(await app.post('/user/chat_names', { token, json: { token: secret } }), 404);
    expectStatus(await app.post('/user/chat_names', { token, json: { token: 'x' } }), 404);
    await link();
    assert.match((await say('help')).text, /^Available commands of \/forge:/);
    assert.match((await say('help', { user_id: 'other' })).text, /^:wave:/);
    const elsewhere = await chatting();
    assert.match((await elsewhere.say('help', who)).text, /^:wave:/);
  });

  test('users see and unlink their own accounts', async () => {
    const { say, token, link, who } = await chatting();
    const { id } = await link();
    await say('help');
    const list = expectStatus<Json[]>(await app.get('/user/chat_names', { token }), 200);
    assert.deepEqual(
      list.map(({ chat_id, team_id, chat_name }) => [chat_id, team_id, chat_name]),
      [[who.user_id, who.team_id, who.user_name]],
    );
    assert.equal(typeof list[0]?.last_used_at, 'string');
    const other = await app.make.user();
    assert.deepEqual(expectStatus(await app.get('/user/chat_names', { token: other.token }), 200), []);
    expectStatus(await app.delete(`/user/chat_names/${id}`, { token: other.token }), 404);
    expectStatus(await app.delete(`/user/chat_names/${id}`, { token }), 204);
    assert.match((await say('help')).text, /^:wave:/);
    expectStatus(await app.get('/user/chat_names', { token: null }), 401);
  });

  test('who is blocked, or no member any more, does nothing', async () => {
    const { say, link, user, project } = await chatting();
    await link();
    await app.deps.db.deleteFrom('members').where('user_id', '=', user.id).execute();
    assert.match((await say('issue new x')).text, /not allowed/);
    await app.make.member({ project }, user, 30);
    assert.match((await say('issue new x')).text, /I created/);
    expectStatus(await app.post(`/users/${user.id}/block`), 201);
    assert.equal((await say('issue new x')).text, 'Your user is not active.');
    assert.equal((await issuesOf(project)).length, 1);
  });
});

describe('issues', () => {
  test('are made, shown, searched, commented on and closed as the user', async () => {
    const { say, link, project, user } = await chatting();
    await link();
    const made = await say('issue new Broken <pipe>\nIt leaks & drips');
    const url = `${app.deps.externalUrl()}/${project.full_path}/-/issues/1`;
    assert.equal(made.response_type, 'in_channel');
    assert.equal(made.text, `I created an issue on your behalf: <${url}|#1 Broken &lt;pipe&gt;>`);
    assert.equal(made.attachments?.[0]?.text, 'It leaks &amp; drips');
    const [issue] = await issuesOf(project);
    assert.deepEqual(
      [issue?.title, issue?.description, issue?.author_id],
      ['Broken <pipe>', 'It leaks & drips', user.id],
    );
    assert.match((await say('issue show 1')).text, /: Open$/);
    assert.match((await say('issue search leaks')).text, /Here are the issues I found:\n<.*#1 Broken/);
    assert.match((await say('issue search nothing')).text, /^404 not found/);
    assert.match((await say('issue comment 1\nSeen')).text, /^You commented on issue/);
    const notes = await app.deps.db
      .selectFrom('notes')
      .select(['note', 'author_id'])
      .where('system', '=', 0)
      .where('noteable_id', '=', issue!.id)
      .execute();
    assert.deepEqual(
      notes.map(({ note, author_id }) => [note, author_id]),
      [['Seen', user.id]],
    );
    assert.match((await say('issue close 1')).text, /^I closed an issue/);
    assert.match((await say('issue close 1')).text, /already closed/);
    assert.equal((await issuesOf(project))[0]?.state, 'closed');
    assert.match((await say('issue show 7')).text, /^404 not found/);
    assert.match((await say('what')).text, /• `issue show ID`\n/);
  });

  test('that are confidential are not there for others, and shown to nobody else in the channel', async () => {
    const { say, link, project, user } = await chatting(10);
    await link();
    const secret = async (author: Pick<User, 'id'>, iid: number) =>
      app.deps.db
        .insertInto('issues')
        .values({
          iid,
          project_id: project.id,
          author_id: author.id,
          title: 'Secret',
          confidential: 1,
          created_at: timestamp(clock),
          updated_at: timestamp(clock),
        })
        .execute();
    await secret({ id: 1 }, 1);
    await secret(user, 2);
    for (const text of ['issue show 1', 'issue close 1', 'issue comment 1\nx']) {
      assert.match((await say(text)).text, /^404 not found/, text);
    }
    const searchText = (await say('issue search Secret')).text;
    assert.match(searchText, /#2 Secret/);
    assert.doesNotMatch(searchText, /#1 Secret/);
    assert.equal((await say('issue show 2')).response_type, 'ephemeral');
  });

  test('are closed by those alone who may, and made where the project has issues', async () => {
    const { say, link, project } = await chatting(10);
    await link();
    expectStatus(await app.post(`/projects/${project.id}/issues`, { json: { title: 'x' } }), 201);
    assert.match((await say('issue close 1')).text, /not allowed/);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { issues_access_level: 'disabled' } }), 200);
    assert.match((await say('issue new y')).text, /not allowed/);
    assert.match((await say('issue search x')).text, /not allowed/);
    assert.match((await say('issue show 1')).text, /^404 not found/);
  });
});

describe('deploy', () => {
  async function deployed(level: number) {
    const chat = await chatting(level);
    const { project } = chat;
    await chat.link();
    const { jobs } = await makePipeline(app, project, {
      jobs: [
        { name: 'stage', status: 'success', columns: { environment: 'staging' } },
        { name: 'release', status: 'manual', when: 'manual', columns: { environment: 'production' } },
      ],
    });
    const now = timestamp(clock);
    const { id } = await app.deps.db
      .insertInto('environments')
      .values({
        project_id: project.id,
        name: 'staging',
        slug: 'staging',
        external_url: null,
        description: null,
        tier: 'staging',
        state: 'available',
        auto_stop_at: null,
        auto_stop_setting: 'always',
        cluster_agent_id: null,
        kubernetes_namespace: null,
        flux_resource_path: null,
        merge_request_id: null,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const stage = jobs.stage!;
    await app.deps.db
      .insertInto('deployments')
      .values({
        iid: 1,
        project_id: project.id,
        environment_id: id,
        ref: stage.ref,
        sha: stage.sha,
        status: 'success',
        user_id: 1,
        job_id: stage.id,
        on_stop: null,
        created_at: now,
        updated_at: now,
        finished_at: now,
      })
      .execute();
    const state = async () =>
      await app.deps.db
        .selectFrom('ci_jobs')
        .select(['status', 'user_id'])
        .where('id', '=', jobs.release!.id)
        .executeTakeFirstOrThrow();
    return { ...chat, state };
  }

  test('starts the job that takes what is on one environment to another', async () => {
    const { say, state, user } = await deployed(30);
    assert.match((await say('deploy staging to nowhere')).text, /^No action found/);
    const { text, response_type } = await say('deploy staging to production');
    assert.match(text, /^Deployment started from staging to production\. <.*\/-\/jobs\/\d+\|Follow its progress>\.$/);
    assert.equal(response_type, 'in_channel');
    const { status, user_id } = await state();
    assert.deepEqual([status, user_id], ['pending', user.id]);
  });

  test('is for developers', async () => {
    const { say, state } = await deployed(20);
    assert.match((await say('deploy staging to production')).text, /not allowed/);
    assert.equal((await state()).status, 'manual');
  });
});

test('wrong tokens, and commands of one account, are limited', async () => {
  const { project, who, say } = await chatting();
  for (let count = 0; count < 30; count += 1) await send(project, { token: 'wrong', text: '', ...who });
  expectStatus(await send(project, { token: 'wrong', text: '', ...who }), 429);
  for (let count = 0; count < 60; count += 1) await say('help');
  expectStatus(await send(project, { token: 'sesame', text: 'help', ...who }), 429);
});
