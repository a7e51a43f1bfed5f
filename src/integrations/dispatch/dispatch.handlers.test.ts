import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { FIELDS } from '../catalogue/fields.ts';
import { HANDLERS } from './dispatch.handlers.ts';
import type { DispatchContext, OutboundRequest } from './dispatch-context.ts';
import type { Payload } from './integration-payload.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const WEB = 'https://forge.example/tools/app';
const SHA = 'a'.repeat(40);
const OLD = 'b'.repeat(40);
const project = {
  id: 1,
  name: 'App',
  web_url: WEB,
  path_with_namespace: 'tools/app',
  default_branch: 'main',
  avatar_url: null,
};
const user = { id: 1, name: 'Ann', username: 'ann', avatar_url: null };
const push = (message: string, more: Partial<Payload> = {}): Payload => ({
  object_kind: 'push',
  user_name: 'Ann',
  user_username: 'ann',
  project,
  ref: 'refs/heads/main',
  before: OLD,
  after: SHA,
  total_commits_count: 1,
  commits: [
    {
      id: SHA,
      title: message,
      message,
      url: `${WEB}/-/commit/${SHA}`,
      timestamp: '2026-01-01T00:00:00+00:00',
      author: { name: 'Ann', email: 'ann@forge.example' },
    },
  ],
  ...more,
});
const request = (action: string, title: string): Payload => ({
  object_kind: 'merge_request',
  user,
  project,
  object_attributes: {
    id: 7,
    iid: 3,
    title,
    description: '',
    url: `${WEB}/-/merge_requests/3`,
    action,
    state: action === 'merge' ? 'merged' : 'opened',
    source_branch: 'work',
    target_branch: 'main',
  },
});
const pipeline: Payload = {
  object_kind: 'pipeline',
  user,
  project,
  object_attributes: { id: 9, ref: 'main', tag: false, sha: SHA, status: 'failed' },
};
const HEADERS: Readonly<Record<string, [string, string]>> = {
  push: ['push', 'Push Hook'],
  merge_request: ['merge_requests', 'Merge Request Hook'],
  pipeline: ['pipeline', 'Pipeline Hook'],
};

/** What an integration calls when it is told of something. @param answer status and body by method and address */
async function callsOf(
  slug: string,
  settings: Json,
  payload: Payload,
  answer: (request: OutboundRequest) => Json | undefined = () => ({}),
): Promise<{ method: string; url: string; headers: Json; body: unknown }[]> {
  const calls: OutboundRequest[] = [];
  const [trigger = '', header = ''] = HEADERS[payload.object_kind] ?? [];
  const setting = (name: string) =>
    (settings[name] ?? FIELDS[name]?.fallback) as ReturnType<DispatchContext['setting']>;
  const context: DispatchContext = {
    deps: app.deps,
    slug,
    projectId: null,
    actorId: 1,
    trigger,
    header,
    payload,
    raw: payload,
    idempotencyKey: 'key-1',
    setting,
    text: (name) => String(setting(name) ?? ''),
    flag: () => true,
    call: async (call) => {
      calls.push(call);
      const body = answer(call);
      return { status: body === undefined ? 404 : 200, headers: {}, body: JSON.stringify(body ?? {}) };
    },
    signal: new AbortController().signal,
  };
  await HANDLERS.get(slug)?.(context);
  return calls.map(({ method = 'POST', url, headers = {}, body }) => ({
    method,
    url,
    headers,
    body:
      body === undefined
        ? undefined
        : headers['Content-Type'] === 'application/json'
          ? JSON.parse(body)
          : headers['Content-Type'] === 'application/x-www-form-urlencoded'
            ? Object.fromEntries(new URLSearchParams(body))
            : body,
  }));
}

const BASIC = `Basic ${Buffer.from('ann:sesame').toString('base64')}`;
const LOGIN = { username: 'ann', password: 'sesame' };
const short = (calls: Awaited<ReturnType<typeof callsOf>>) =>
  calls.map(({ method, url, headers, body }) => [
    `${method} ${url}`,
    headers.Authorization ?? headers['X-Gitlab-Event'] ?? headers['X-TrackerToken'] ?? null,
    body,
  ]);

