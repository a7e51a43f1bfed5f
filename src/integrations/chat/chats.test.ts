import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { type ProgramReceiver, receiveLines, receiveRequests } from '../../../test/support/program-receiver.ts';
import { gotBy, projectWith, slackBodies } from '../../../test/support/programs.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let receiver: ProgramReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  receiver = await receiveRequests();
});
beforeEach(async () => {
  await app.deps.db.deleteFrom('integrations').execute();
  app.deps.recent.invalidate();
  receiver.reset();
});
after(async () => {
  await app.close();
  await receiver.close();
});

const ANN = 'Administrator (root)';

describe('a chat is sent its own format', () => {
  const JSON_POST = { method: 'POST', path: '/hook', type: 'application/json', auth: null };
  /** What each is sent for an issue that is opened. */
  const CASES: Record<string, (web: string, path: string, name: string) => { settings: Json; request: Json }> = {
    slack: (web, path) => ({
      settings: { webhook: `${receiver.url}/hook`, channel: '#dev', username: 'Forge' },
      request: {
        ...JSON_POST,
        type: 'application/x-www-form-urlencoded',
        body: new URLSearchParams({
          payload: JSON.stringify({
            text: `[<${web}|${path}>] Issue <${web}/-/issues/1|#1 Broken> opened by ${ANN}`,
            attachments: [
              { title: '#1 Broken', title_link: `${web}/-/issues/1`, text: 'a &lt;b&gt;', color: '#C95823' },
            ],
            channel: '#dev',
            username: 'Forge',
          }),
        }).toString(),
      },
    }),
    discord: (web, path) => ({
      settings: { webhook: `${receiver.url}/hook` },
      request: {
        ...JSON_POST,
        body: {
          content: '',
          embeds: [
            {
              color: 0xc95823,
              timestamp: clock.now().toISOString(),
              author: { name: ANN },
              description: `[[${path}](${web})] Issue [#1 Broken](${web}/-/issues/1) opened by ${ANN}\n#1 Broken\na <b>`,
            },
          ],
        },
      },
    }),
    'microsoft-teams': (web, path, name) => ({
      settings: { webhook: `${receiver.url}/hook` },
      request: {
        ...JSON_POST,
        body: {
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              content: {
                type: 'AdaptiveCard',
                version: '1.0',
                msteams: { width: 'Full' },
                body: [
                  { type: 'TextBlock', text: name, wrap: true, weight: 'Bolder', size: 'Medium' },
                  {
                    type: 'ColumnSet',
                    columns: [
                      {
                        type: 'Column',
                        width: 'stretch',
                        items: [
                          { type: 'TextBlock', text: `Issue opened by ${ANN}`, wrap: true, weight: 'Bolder' },
                          { type: 'TextBlock', text: `in [${path}](${web})`, wrap: true, isSubtle: true },
                          { type: 'TextBlock', text: `[#1 Broken](${web}/-/issues/1)`, wrap: true },
                        ],
                      },
                    ],
                  },
                  { type: 'TextBlock', text: 'a <b>', wrap: true },
                ],
              },
            },
          ],
        },
      },
    }),
    'hangouts-chat': (web, path) => ({
      settings: { webhook: `${receiver.url}/hook?key=1` },
      request: {
        ...JSON_POST,
        path: '/hook?key=1&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
        body: {
          text: `[<${web}|${path}>] Issue <${web}/-/issues/1|#1 Broken> opened by ${ANN}\n#1 Broken\na &lt;b&gt;`,
          thread: { threadKey: `issue ${path}#1` },
        },
      },
    }),
    telegram: (web, path) => ({
      settings: { hostname: receiver.url, token: 'sesame', room: '@dev', thread: '7' },
      request: {
        ...JSON_POST,
        path: '/botsesame/sendMessage',
        body: {
          chat_id: '@dev',
          message_thread_id: '7',
          text: `[[${path}](${web})] Issue [#1 Broken](${web}/-/issues/1) opened by ${ANN}\n#1 Broken\na <b>`,
          parse_mode: 'markdown',
        },
      },
    }),
    'webex-teams': (web, path) => ({
      settings: { webhook: `${receiver.url}/hook` },
      request: {
        ...JSON_POST,
        body: { markdown: `[[${path}](${web})] Issue [#1 Broken](${web}/-/issues/1) opened by ${ANN}` },
      },
    }),
    pumble: (web, path) => ({
      settings: { webhook: `${receiver.url}/hook` },
      request: {
        ...JSON_POST,
        body: { text: `[<${web}|${path}>] Issue <${web}/-/issues/1|#1 Broken> opened by ${ANN}` },
      },
    }),
    'unify-circuit': (web, path, name) => ({
      settings: { webhook: `${receiver.url}/hook` },
      request: {
        ...JSON_POST,
        body: {
          subject: name,
          text: `[[${path}](${web})] Issue [#1 Broken](${web}/-/issues/1) opened by ${ANN}`,
          markdown: true,
        },
      },
    }),
  };
  CASES.mattermost = CASES.slack!;

  for (const [slug, of] of Object.entries(CASES)) {
    test(slug, async () => {
      const made = await projectWith(app, slug, of('', '', '').settings);
      await made.issue({ description: 'a <b>' });
      await app.drain();
      assert.deepEqual(gotBy(receiver), [of(made.web, made.project.full_path, made.project.name).request]);
    });
  }

  test('matrix', async () => {
    const settings = { hostname: receiver.url, token: 'sesame', room: '!a:b.example' };
    const { issue, web, project } = await projectWith(app, 'matrix', settings);
    await issue();
    await app.drain();
    const [{ path, ...request } = { path: '' }] = gotBy(receiver);
    assert.match(path, /^\/_matrix\/client\/v3\/rooms\/!a%3Ab.example\/send\/m\.room\.message\/[0-9a-f-]{36}$/);
    assert.deepEqual(request, {
      method: 'PUT',
      type: 'application/json',
      auth: 'Bearer sesame',
      body: {
        msgtype: 'm.notice',
        body: `[[${project.full_path}](${web})] Issue [#1 Broken](${web}/-/issues/1) opened by ${ANN}\n#1 Broken\n`,
        format: 'org.matrix.custom.html',
        formatted_body: `[<a href="${web}">${project.full_path}</a>] Issue <a href="${web}/-/issues/1">#1 Broken</a> opened by ${ANN}<br>#1 Broken<br>`,
      },
    });
  });

  test('irker', async () => {
    const irc = await receiveLines();
    try {
      const recipients = '#dev irc://irc.example/#ops';
      const settings = {
        server_host: '127.0.0.1',
        server_port: irc.port,
        default_irc_uri: 'irc://irc.test',
        recipients,
      };
      const { push, web, project } = await projectWith(app, 'irker', settings);
      const first = await push('main', 'a');
      const second = await push('main', 'b');
      await app.drain();
      const to = ['irc://irc.test/#dev', 'irc://irc.example/#ops'];
      const head = `${project.full_path}:`;
      const messages = irc.lines.map((line) => JSON.parse(line) as Json);
      assert.deepEqual(
        messages,
        [
          `${head} ${ANN} has created a new branch main: ${web}/-/tree/main`,
          `${head} ${ANN} pushed 1 new commit to main: ${web}/-/compare/00000000...${first.slice(0, 8)}`,
          `${head} main * ${first.slice(0, 8)} Administrator: Add a`,
          `${head} ${ANN} pushed 1 new commit to main: ${web}/-/compare/${first.slice(0, 8)}...${second.slice(0, 8)}`,
          `${head} main * ${second.slice(0, 8)} Administrator: Add b`,
        ].map((privmsg) => ({ to, privmsg })),
      );
    } finally {
      await irc.close();
    }
  });

  test('telegram, which cannot read it as Markdown, gets it as a plain text', async () => {
    receiver.answer = (response, { text }) =>
      response.writeHead((JSON.parse(text) as Json).parse_mode === undefined ? 200 : 400).end();
    const { issue } = await projectWith(app, 'telegram', { hostname: receiver.url, token: 'x', room: '1' });
    await issue();
    await app.drain();
    assert.deepEqual(
      gotBy(receiver).map(({ body }) => (body as Json).parse_mode ?? null),
      ['markdown', null],
    );
  });
});

