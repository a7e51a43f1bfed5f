import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { cloneUrl, mustGit } from '../../../test/support/git-client.ts';
import { temporaryFolder } from '../../../test/support/git-fixture.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { benchOf, type TestBench } from '../test-bench.ts';

interface Entry {
  id: number;
  at: string;
  method: string;
  path: string;
  query: string | null;
  route: string | null;
  caller: string | null;
  status: number | null;
  request_body: string | null;
  response_body: string | null;
}

const REQUESTS = '/-/bench/requests';
let app: TestApp;
let url: string;
let bench: TestBench;
let token: string;
let username: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  url = await app.listen();
  bench = benchOf(app.deps);
  const made = await app.make.user();
  token = made.token;
  username = made.user.username;
});
after(() => app.close());
beforeEach(async () => {
  bench.faults.clear();
  expectStatus(await app.delete(REQUESTS), 204);
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${url}${path}`, { ...init, headers: { 'private-token': ROOT_TOKEN, ...(init.headers as object) } });
const send = async (method: string, path: string, body: unknown, type = 'application/json') => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await ask(path, { method, body: text, headers: { 'content-type': type } });
  return (await answer.json()) as Record<string, unknown>;
};
const recorded = async (query = '') =>
  (await (await ask(`${REQUESTS}${query === '' ? '' : `?${query}`}`)).json()) as Entry[];

test('a request is recorded with route, caller, status and bodies; those of the test bench are not', async () => {
  const { id } = await app.make.project();
  const made = await send('POST', `/api/v4/projects/${id}/issues?labels=a`, { title: 'One' });
  await (await ask(`/api/v4/projects/${id}/nothing`)).text();
  const [one, two, ...others] = await recorded();
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...one, id: 0, at: '' },
    {
      id: 0,
      at: '',
      method: 'POST',
      path: `/api/v4/projects/${id}/issues`,
      query: 'labels=a',
      route: '/api/v4/projects/:id/issues',
      caller: 'root',
      status: 201,
      request_body: '{"title":"One"}',
      response_body: JSON.stringify(made),
    },
  );
  assert.ok(Math.abs(Date.parse(one!.at) - Date.now()) < 60_000);
  assert.deepEqual([two!.route, two!.caller, two!.status, two!.id], [null, null, 404, one!.id + 1]);
});

test('answers from the cache, and made up or lost ones, are recorded too', async () => {
  const path = '/api/v4/user';
  for (let again = 0; again < 4; again += 1) await (await ask(path, { headers: { 'private-token': token } })).text();
  bench.faults.add({ match: { count: 1 }, act: { status: 503, body: 'later' } });
  await (await ask(path)).text();
  bench.faults.add({ match: { count: 1 }, act: { drop: 'before' } });
  await assert.rejects(ask(path));
  bench.faults.add({ match: { count: 1 }, act: { drop: 'after' } });
  await assert.rejects(ask(path));
  const entries = await recorded('wait=1&count=7');
  assert.deepEqual(
    entries.map(({ route, caller, status }) => [route, caller, status]),
    [
      ...Array.from({ length: 4 }, () => [path, username, 200]),
      [null, null, 503],
      [null, null, null],
      [path, 'root', 200],
    ],
  );
  assert.equal(new Set(entries.slice(0, 4).map(({ response_body }) => response_body)).size, 1);
  assert.deepEqual([entries[4]!.response_body, entries[5]!.response_body], ['later', null]);
  assert.match(entries[6]!.response_body!, /"username":"root"/);
});

test('clones and pushes of git are recorded, and binary bodies as notes', async (t) => {
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { 'a.txt': 'one' });
  const folder = temporaryFolder(t);
  await mustGit(folder, ['clone', '-q', cloneUrl(url, project.full_path, ROOT_TOKEN), 'a']);
  const clone = await recorded();
  assert.deepEqual(
    [...new Set(clone.map(({ path }) => path))],
    [`/${project.full_path}.git/info/refs`, `/${project.full_path}.git/git-upload-pack`],
  );
  assert.deepEqual(
    [...new Set(clone.map(({ status }) => status))].sort(),
    [200, 401].filter((status) => clone.some((each) => each.status === status)),
  );
  const last = clone.at(-1)!;
  assert.match(last.response_body!, /^\[\d+ bytes of application\/x-git-upload-pack-result\]$/);
  assert.deepEqual([last.caller, last.status], ['root', 200]);
});

test('secrets are masked in queries, bodies and answers', async () => {
  const { user } = await app.make.user();
  const secret = 'a long enough secret 17';
  await send('POST', '/api/v4/users', { email: 'x@example.com', username: 'xerxes', name: 'X', password: secret });
  const made = await send('POST', `/api/v4/users/${user.id}/personal_access_tokens`, { name: 'made', scopes: ['api'] });
  await send(
    'POST',
    '/oauth/token',
    `grant_type=password&username=xerxes&password=${encodeURIComponent(secret)}`,
    'application/x-www-form-urlencoded',
  );
  const { id } = await app.make.project();
  await send('POST', `/api/v4/projects/${id}/variables`, { key: 'NAME', value: secret });
  await (await ask(`/api/v4/projects/${id}/variables`)).text();
  await send('POST', `/api/v4/projects/${id}/issues`, {
    title: 'T',
    description: `${made.token} https://ann:pw12@host/`,
  });
  await (await ask(`/api/v4/user?private_token=${ROOT_TOKEN}`)).text();
  const text = JSON.stringify(await recorded());
  for (const hidden of [secret, encodeURIComponent(secret), String(made.token), ROOT_TOKEN, 'pw12'])
    assert.equal(text.includes(hidden), false, hidden);
  assert.match(text, /\[FILTERED\]/);
  assert.match(text, /xerxes/);
});

