import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../test/support/settings.ts';
import { AccessLevel } from '../core/access-levels.ts';
import type { Project } from '../db/tables/projects.table.ts';

const clock = new TestClock();
let app: TestApp;
let base: string;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp({ clock });
  base = await app.listen();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project({ visibility: 'private' });
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'first\n', 'dir/b.txt': 'b\n' });
});
afterEach(() => mock.restoreAll());

const lasts = () => app.deps.config.database.kind === 'sqlite';

/** Sends a request below the repository, and tells whether it was authorized. */
async function ask(path: string, headers: Record<string, string> = { 'private-token': ROOT_TOKEN }) {
  const peeks = mock.method(app.deps.snapshot, 'peek');
  const response = await fetch(`${base}/api/v4/projects/${project.id}/repository/${path}`, { headers });
  const body = await response.text();
  const looked = peeks.mock.callCount() > 0;
  peeks.mock.restore();
  return { status: response.status, headers: Object.fromEntries(response.headers), body, looked };
}

/** Repeats a request until its answer is cached, if it is cacheable. */
async function askUntilItLasts(path: string, headers?: Record<string, string>) {
  for (let n = 0; n < 3; n += 1) expectOk(await ask(path, headers));
  const last = await ask(path, headers);
  assert.equal(last.looked, !lasts(), `${path} is answered without a look`);
  return last;
}

const expectOk = ({ status, body }: { status: number; body: string }) => assert.equal(status, 200, body);

const ALWAYS_NEW = ['x-request-id', 'x-runtime', 'date'];
const steady = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ALWAYS_NEW.includes(name)));

const RAW = 'files/a.txt/raw?ref=main';
const PATHS = [
  RAW,
  'files/a.txt?ref=main',
  'files/a.txt/raw',
  'branches',
  'branches?per_page=1&page=1',
  'commits',
  'commits?ref_name=main&per_page=1',
  'commits/main',
  'tree?recursive=true',
  'contributors',
];

describe('what is asked of a repository again', () => {
  test('is answered the same without a look at rights, with its tag, too', async () => {
    for (const path of PATHS) {
      const first = await ask(path);
      const last = await askUntilItLasts(path);
      assert.deepEqual([last.status, last.body], [200, first.body], path);
      assert.deepEqual(steady(last.headers), steady(first.headers), path);
      assert.notEqual(last.headers['x-request-id'], first.headers['x-request-id']);
      const unchanged = await ask(path, { 'private-token': ROOT_TOKEN, 'if-none-match': first.headers.etag! });
      assert.deepEqual([unchanged.status, unchanged.body, unchanged.looked], [304, '', !lasts()], path);
      assert.equal(unchanged.headers.etag, first.headers.etag);
    }
  });

  test('is logged with who asked and the route, and counted', async () => {
    const seen = app.logLines.length;
    await askUntilItLasts(`${RAW}&private_token=${ROOT_TOKEN}`, {});
    const lines = app.logLines
      .slice(seen)
      .join('')
      .split('\n')
      .filter((line) => line.includes('/raw?'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ time: _time, correlation_id: _id, duration_s: _seconds, ...same }) => same);
    assert.equal(lines.length, 4);
    assert.deepEqual(lines[3], lines[0]);
    assert.deepEqual(
      [lines[3]?.username, lines[3]?.route],
      ['root', '/api/v4/projects/:id/repository/files/:file_path/raw'],
    );
    assert.equal(JSON.stringify(lines).includes(ROOT_TOKEN), false);
    const metrics = await (await fetch(`${base}/-/metrics`)).text();
    assert.match(metrics, /http_requests_total\{[^}]*files\/:file_path\/raw"\} \d+/);
  });

  test('is another answer after a change through the API, a change by git on the disk, and where the branch has gone', async () => {
    await askUntilItLasts(RAW);
    await askUntilItLasts('branches');
    await commitFiles(app, project.id, [{ action: 'update', file_path: 'a.txt', content: 'second\n' }]);
    assert.equal((await ask(RAW)).body, 'second\n');
    for (const path of PATHS) await askUntilItLasts(path);
    const oid = git.commit('main', { 'a.txt': 'third\n' });
    assert.equal((await ask(RAW)).body, 'third\n');
    assert.equal(JSON.parse((await ask('commits')).body)[0].id, oid);
    assert.equal(JSON.parse((await ask('commits/main')).body).id, oid);
    assert.equal(JSON.parse((await ask('branches')).body)[0].commit.id, oid);
    for (const path of PATHS) await askUntilItLasts(path);
    git.run(['pack-refs', '--all']);
    for (const path of PATHS) await askUntilItLasts(path);
    git.run(['update-ref', 'refs/heads/other', oid]);
    assert.equal(JSON.parse((await ask('branches')).body).length, 2);
    await askUntilItLasts('files/a.txt/raw');
    git.run(['symbolic-ref', 'HEAD', 'refs/heads/other']);
    git.commit('other', { 'a.txt': 'of other\n' });
    assert.equal((await ask('files/a.txt/raw')).body, 'of other\n');
    await askUntilItLasts(RAW);
    git.run(['update-ref', '-d', 'refs/heads/main']);
    assert.equal((await ask(RAW)).status, 404);
  });

  test('is asked anew where a branch takes the place of a tag, and always where the id of a commit is shortened', async () => {
    const oid = git.run(['rev-parse', 'main']);
    const short = oid.slice(0, 8);
    git.commit('later', { 'a.txt': 'later\n' }, { start: oid });
    git.run(['update-ref', 'refs/tags/v1', oid]);
    assert.equal((await askUntilItLasts('files/a.txt/raw?ref=v1')).body, 'first\n');
    git.run(['update-ref', 'refs/heads/v1', 'refs/heads/later']);
    assert.equal((await ask('files/a.txt/raw?ref=v1')).body, 'later\n');
    for (let n = 0; n < 4; n += 1) {
      const { body, looked } = await ask(`files/a.txt/raw?ref=${short}`);
      assert.deepEqual([body, looked], ['first\n', true]);
    }
    git.run(['update-ref', `refs/tags/${short}`, 'refs/heads/later']);
    assert.equal((await ask(`files/a.txt/raw?ref=${short}`)).body, 'later\n');
  });
});

