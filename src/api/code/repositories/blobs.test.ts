import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let sha: string;
before(async () => {
  // The clock stands still, so that all requests fall into the same minute.
  app = await buildTestApp({ clock: new TestClock() });
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { 'page.html': '<script>1</script>' });
  sha = git.run(['rev-parse', 'main:page.html']);
});
after(() => app.close());

const at = (id: string, of: Project = project) => `/projects/${of.id}/repository/blobs/${encodeURIComponent(id)}`;

test('GET blobs/:sha gives size and content, by complete and shortened id', async () => {
  for (const id of [sha, sha.slice(0, 10), sha.toUpperCase()]) {
    assert.deepEqual(expectStatus(await app.get(at(id)), 200), {
      size: 18,
      encoding: 'base64',
      content: Buffer.from('<script>1</script>').toString('base64'),
      sha,
    });
  }
});

test('GET blobs/:sha/raw gives bytes that no browser runs, and answers its tag with 304', async () => {
  const response = await app.get(`${at(sha)}/raw`);
  assert.equal(response.statusCode, 200);
  assert.equal(response.body, '<script>1</script>');
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(response.headers['x-content-type-options'], 'nosniff');
  assert.equal(response.headers['content-length'], '18');
  const again = await app.get(`${at(sha)}/raw`, { headers: { 'if-none-match': String(response.headers.etag) } });
  assert.equal(again.statusCode, 304);
  const head = await app.head(`${at(sha)}/raw`);
  assert.equal(head.statusCode, 200);
  assert.equal(head.body, '');
  assert.equal(head.headers['content-length'], '18');
});

test('GET blobs/:sha/raw streams a large binary blob', async () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024, 'ab\0');
  const id = git.run(['hash-object', '-w', '--stdin'], bytes);
  const response = await app.get(`${at(id)}/raw`);
  assert.equal(response.headers['content-type'], 'application/octet-stream');
  assert.ok(response.rawPayload.equals(bytes));
});

test('GET blobs/:sha gives large blobs five times a minute', async () => {
  const id = git.run(['hash-object', '-w', '--stdin'], Buffer.alloc(10 * 1024 * 1024 + 1));
  const { token } = await app.make.user();
  for (let time = 0; time < 5; time += 1) assert.equal((await app.get(at(id), { token })).statusCode, 200);
  const refusal = await app.get(at(id), { token });
  expectStatus(refusal, 429);
  assert.equal(refusal.headers['retry-after'], '60');
});

test('GET blobs/:sha answers 404 for anything that is no blob', async () => {
  git.run(['update-ref', 'refs/heads/abcd', 'main']);
  git.run(['update-ref', 'refs/tags/beef', sha]);
  const others = ['main', '-p', '--help', 'HEAD:page.html', 'abcd', 'beef', 'ab', 'f'.repeat(40), `${sha}^{blob}`];
  for (const id of [...others, git.run(['rev-parse', 'main']), git.run(['rev-parse', 'main^{tree}'])]) {
    assert.equal(expectStatus(await app.get(at(id)), 404).message, '404 Blob Not Found', id);
    assert.equal(expectStatus(await app.get(`${at(id)}/raw`), 404).message, '404 Blob Not Found', id);
  }
});

test('GET blobs follows visibility and roles', async () => {
  expectStatus(await app.get(at(sha), { token: null }), 200);
  const closed = await app.make.project();
  new ProjectGit(app, closed).commit('main', { 'page.html': '<script>1</script>' });
  const users = await app.make.members(closed);
  for (const path of [at(sha, closed), `${at(sha, closed)}/raw`]) {
    expectStatus(await app.get(path, { token: null }), 404);
    expectStatus(await app.get(path, { token: users.stranger.token }), 404);
    expectStatus(await app.get(path, { token: users.guest.token }), 403);
    assert.equal((await app.get(path, { token: users.reporter.token })).statusCode, 200);
  }
});