test('long bodies are cut, and the oldest requests go', async () => {
  const { id } = await app.make.project();
  const title = 'Long';
  await send('POST', `/api/v4/projects/${id}/issues`, { title, description: 'ä'.repeat(60_000) });
  const [one] = await recorded();
  assert.match(one!.request_body!, /^\{"title":"Long".*ä… \[1200\d\d bytes in all\]$/s);
  assert.ok(one!.request_body!.length < 66_000);
  bench.faults.add({ match: { path: '/none' }, act: { body: 'x'.repeat(100_000) } });
  const first = one!.id;
  for (let again = 0; again < 300; again += 1) await (await ask('/none')).text();
  const left = await recorded();
  assert.ok(left.length < 260 && left.length > 200, String(left.length));
  assert.equal(left.at(-1)!.id, first + 300);
  bench.faults.clear();
  for (let again = 0; again < 2_010; again += 100)
    await Promise.all(Array.from({ length: 100 }, async () => (await ask('/none')).text()));
  assert.equal((await recorded()).length, 2_000);
});

test('filters choose by method, path, status, and what came after', async () => {
  const { id } = await app.make.project();
  await send('POST', `/api/v4/projects/${id}/issues`, { title: 'One' });
  await (await ask(`/api/v4/projects/${id}/issues?page=1`)).text();
  await (await ask('/api/v4/nothing')).text();
  const paths = async (query: string) => (await recorded(query)).map(({ method, path }) => `${method} ${path}`);
  const issues = `/api/v4/projects/${id}/issues`;
  assert.deepEqual(await paths('method=post'), [`POST ${issues}`]);
  assert.deepEqual(await paths(`path=${issues}`), [`POST ${issues}`, `GET ${issues}`]);
  assert.deepEqual(await paths('path=*/issues&method=GET'), [`GET ${issues}`]);
  assert.deepEqual(await paths('status=404'), ['GET /api/v4/nothing']);
  const all = await recorded();
  assert.deepEqual((await recorded(`after=${all[0]!.id}`)).length, 2);
  assert.deepEqual((await recorded(`after=${new Date(Date.now() + 60_000).toISOString()}`)).length, 0);
});

test('a wait ends when there are enough, or with 408', async () => {
  const waiting = recorded('wait=1&count=2&path=/api/v4/version');
  await (await ask('/api/v4/version')).text();
  await (await ask('/api/v4/user')).text();
  await (await ask('/api/v4/version')).text();
  assert.equal((await waiting).length, 2);
  const late = await ask(`${REQUESTS}?wait=true&count=9&timeout=0.1`);
  assert.equal(late.status, 408);
  assert.match(await late.text(), /there are 3 of 9 entries after 0\.1 seconds/);
});

test('what makes no sense is refused, and only the administrator looks', async () => {
  for (const query of ['until=1', 'after=yesterday', 'count=0', 'status=many', 'wait=perhaps', 'timeout=1000'])
    assert.equal((await ask(`${REQUESTS}?${query}`)).status, 400, query);
  for (const method of ['GET', 'DELETE'] as const) {
    expectStatus(await app.request(method, REQUESTS, { token: null }), 401);
    expectStatus(await app.request(method, REQUESTS, { token }), 403);
  }
});
