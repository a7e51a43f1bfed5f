import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { holdJob } from '../../../test/support/artifacts.ts';
import { exchange } from '../../../test/support/http-server.ts';
import { benchOf } from '../test-bench.ts';
import type { Fault } from './faults.ts';

const FAULTS = '/-/bench/faults';
let app: TestApp;
let url: string;
let token: string;
let username: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  url = await app.listen();
  const made = await app.make.user();
  token = made.token;
  username = made.user.username;
});
after(() => app.close());
afterEach(() => benchOf(app.deps).faults.clear());

const order = async (match: unknown, act: unknown) =>
  expectStatus<Fault>(await app.post(FAULTS, { json: { match, act } }), 201);
const hits = async ({ id }: Fault) => expectStatus<Fault>(await app.get(`${FAULTS}/${id}`), 200).hits;
const ask = (path: string, options: RequestInit & { as?: string | null } = {}) => {
  const { as = ROOT_TOKEN, headers, ...rest } = options;
  return fetch(`${url}${path}`, {
    ...rest,
    headers: { ...(as === null ? {} : { 'private-token': as }), ...(headers as Record<string, string>) },
  });
};
const VERSION = '/api/v4/version';

test('a rule answers instead of the server, and is counted', async () => {
  const fault = await order({}, { status: 503, headers: { 'X-Broken': 'yes' }, body: { message: 'later' } });
  assert.deepEqual(
    [fault.match, fault.act, fault.hits],
    [{}, { status: 503, headers: { 'X-Broken': 'yes' }, body: { message: 'later' } }, 0],
  );
  const answer = await ask(VERSION);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('x-broken'), 'yes');
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.deepEqual(await answer.json(), { message: 'later' });
  assert.equal(await hits(fault), 1);
  assert.equal((await ask(FAULTS)).status, 200);
});

test('retry_after alone is 429, a body alone is 200, a status alone has a message', async () => {
  const limited = await order({ count: 1 }, { retry_after: 7 });
  const first = await ask(VERSION);
  assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '7']);
  assert.deepEqual(await first.json(), { message: '429 Too Many Requests' });
  assert.equal(await hits(limited), 1);
  await order({ count: 1 }, { body: 'not json' });
  const second = await ask(VERSION);
  assert.deepEqual([second.status, second.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
  assert.equal(await second.text(), 'not json');
  await order({ count: 1 }, { status: 502, retry_after: 1 });
  assert.deepEqual([(await ask(VERSION)).status, (await ask(VERSION)).status], [502, 200]);
  await order({ count: 1 }, { status: 204 });
  assert.equal((await ask(VERSION)).status, 204);
});

test('headers alone are added to the server’s answer, and replace its own', async () => {
  await order({ path: VERSION }, { headers: { 'X-Total': '12', 'content-type': 'text/strange' } });
  for (let again = 0; again < 4; again += 1) {
    const answer = await ask(VERSION);
    assert.deepEqual(
      [answer.status, answer.headers.get('x-total'), answer.headers.get('content-type')],
      [200, '12', 'text/strange'],
    );
    assert.ok('version' in ((await answer.json()) as object));
  }
});

test('the first rule that matches acts, twice with a count of 2; all that it names must be there', async () => {
  const project = await app.make.project();
  const issues = `/api/v4/projects/${project.id}/issues`;
  const post = (title: string) =>
    ask(issues, { method: 'POST', body: JSON.stringify({ title }), headers: { 'content-type': 'application/json' } });
  const one = await order({ method: 'post', path: '/api/v4/projects/*/issues', count: 2 }, { status: 500 });
  const two = await order({ path: issues }, { status: 502 });
  assert.deepEqual([(await post('a')).status, (await post('b')).status, (await post('c')).status], [500, 500, 502]);
  assert.equal((await ask(`${issues}?state=opened`)).status, 502);
  assert.equal((await ask(`${issues}/1`)).status, 404);
  assert.deepEqual([await hits(one), await hits(two)], [2, 2]);
  await app.delete(`${FAULTS}/${two.id}`);
  assert.equal((await post('d')).status, 201);
  const list = (await (await ask(issues)).json()) as { title: string }[];
  assert.deepEqual(
    list.map(({ title }) => title),
    ['d'],
  );
});