describe('build servers are called', () => {
  test('bamboo', async () => {
    const settings = { bamboo_url: 'https://bamboo.example/', build_key: 'A B', ...LOGIN };
    assert.deepEqual(short(await callsOf('bamboo', settings, push('x'))), [
      ['GET https://bamboo.example/updateAndBuild.action?buildKey=A+B&os_authType=basic', BASIC, undefined],
    ]);
  });

  test('buildkite, by the first part of its token', async () => {
    const payload = push('x');
    assert.deepEqual(short(await callsOf('buildkite', { token: 'hook:status' }, payload)), [
      ['POST https://webhook.buildkite.com/deliver/hook', 'Service Hook', payload],
    ]);
  });

  test('drone, for what is to be built', async () => {
    const settings = { drone_url: 'https://drone.example', token: 'sesame' };
    const address = 'POST https://drone.example/hook?owner=tools&name=app&access_token=sesame';
    const payload = push('x');
    assert.deepEqual(short(await callsOf('drone-ci', settings, payload)), [[address, 'Service Hook', payload]]);
    assert.deepEqual(await callsOf('drone-ci', settings, push('x', { after: '0'.repeat(40) })), []);
    assert.equal((await callsOf('drone-ci', settings, request('open', 'x'))).length, 1);
    assert.deepEqual(await callsOf('drone-ci', settings, request('update', 'x')), []);
  });

  test('jenkins, with a password where there is one', async () => {
    const settings = { jenkins_url: 'https://jenkins.example/', project_name: 'a b/c' };
    const payload = push('x');
    const address = 'POST https://jenkins.example/project/a%20b/c';
    assert.deepEqual(short(await callsOf('jenkins', settings, payload)), [[address, 'Push Hook', payload]]);
    assert.deepEqual(short(await callsOf('jenkins', { ...settings, ...LOGIN }, payload)), [[address, BASIC, payload]]);
  });

  test('teamcity', async () => {
    const settings = { teamcity_url: 'https://teamcity.example', build_type: 'A"B', ...LOGIN };
    assert.deepEqual(short(await callsOf('teamcity', settings, push('x'))), [
      [
        'POST https://teamcity.example/httpAuth/app/rest/buildQueue',
        BASIC,
        '<build branchName="main"><buildType id="A&quot;B"/></build>',
      ],
    ]);
  });
});

describe('others are called', () => {
  test('packagist, datadog, squash and github', async () => {
    const payload = push('x');
    assert.deepEqual(short(await callsOf('packagist', { username: 'ann', token: 'sesame' }, payload)), [
      ['POST https://packagist.org/api/update-package?username=ann&apiToken=sesame', 'Service Hook', payload],
    ]);
    const settings = { api_key: 'sesame', datadog_site: 'datadoghq.eu', datadog_tags: 'a:b\nc:d', datadog_env: 'prod' };
    assert.deepEqual(short(await callsOf('datadog', settings, pipeline)), [
      [
        'POST https://webhook-intake.datadoghq.eu/api/v2/webhook?dd-api-key=sesame&env=prod&tags=a%3Ab%2Cc%3Ad',
        'Pipeline Hook',
        pipeline,
      ],
    ]);
    const issue = { ...payload, object_kind: 'issue' };
    assert.deepEqual(
      (await callsOf('squash-tm', { url: 'https://squash.example/x', token: 'sesame' }, issue)).map(({ url }) => url),
      ['https://squash.example/x?token=sesame'],
    );
    const github = { token: 'sesame', repository_url: 'https://github.com/tools/app.git' };
    assert.deepEqual(short(await callsOf('github', github, pipeline)), [
      [
        `POST https://api.github.com/repos/tools/app/statuses/${SHA}`,
        'Bearer sesame',
        {
          state: 'failure',
          target_url: `${WEB}/-/pipelines/9`,
          description: 'Pipeline failed',
          context: 'ci/127.0.0.1/pipeline',
        },
      ],
    ]);
  });

  test('asana, for tasks that commits name, and closes those that they fix', async () => {
    const calls = short(await callsOf('asana', { api_key: 'sesame' }, push('fixes #123, see #45')));
    const text = `Ann (ann) pushed to branch main of tools/app ( ${WEB}/-/commit/${SHA} ): fixes #123, see #45`;
    assert.deepEqual(calls, [
      ['POST https://app.asana.com/api/1.0/tasks/123/stories', 'Bearer sesame', { text }],
      ['PUT https://app.asana.com/api/1.0/tasks/123', 'Bearer sesame', { completed: 'true' }],
      ['POST https://app.asana.com/api/1.0/tasks/45/stories', 'Bearer sesame', { text }],
    ]);
    assert.deepEqual(await callsOf('asana', { api_key: 'x', restrict_to_branch: 'other' }, push('#1')), []);
  });

  test('pivotal tracker, campfire, assembla and pushover', async () => {
    const payload = push('x');
    assert.deepEqual(short(await callsOf('pivotaltracker', { token: 'sesame' }, payload)), [
      [
        'POST https://www.pivotaltracker.com/services/v5/source_commits',
        'sesame',
        { source_commit: { commit_id: SHA, author: 'Ann', url: `${WEB}/-/commit/${SHA}`, message: 'x' } },
      ],
    ]);
    const compare = `${WEB}/-/compare/${OLD}...${SHA}`;
    assert.deepEqual(short(await callsOf('campfire', { token: 'sesame', subdomain: 'a/b', room: '7' }, payload)), [
      [
        'POST https://ab.campfirenow.com/room/7/speak.json',
        `Basic ${Buffer.from('sesame:X').toString('base64')}`,
        { message: { body: `[tools/app] Ann pushed 1 commits to main: ${compare}` } },
      ],
    ]);
    assert.deepEqual(short(await callsOf('assembla', { token: 'sesame', subdomain: 'a' }, payload)), [
      ['POST https://atlas.assembla.com/spaces/a/github_tool?secret_key=sesame', null, { payload }],
    ]);
    assert.deepEqual(short(await callsOf('pushover', { api_key: 'k', user_key: 'u', priority: '0' }, payload)), [
      [
        'POST https://api.pushover.net/1/messages.json',
        null,
        {
          token: 'k',
          user: 'u',
          priority: '0',
          title: 'tools/app',
          message: 'Ann push to branch "main".\nTotal commits count: 1',
          url: compare,
          url_title: 'See project tools/app',
        },
      ],
    ]);
  });
});

