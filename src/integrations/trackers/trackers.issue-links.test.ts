import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { projectWith } from '../../../test/support/programs.ts';
import { SmtpReceiver } from '../../../test/support/smtp-receiver.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let receiver: SmtpReceiver;
before(async () => {
  receiver = await SmtpReceiver.listen();
  app = await buildTestApp({ settings: { STITHY_SMTP_URL: receiver.url } });
});
after(async () => {
  await app.close();
  await receiver.close();
});

const TRACKER = {
  project_url: 'https://bugs.example',
  issues_url: 'https://bugs.example/:id',
  new_issue_url: 'https://bugs.example/new',
};
const JIRA = { url: 'https://jira.example/', username: 'ann', password: 'sesame' };

let pages = 0;
/** Addresses that a page of a project's wiki leads to. */
async function leads(at: string, content: string): Promise<string[]> {
  pages += 1;
  const { slug } = expectStatus<Json>(await app.post(`${at}/wikis`, { json: { title: `p${pages}`, content } }), 201);
  const page = expectStatus<{ content: string }>(await app.get(`${at}/wikis/${slug}?render_html=true`), 200);
  return [...page.content.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
}

test('pages lead to issues of each tracker as it names them', async () => {
  const cases: [slug: string, settings: Json, text: string, expected: string[]][] = [
    ['custom-issue-tracker', TRACKER, 'See AB-12, #3 and C_D-4.', ['12', '4']],
    ['redmine', TRACKER, 'AB-12', ['12']],
    ['bugzilla', TRACKER, 'AB-12', ['12']],
    ['ewm', TRACKER, 'Bug 7, work item 8 and thing 9', ['7', '8']],
    ['youtrack', TRACKER, 'ab-12, #3', ['ab-12']],
    ['clickup', TRACKER, '#abc12, CU-8x and AB-9', ['abc12', '8x', 'AB-9']],
    ['phorge', TRACKER, 'T12 and AT13', ['12']],
  ];
  for (const [slug, settings, text, issueKeys] of cases) {
    const { at } = await projectWith(app, slug, settings);
    assert.deepEqual(
      await leads(at, text),
      issueKeys.map((key) => `https://bugs.example/${key}`),
      slug,
    );
  }
  const linear = await projectWith(app, 'linear', { workspace_url: 'https://linear.example/team' });
  assert.deepEqual(await leads(linear.at, 'ENG-5'), ['https://linear.example/team/issue/ENG-5']);
});

test('where a project has no issues of its own, a bare number is one of its tracker', async () => {
  const { at } = await projectWith(app, 'redmine', TRACKER);
  assert.deepEqual(await leads(at, '#3'), []);
  expectStatus(await app.put(at, { json: { issues_access_level: 'disabled' } }), 200);
  assert.deepEqual(await leads(at, '#3 and AB-4'), ['https://bugs.example/3', 'https://bugs.example/4']);
});

test('keys of jira are found as they are set up', async () => {
  const { at, set } = await projectWith(app, 'jira', JIRA);
  assert.deepEqual(await leads(at, 'AB-1 and ab-2'), ['https://jira.example/browse/AB-1']);
  await set({ ...JIRA, jira_issue_regex: '[a-z]+-\\d+', jira_issue_prefix: 'jira:' });
  assert.deepEqual(await leads(at, 'AB-1, ab-2 and jira:cd-3'), ['https://jira.example/browse/cd-3']);
  for (const [json, words] of [
    [{ jira_issue_regex: '(' }, /not valid RE2 syntax/],
    [{ jira_issue_prefix: String.raw`\Qa` }, /not valid RE2 syntax/],
    [{ jira_issue_regex: String.raw`\Qa` }, /not valid RE2 syntax/],
    [{ jira_issue_prefix: 'a)(b' }, /not valid RE2 syntax/],
    [{ jira_issue_regex: 'a'.repeat(256) }, /too long/],
  ] as const) {
    const refused = await app.put(`${at}/integrations/jira`, { json: { ...JIRA, ...json } });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, words);
  }
});

test('a tracker of a group is that of its projects, and goes when it is switched off', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const at = `/projects/${project.id}`;
  expectStatus(await app.put(`/groups/${group.id}/integrations/redmine`, { json: TRACKER }), 200);
  assert.deepEqual(await leads(at, 'AB-4'), ['https://bugs.example/4']);
  expectStatus(await app.delete(`/groups/${group.id}/integrations/redmine`), 204);
  assert.deepEqual(await leads(at, 'AB-4'), []);
});

test('a project has one tracker', async () => {
  const { at } = await projectWith(app, 'redmine', TRACKER);
  const put = (slug: string, json: Json) => app.put(`${at}/integrations/${slug}`, { json });
  const { message } = expectStatus<{ message: string }>(await put('jira', JIRA), 400);
  assert.equal(
    message,
    'Another issue tracker is already in use. Only one issue tracker service can be active at a time',
  );
  expectStatus(await put('redmine', { ...TRACKER, project_url: 'https://other.example' }), 200);
  expectStatus(await put('slack', { webhook: 'https://hooks.example/x' }), 200);
  expectStatus(await app.delete(`${at}/integrations/redmine`), 204);
  expectStatus(await put('jira', JIRA), 200);
});

test('mails lead to issues of the tracker, too', async () => {
  const { at, project } = await projectWith(app, 'redmine', TRACKER);
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  expectStatus(
    await app.post(`${at}/issues`, { json: { title: 'x', description: 'As AB-4', assignee_ids: [user.id] } }),
    201,
  );
  await app.drain();
  const html = receiver.mails.flatMap(({ parts }) => parts).find(({ type }) => type.startsWith('text/html'));
  assert.match(html?.text ?? '', /<a href="https:\/\/bugs\.example\/4"[^>]*>AB-4<\/a>/);
});