test('headers and probability decide', async () => {
  await order({ header: { 'X-Attempt': 'first*' } }, { status: 500 });
  assert.equal((await ask(VERSION)).status, 200);
  assert.equal((await ask(VERSION, { headers: { 'x-attempt': 'first one' } })).status, 500);
  assert.equal((await ask(VERSION, { headers: { 'x-attempt': 'second' } })).status, 200);
  await app.delete(FAULTS);
  const never = await order({ probability: 0 }, { status: 500 });
  const often = await order({ probability: 0.5 }, { status: 501 });
  const statuses = new Set<number>();
  for (let again = 0; again < 60; again += 1) statuses.add((await ask(VERSION)).status);
  assert.deepEqual([...statuses].sort(), [200, 501]);
  assert.equal(await hits(never), 0);
  const count = await hits(often);
  assert.ok(count > 5 && count < 55, `${count} of 60`);
});

test('a user is hit wherever the credentials stand, and nobody else', async () => {
  await order({ user: username.toUpperCase() }, { status: 418 });
  const project = await app.make.project();
  const user = (await app.get('/user', { token })).json() as { id: number };
  const job = await holdJob(app, project, { columns: { user_id: user.id } });
  const basic = (name: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
  });
  await app.put(`/users/${user.id}`, { json: { password: 'correct horse 12' } });
  const git = `/${project.full_path}.git/info/refs?service=git-upload-pack`;
  const hit: [string, Record<string, string>][] = [
    [VERSION, { 'private-token': token }],
    [VERSION, { authorization: `Bearer ${token}` }],
    [`${VERSION}?private_token=${token}`, {}],
    [`${VERSION}?access_token=${token}`, {}],
    [git, basic('git', token)],
    [git, basic(username, 'correct horse 12')],
    [git, basic('gitlab-ci-token', job.token)],
    [VERSION, { 'job-token': job.token }],
    [`${VERSION}?job_token=${job.token}`, {}],
    [VERSION, { 'private-token': ROOT_TOKEN, sudo: username }],
  ];
  const spared: [string, Record<string, string>][] = [
    [VERSION, { 'private-token': ROOT_TOKEN }],
    [VERSION, { 'private-token': 'wrong' }],
    [VERSION, {}],
    [git, basic(username, 'wrong horse 123')],
  ];
  for (const [path, headers] of hit)
    assert.equal((await ask(path, { as: null, headers })).status, 418, `${path} ${JSON.stringify(headers)}`);
  for (const [path, headers] of spared)
    assert.notEqual((await ask(path, { as: null, headers })).status, 418, `${path} ${JSON.stringify(headers)}`);
});

test('a rule is listed, shown and deleted; none is left after all are', async () => {
  const one = await order({ path: '/none' }, { delay_ms: 1 });
  const two = await order({ path: '/none' }, { drop: 'before' });
  const all = async () => expectStatus<Fault[]>(await app.get(FAULTS), 200).map(({ id }) => id);
  assert.deepEqual(await all(), [one.id, two.id]);
  assert.equal((await app.delete(`${FAULTS}/${one.id}`)).statusCode, 204);
  for (const method of ['GET', 'DELETE']) expectStatus(await app.request(method, `${FAULTS}/${one.id}`), 404);
  assert.deepEqual(await all(), [two.id]);
  assert.equal((await app.delete(FAULTS)).statusCode, 204);
  assert.deepEqual(await all(), []);
});