describe('whoever may no longer is refused at once', () => {
  const member = async () => {
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, AccessLevel.developer);
    const headers = { 'private-token': token };
    await askUntilItLasts(RAW, headers);
    return { user, headers };
  };

  test('with a token that was revoked, as a user who is blocked, no member any more, and whose project is gone', async () => {
    const revoked = await member();
    await app.deps.db.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', '=', revoked.user.id).execute();
    assert.equal((await ask(RAW, revoked.headers)).status, 401);
    const blocked = await member();
    expectStatus(await app.post(`/users/${blocked.user.id}/block`), 201);
    assert.equal((await ask(RAW, blocked.headers)).status, 403);
    const removed = await member();
    expectStatus(await app.delete(`/projects/${project.id}/members/${removed.user.id}`), 204);
    assert.equal((await ask(RAW, removed.headers)).status, 404);
    const last = await member();
    expectStatus(await app.delete(`/projects/${project.id}`), 202);
    await app.drain();
    assert.notEqual((await ask(RAW, last.headers)).status, 200);
  });

  test('without a token once the project is no longer public, and with another token from the start', async () => {
    expectStatus(await app.put(`/projects/${project.id}`, { json: { visibility: 'public' } }), 200);
    await askUntilItLasts(RAW, {});
    expectStatus(await app.put(`/projects/${project.id}`, { json: { visibility: 'private' } }), 200);
    assert.equal((await ask(RAW, {})).status, 404);
    await askUntilItLasts(RAW);
    assert.equal((await ask(RAW, { 'private-token': 'another' })).status, 401);
    assert.equal((await ask(RAW, {})).status, 404);
    const { token } = await app.make.user();
    assert.equal((await ask(RAW, { 'private-token': token })).status, 404);
    assert.equal((await ask(RAW, { authorization: `Bearer ${token}` })).status, 404);
  });

  test('when the day ends on which their token or membership does', async () => {
    const { user, headers } = await member();
    const day = 86_400_000;
    const tomorrow = new Date(clock.now().getTime() + day).toISOString().slice(0, 10);
    await app.deps.db
      .updateTable('access_tokens')
      .set({ expires_at: tomorrow })
      .where('user_id', '=', user.id)
      .execute();
    await askUntilItLasts(RAW, headers);
    clock.advance(day);
    assert.equal((await ask(RAW, headers)).status, 401);
  });
});

describe('is looked at each time', () => {
  test('who acts as somebody else, asks from a browser page or by HEAD', async () => {
    await askUntilItLasts(RAW);
    const { user } = await app.make.user();
    await app.make.member({ project }, user, AccessLevel.developer);
    const sudo = { 'private-token': ROOT_TOKEN, sudo: user.username };
    for (let n = 0; n < 4; n += 1) await ask(RAW, sudo);
    const acting = app.logLines
      .join('')
      .split('\n')
      .filter((line) => line.includes('"sudo_by":"root"'));
    assert.equal(acting.length, 4);
    const seen = app.logLines.join('').split('"sudo_by":"root"').length;
    for (let n = 0; n < 4; n += 1) await ask(`${RAW}&sudo=${user.username}`);
    assert.equal(app.logLines.join('').split('"sudo_by":"root"').length, seen + 4);
    const browser = await ask(RAW, { 'private-token': ROOT_TOKEN, origin: 'https://example.org' });
    assert.deepEqual([browser.looked, browser.headers['access-control-allow-origin']], [true, '*']);
    const head = await fetch(`${base}/api/v4/projects/${project.id}/repository/${RAW}`, {
      method: 'HEAD',
      headers: { 'private-token': ROOT_TOKEN },
    });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  test('what is counted, and what is large', async () => {
    git.commit('main', { 'large.txt': 'x'.repeat(100_000) });
    for (let n = 0; n < 4; n += 1) assert.equal((await ask('files/large.txt/raw?ref=main')).looked, true);
    await askUntilItLasts(RAW);
    const name = 'throttle_authenticated_api';
    await changeSettings(app, { [`${name}_requests_per_period`]: 3, [`${name}_period_in_seconds`]: 3_600 });
    await changeSettings(app, { [`${name}_enabled`]: true });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 5; n += 1) statuses.push((await ask(RAW)).status);
      assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    } finally {
      await resetSettings(app);
    }
  });

  test('a token whose use is to be noted, every ten minutes', async () => {
    await askUntilItLasts(RAW);
    const used = async () =>
      (
        await app.deps.db
          .selectFrom('access_tokens')
          .select('last_used_at')
          .where('user_id', '=', 1)
          .executeTakeFirstOrThrow()
      ).last_used_at;
    const before = await used();
    clock.advance(11 * 60_000);
    expectOk(await ask(RAW));
    assert.notEqual(await used(), before);
    await askUntilItLasts(RAW);
  });
});