describe('a chat is told', () => {
  const slack = (more: Json = {}) => projectWith(app, 'slack', { webhook: `${receiver.url}/hook`, ...more });
  const texts = () => slackBodies(receiver).map(({ text }) => text);

  test('of pushes, tags and branches that go', async () => {
    const { push, web, project, at } = await slack({ branches_to_be_notified: 'all' });
    const first = await push('main', 'a');
    const second = await push('main', 'b');
    await push('side', 'c');
    expectStatus(await app.post(`${at}/repository/tags`, { json: { tag_name: 'v1', ref: 'main' } }), 201);
    expectStatus(await app.delete(`${at}/repository/branches/side`), 204);
    await app.drain();
    const place = `<${web}|${project.full_path}>`;
    assert.deepEqual(texts(), [
      `${ANN} pushed new branch <${web}/-/commits/main|main> to ${place}`,
      `${ANN} pushed to branch <${web}/-/commits/main|main> of ${place} (<${web}/-/compare/${first}...${second}|Compare changes>)`,
      `${ANN} pushed new branch <${web}/-/commits/side|side> to ${place}`,
      `${ANN} pushed new tag <${web}/-/tags/v1|v1> to ${place}`,
      `${ANN} removed branch side from ${place}`,
    ]);
    const attachments = slackBodies(receiver).map((body) => body.attachments);
    const commit = `<${web}/-/commit/${second}|${second.slice(0, 8)}>: Add b - Administrator`;
    assert.deepEqual(attachments, [[], [{ text: commit, color: '#345' }], [], [], []]);
  });

  test('of issues that open and close, merge requests, comments and pages of the wiki', async () => {
    const { issue, at, web, project, push } = await slack();
    await push('side', 'x').catch(() => push('main', 'x'));
    await app.drain();
    receiver.reset();
    const { iid } = await issue();
    expectStatus(await app.put(`${at}/issues/${iid}`, { json: { title: 'Still [broken]' } }), 200);
    expectStatus(await app.put(`${at}/issues/${iid}`, { json: { state_event: 'close' } }), 200);
    expectStatus(await app.post(`${at}/issues/${iid}/notes`, { json: { body: 'Mended' } }), 201);
    expectStatus(await app.post(`${at}/wikis`, { json: { title: 'Home', content: 'Here' } }), 201);
    await app.drain();
    const place = `<${web}|${project.full_path}>`;
    const [opened, closed, noted, wiki] = texts();
    assert.equal(opened, `[${place}] Issue <${web}/-/issues/1|#1 Broken> opened by ${ANN}`);
    assert.equal(closed, `[${place}] Issue <${web}/-/issues/1|#1 Still [broken]> closed by ${ANN}`);
    assert.match(String(noted), /commented on issue #1> in <.*>: \*Still \[broken\]\*$/);
    assert.match(
      String(wiki),
      /created <[^|]*\/-\/wikis\/Home\|wiki page> \(<[^|]*\|Compare changes>\) in <.*>: \*Home\*$/,
    );
    assert.equal(texts().length, 4);
  });

  test('of pipelines that failed, and of all that ended where that is wanted', async () => {
    const { push, pipeline, set, web, project } = await slack({ pipeline_events: true, push_events: false });
    const sha = await push('main', 'a');
    await pipeline(sha, 'success');
    await app.drain();
    assert.deepEqual(texts(), []);
    await set({ notify_only_broken_pipelines: false });
    const other = await push('main', 'b');
    const { pipeline_id: id } = await pipeline(other, 'failed');
    await app.drain();
    const [{ text, attachments } = {}] = slackBodies(receiver);
    const [card = {}] = attachments as Json[];
    assert.equal(text, '');
    assert.match(String(card.title), new RegExp(`^Pipeline #${id} has failed`));
    assert.deepEqual(
      [card.color, card.author_name, card.title_link, card.footer],
      ['danger', ANN, `${web}/-/pipelines/${id}`, project.name],
    );
    assert.deepEqual(
      (card.fields as Json[]).map(({ title, value }) => [title, value]),
      [
        ['Branch', `<${web}/-/commits/main|main>`],
        ['Commit', `<${web}/-/commit/${other}|Add b>`],
      ],
    );
    // The same state once more is nothing new.
    await set({ notify_only_when_pipeline_status_changes: true });
    await pipeline(await push('main', 'c'), 'failed');
    await app.drain();
    assert.equal(receiver.got.length, 1);
    await pipeline(await push('main', 'd'), 'success');
    await app.drain();
    assert.equal(receiver.got.length, 2);
  });

  test('of the branches that are wanted', async () => {
    const { push, set, at } = await slack();
    const count = async (branch: string) => {
      receiver.reset();
      await push(branch);
      await app.drain();
      return receiver.got.length;
    };
    await push('main', 'a');
    await push('side', 'b');
    await push('kept', 'c');
    expectStatus(await app.post(`${at}/protected_branches`, { json: { name: 'kept' } }), 201);
    await app.drain();
    const seen: Json = {};
    for (const branchScope of ['default', 'protected', 'default_and_protected', 'all']) {
      await set({ branches_to_be_notified: branchScope });
      seen[branchScope] = [await count('main'), await count('kept2').catch(() => -1)];
    }
    assert.deepEqual(seen.default, [1, 0]);
    assert.equal((seen.default_and_protected as number[])[0], 1);
    assert.equal((seen.all as number[])[0], 1);
  });

  test('of what has the labels that are wanted', async () => {
    const { issue, set } = await slack({ labels_to_be_notified: '~bug, urgent' });
    const count = async (labels: string) => {
      receiver.reset();
      await issue({ labels });
      await app.drain();
      return receiver.got.length;
    };
    assert.deepEqual([await count(''), await count('bug'), await count('bug,urgent')], [0, 1, 1]);
    await set({ labels_to_be_notified_behavior: 'match_all' });
    assert.deepEqual([await count('bug'), await count('bug,urgent')], [0, 1]);
  });

  test('in the channels of the event, once each', async () => {
    const channels = { channel: '#all', issue_channel: '#a, #b,#a', confidential_issue_channel: '#secret' };
    const { issue } = await slack(channels);
    await issue();
    await issue({ confidential: true });
    await app.drain();
    assert.deepEqual(
      slackBodies(receiver).map(({ channel }) => channel),
      ['#a', '#b', '#secret'],
    );
    receiver.reset();
    const events = { push_channel: `${receiver.url}/own` };
    const { push } = await projectWith(app, 'discord', { webhook: `${receiver.url}/hook`, ...events });
    await push();
    await app.drain();
    assert.deepEqual(
      receiver.got.map(({ path }) => path),
      ['/own'],
    );
  });

  test('of confidential issues and incidents as its flags say', async () => {
    const { issue, set } = await slack({ confidential_issues_events: false });
    await issue({ confidential: true });
    await app.drain();
    assert.deepEqual(texts(), []);
    await set({ issues_events: false, incident_events: true, incident_channel: '#fire' });
    await issue();
    await issue({ issue_type: 'incident' });
    await app.drain();
    assert.deepEqual(
      slackBodies(receiver).map(({ channel, text }) => [channel, /Incident </.test(String(text))]),
      [['#fire', true]],
    );
  });
});