test('what makes no sense is refused and says why', async () => {
  const refusals: [unknown, RegExp][] = [
    [{}, /act is missing/],
    [{ act: {} }, /act must say what to do/],
    [{ match: {}, act: { statu: 500 } }, /act\.statu is unknown; known are status, headers/],
    [{ match: { paths: '/' }, act: { status: 500 } }, /match\.paths is unknown; known are method, path/],
    [{ matches: {}, act: { status: 500 } }, /matches is unknown; known are match, act/],
    [{ match: [], act: { status: 500 } }, /match is invalid/],
    [{ act: { status: 100 } }, /act\[status\]/],
    [{ act: { status: 'many' } }, /act\[status\]/],
    [{ act: { delay_ms: 1e9 } }, /act\[delay_ms\]/],
    [{ act: { bytes_per_second: 0 } }, /act\[bytes_per_second\]/],
    [{ act: { drop: 'sometimes' } }, /act\[drop\]/],
    [{ act: { drop: 'after', status: 500 } }, /drop: after leaves no answer/],
    [{ act: { status: 500, headers: { 'a b': 'c' } } }, /invalid header: a b/],
    [{ act: { status: 500, headers: { 'Content-Length': '1' } } }, /cannot set Content-Length/],
    [{ act: { body: 'x'.repeat(1024 * 1024 + 1) } }, /act\.body is too long/],
    [{ match: { probability: 2 }, act: { status: 500 } }, /match\[probability\]/],
    [{ match: { count: 0 }, act: { status: 500 } }, /match\[count\]/],
    [{ match: { path: 'projects' }, act: { status: 500 } }, /match\.path must begin with/],
    [{ match: { path: '/a?b' }, act: { status: 500 } }, /without the query/],
    [{ match: { path: '/-/bench/clock' }, act: { status: 500 } }, /must not be of the test bench/],
    [{ match: { outgoing: 'mail' }, act: { status: 500 } }, /match\[outgoing\]/],
    [{ match: { url: 'http://x/' }, act: { status: 500 } }, /match\.url needs match\.outgoing/],
    [{ match: { outgoing: 'hook', user: 'ada' }, act: { status: 500 } }, /match\.user is of requests/],
    [{ match: { outgoing: 'mirror' }, act: { bytes_per_second: 5 } }, /does not apply to mirrors/],
  ];
  for (const [json, message] of refusals) {
    const answer = await app.post(FAULTS, { json });
    assert.equal(answer.statusCode, 400, answer.body);
    assert.match(answer.json().message, message);
  }
  assert.throws(() => benchOf(app.deps).faults.add('all'), { status: 400, message: /must be an object/ });
  const { faults } = benchOf(app.deps);
  for (let made = 0; made < 1_000; made += 1) faults.add({ match: { path: '/none' }, act: { status: 500 } });
  assert.match((await app.post(FAULTS, { json: { act: { status: 500 } } })).body, /1000 rules at most/);
});

test('only the administrator orders faults', async () => {
  for (const [method, path] of [
    ['GET', FAULTS],
    ['POST', FAULTS],
    ['DELETE', FAULTS],
    ['GET', `${FAULTS}/1`],
    ['DELETE', `${FAULTS}/1`],
  ] as const) {
    expectStatus(await app.request(method, path, { token: null, json: { act: { status: 500 } } }), 401);
    expectStatus(await app.request(method, path, { token, json: { act: { status: 500 } } }), 403);
  }
});

test('a request with a body that nobody reads leaves its connection usable', async () => {
  await order({ method: 'POST' }, { status: 503 });
  const { hostname: host, port } = new URL(url);
  const body = 'x'.repeat(300_000);
  const head = `Host: ${host}\r\nPrivate-Token: ${ROOT_TOKEN}\r\n`;
  const answers = await exchange(
    { host, port: Number(port) },
    `POST /api/v4/projects HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}` +
      `GET ${VERSION} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
  );
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 503', 'HTTP/1.1 200']);
});