describe('jira', () => {
  const settings = { url: 'https://jira.example/', ...LOGIN };
  const at = 'https://jira.example/rest/api/2/issue';

  test('is told where a commit mentions an issue', async () => {
    const calls = short(await callsOf('jira', settings, push('See AB-1 and XAB-2x')));
    assert.deepEqual(
      calls.map(([call, auth]) => [call, auth]),
      [
        [`GET ${at}/AB-1`, BASIC],
        [`POST ${at}/AB-1/comment`, BASIC],
        [`POST ${at}/AB-1/remotelink`, BASIC],
      ],
    );
    const base = app.deps.externalUrl();
    assert.deepEqual(calls[1]?.[2], {
      body: `[Ann (ann)|${base}/ann] mentioned this issue in [a commit|${WEB}/-/commit/${SHA}] of [tools/app|${WEB}]:{quote}See AB-1 and XAB-2x{quote}`,
    });
    assert.deepEqual(await callsOf('jira', settings, push('nothing')), []);
  });

  test('closes what a commit of the default branch, or a merge request, says is solved', async () => {
    const transitions = { transitions: [{ id: '5' }, { id: '8', to: { statusCategory: { key: 'done' } } }] };
    const answer = ({ url }: OutboundRequest) => (url.endsWith('/transitions') ? transitions : {});
    const expected = (title: string, url: string) => [
      [`GET ${at}/AB-1`, undefined],
      [`GET ${at}/AB-1/transitions`, undefined],
      [`POST ${at}/AB-1/transitions`, { transition: { id: '8' } }],
      [`POST ${at}/AB-1/comment`, { body: `Issue solved with [${title}|${url}].` }],
    ];
    const gist = (calls: Awaited<ReturnType<typeof callsOf>>) => short(calls).map(([call, , body]) => [call, body]);
    assert.deepEqual(
      gist(await callsOf('jira', settings, push('Closes AB-1'), answer)),
      expected(SHA.slice(0, 8), `${WEB}/-/commit/${SHA}`),
    );
    assert.deepEqual(
      gist(await callsOf('jira', settings, request('merge', 'Fix AB-1'), answer)),
      expected('!3', `${WEB}/-/merge_requests/3`),
    );
    const named = await callsOf('jira', { ...settings, jira_issue_transition_id: '2, 3' }, push('Closes AB-1'), answer);
    assert.deepEqual(
      named.filter(({ method, url }) => method === 'POST' && url.endsWith('/transitions')).map(({ body }) => body),
      [{ transition: { id: '2' } }, { transition: { id: '3' } }],
    );
  });

  test('is asked with a token alone where that is set up', async () => {
    const [first] = await callsOf('jira', { ...settings, jira_auth_type: 1 }, request('open', 'AB-1'), () => undefined);
    assert.equal(first?.headers.Authorization, 'Bearer sesame');
  });
});
