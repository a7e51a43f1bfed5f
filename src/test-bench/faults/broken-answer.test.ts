import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { cloneUrl, mustGit, runGitClient } from '../../../test/support/git-client.ts';
import { temporaryFolder } from '../../../test/support/git-fixture.ts';
import { exchange } from '../../../test/support/http-server.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { benchOf, type TestBench } from '../test-bench.ts';

const VERSION = '/api/v4/version';
let app: TestApp;
let url: string;
let bench: TestBench;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  url = await app.listen();
  bench = benchOf(app.deps);
});
after(() => app.close());
afterEach(() => bench.faults.clear());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${url}${path}`, { ...init, headers: { 'private-token': ROOT_TOKEN, ...(init.headers as object) } });
const post = (path: string, json: unknown) =>
  ask(path, { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } });
const head = () => `Host: x\r\nPrivate-Token: ${ROOT_TOKEN}\r\n`;
const raw = (bytes: string) => {
  const { hostname: host, port } = new URL(url);
  return exchange({ host, port: Number(port) }, bytes);
};
const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9))) ?? [];

async function issues() {
  const { id } = await app.make.project();
  const path = `/projects/${id}/issues`;
  const titles = async () => expectStatus<{ title: string }[]>(await app.get(path), 200).map(({ title }) => title);
  return { path: `/api/v4${path}`, titles };
}

test('drop: before closes the connection, and nothing is done', async () => {
  const { path, titles } = await issues();
  bench.faults.add({ match: { count: 1 }, act: { drop: 'before' } });
  await assert.rejects(post(path, { title: 'one' }));
  assert.deepEqual(await titles(), []);
  assert.equal((await post(path, { title: 'two' })).status, 201);
});

test('drop: after does it, and no byte of the answer arrives', async () => {
  const { path, titles } = await issues();
  const fault = bench.faults.add({ match: { method: 'POST', count: 2 }, act: { drop: 'after' } });
  await assert.rejects(post(path, { title: 'one' }));
  const body = JSON.stringify({ title: 'two' });
  const sent = `POST ${path} HTTP/1.1\r\n${head()}Content-Type: application/json\r\n`;
  assert.equal(await raw(`${sent}Content-Length: ${body.length}\r\n\r\n${body}`), '');
  assert.deepEqual((await titles()).sort(), ['one', 'two']);
  assert.equal(bench.faults.get(fault.id)?.hits, 2);
});

test('drop: after still asks for a body that the client waits to send', async () => {
  const { path, titles } = await issues();
  bench.faults.add({ match: {}, act: { drop: 'after' } });
  const body = JSON.stringify({ title: 'one' });
  const sent = `POST ${path} HTTP/1.1\r\n${head()}Content-Type: application/json\r\nExpect: 100-continue\r\n`;
  assert.match(await raw(`${sent}Content-Length: ${body.length}\r\n\r\n${body}`), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  assert.deepEqual(await titles(), ['one']);
});

test('drop: mid-body sends the head and half of the body, of cached and made up answers too', async () => {
  for (const [path, act] of [
    [VERSION, {}],
    [VERSION, {}],
    [VERSION, {}],
    ['/none', { status: 500, body: 'x'.repeat(1_001) }],
  ] as const) {
    const whole = path === VERSION ? await (await ask(path)).text() : 'x'.repeat(1_001);
    const { id } = bench.faults.add({ match: { path }, act: { ...act, drop: 'mid-body' } });
    const [top, rest] = (await raw(`GET ${path} HTTP/1.1\r\n${head()}\r\n`)).split('\r\n\r\n');
    assert.match(top!, new RegExp(`content-length: ${whole.length}`, 'i'));
    assert.equal(rest, whole.slice(0, Math.floor(whole.length / 2)));
    await assert.rejects(ask(path).then((answer) => answer.text()));
    bench.faults.remove(id);
  }
  bench.faults.add({ match: { method: 'HEAD' }, act: { drop: 'mid-body' } });
  assert.equal(await raw(`HEAD ${VERSION} HTTP/1.1\r\n${head()}\r\n`), '');
});

test('what was asked before on the same connection is answered, and nothing after', async () => {
  for (const drop of ['before', 'after', 'mid-body']) {
    const { id } = bench.faults.add({ match: { path: '/api/v4/user' }, act: { drop } });
    const request = (path: string) => `GET ${path} HTTP/1.1\r\n${head()}\r\n`;
    const text = await raw([VERSION, '/api/v4/projects', '/api/v4/user', VERSION].map(request).join(''));
    assert.deepEqual(statuses(text), drop === 'mid-body' ? [200, 200, 200] : [200, 200], drop);
    bench.faults.remove(id);
  }
});

test('answers stay in the order of the requests when one of them is delayed', async () => {
  bench.faults.add({ match: { path: '/a' }, act: { delay_ms: 150, status: 501 } });
  bench.faults.add({ match: { path: '/b' }, act: { status: 502 } });
  const started = performance.now();
  const text = await raw(
    `GET /a HTTP/1.1\r\n${head()}\r\nGET /b HTTP/1.1\r\n${head()}\r\nGET ${VERSION} HTTP/1.1\r\n${head()}Connection: close\r\n\r\n`,
  );
  assert.deepEqual(statuses(text), [501, 502, 200]);
  assert.ok(performance.now() - started >= 145);
});

test('a delayed request whose client has gone is not handled', async () => {
  const { path, titles } = await issues();
  bench.faults.add({ match: { method: 'POST' }, act: { delay_ms: 200 } });
  const json = { body: JSON.stringify({ title: 'one' }), headers: { 'content-type': 'application/json' } };
  await assert.rejects(ask(path, { method: 'POST', ...json, signal: AbortSignal.timeout(60) }), {
    name: 'TimeoutError',
  });
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.deepEqual(await titles(), []);
});

test('an answer comes at the rate that was ordered, whole', async () => {
  const body = 'x'.repeat(3_000);
  bench.faults.add({ match: { path: '/slow' }, act: { status: 200, body, bytes_per_second: 10_000 } });
  const started = performance.now();
  assert.equal(await (await ask('/slow')).text(), body);
  const took = performance.now() - started;
  assert.ok(took >= 250 && took < 2_000, `${took} ms`);
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const file = Buffer.alloc(300_000, 'y').toString();
  git.commit('main', { 'large.txt': file });
  bench.faults.add({ match: { path: '*/raw' }, act: { bytes_per_second: 1_000_000 } });
  const begun = performance.now();
  const answer = await ask(`/api/v4/projects/${project.id}/repository/files/large.txt/raw?ref=HEAD`);
  assert.equal(await answer.text(), file);
  assert.ok(performance.now() - begun >= 250);
});

test('git clients see faults of clones and pushes', async (t) => {
  const project = await app.make.project();
  new ProjectGit(app, project).commit('main', { 'README.md': 'text\n'.repeat(20_000) });
  const folder = temporaryFolder(t);
  const address = cloneUrl(url, project.full_path, ROOT_TOKEN);
  const path = `/${project.full_path}.git/`;
  bench.faults.add({ match: { path: `${path}info/refs`, count: 1 }, act: { status: 503 } });
  assert.match((await runGitClient(folder, ['clone', address, 'a'])).stderr, /returned error: 503/);
  bench.faults.add({ match: { path: `${path}git-upload-pack`, count: 1 }, act: { drop: 'mid-body' } });
  assert.notEqual((await runGitClient(folder, ['clone', address, 'a'])).code, 0);
  await mustGit(folder, ['clone', '-q', address, 'a']);
  const clone = `${folder}/a`;
  await mustGit(clone, ['commit', '-q', '--allow-empty', '-m', 'done']);
  const fault = bench.faults.add({ match: { path: `${path}git-receive-pack` }, act: { drop: 'after' } });
  assert.notEqual((await runGitClient(clone, ['push', 'origin', 'HEAD'])).code, 0);
  assert.ok(bench.faults.get(fault.id)!.hits > 0);
  bench.faults.clear();
  const [own, theirs] = [
    await mustGit(clone, ['rev-parse', 'HEAD']),
    await mustGit(clone, ['ls-remote', address, 'HEAD']),
  ];
  assert.equal(theirs.split('\t')[0], own);
});

test('nothing waits for requests whose connections were closed', async () => {
  for (const drop of ['before', 'after', 'mid-body']) {
    bench.faults.add({ match: { path: '/api/v4/user', count: 1 }, act: { drop } });
    await assert.rejects(ask('/api/v4/user').then((answer) => answer.text()));
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(app.deps.inFlight.hasDrained(app.deps.inFlight.currentEpoch()));
});
