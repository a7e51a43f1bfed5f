import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { commitFiles } from '../../../test/support/commits.ts';
import { type ProgramReceiver, receiveLines, receiveRequests } from '../../../test/support/program-receiver.ts';
import { projectWith } from '../../../test/support/programs.ts';
import { htmlOf } from './chat.simple.ts';
import { MARKDOWN } from './style.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let receiver: ProgramReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock: new TestClock() });
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

/** Names of branches that git lets be, and that end a link of a chat. */
const BRANCHES = ['x><!channel>', 'x|<!here>', 'x)(evil.example', 'x](evil.example)'];
const CALL = '<!channel> <users/all> <@all>';
const LINK = '[here](https://evil.example) \\](https://evil.example)';
const hook = () => ({ webhook: `${receiver.url}/hook` });

/** What was sent, with whatever stands in it. */
const sent = (): Json[] =>
  receiver.got.map(({ text, headers }) =>
    JSON.parse(
      headers['content-type'] === 'application/json' ? text : (new URLSearchParams(text).get('payload') ?? ''),
    ),
  );
/** Every text in a value, however deep, but keys of threads, which nobody is shown. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => (name === 'threadKey' ? [] : textsIn(each)))
      : [];

/** Has everything happen that a chat is told of, with names and titles of an attacker. */
async function happen(slug: string, settings: Json) {
  const { project, at, push, pipeline } = await projectWith(app, slug, {
    ...settings,
    pipeline_events: true,
    notify_only_broken_pipelines: false,
    branches_to_be_notified: 'all',
  });
  await push();
  for (const branch of BRANCHES) await push(branch);
  const commit = { commit_message: `${CALL} ${LINK}`, author_name: CALL };
  const { id } = await commitFiles(app, project.id, { a: 'x' }, commit);
  await pipeline(id, 'failed');
  const name = `${CALL} ${LINK}`;
  expectStatus(await app.post(`${at}/statuses/${id}`, { json: { state: 'failed', name, ref: BRANCHES[0] } }), 201);
  const issue = { title: `${CALL} ${LINK}`, description: `${CALL} ${LINK}` };
  expectStatus(await app.post(`${at}/issues`, { json: issue }), 201);
  expectStatus(await app.post(`${at}/issues/1/notes`, { json: { body: `${CALL} ${LINK}` } }), 201);
  await app.drain();
  assert.ok(receiver.got.length > 8, `${slug} was told ${receiver.got.length} times`);
  return project;
}

for (const slug of ['slack', 'mattermost', 'pumble', 'hangouts-chat']) {
  test(`${slug}: nothing that somebody writes calls everybody, or ends a link`, async () => {
    await happen(slug, hook());
    for (const text of sent().flatMap(textsIn)) {
      // All that is left between angle brackets are links of the server.
      for (const [, inside = ''] of text.matchAll(/<([^>]*)>?/g)) {
        assert.match(inside, new RegExp(`^${app.deps.externalUrl()}/[^|<]*\\|[^<]*$`), text);
      }
    }
  });
}

for (const slug of ['discord', 'microsoft-teams', 'webex-teams', 'unify-circuit']) {
  test(`${slug}: links lead to the server alone`, async () => {
    await happen(slug, hook());
    for (const text of sent().flatMap(textsIn)) {
      for (const [, url = ''] of text.matchAll(/(?<!\\)(?:\\\\)*\]\(([^)]*)\)/g)) {
        assert.ok(url.startsWith(`${app.deps.externalUrl()}/`), text);
      }
      if (slug === 'webex-teams') assert.doesNotMatch(text, /<@/);
    }
  });
}

test('what Matrix shows as HTML has the links and letters of the server alone', () => {
  const { link, plain } = MARKDOWN;
  const text = '<img src=x onerror=alert(1)> [a](https://evil.example) \\](https://evil.example) "';
  const html = htmlOf(link(plain(text), 'https://forge.example/a)"onclick="b'));
  assert.deepEqual(html.match(/<[^>]*>/g), [`<a href="https://forge.example/a%29%22onclick=%22b">`, '</a>']);
  assert.equal(
    html.replace(/<[^>]*>/g, ''),
    '&lt;img src=x onerror=alert(1)&gt; [a](https://evil.example) \\](https://evil.example) &quot;',
  );
});

test('irker: nobody who writes a commit says a line of their own', async () => {
  const irc = await receiveLines();
  try {
    const settings = { server_host: '127.0.0.1', server_port: irc.port, recipients: 'irc://irc.example/#dev' };
    const { project, push } = await projectWith(app, 'irker', settings);
    await push();
    const commit = { commit_message: 'one\rQUIT :\x07two', author_name: 'Eve\rJOIN 0' };
    await commitFiles(app, project.id, { a: 'x' }, commit);
    await app.drain();
    const lines = irc.lines.map((line) => String((JSON.parse(line) as Json).privmsg));
    assert.ok(lines.length >= 3);
    assert.ok(lines.some((line) => line.includes('one QUIT : two')));
    for (const line of lines) assert.doesNotMatch(line, /[\r\n\x07]/);
  } finally {
    await irc.close();
  }
});
