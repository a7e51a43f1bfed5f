import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { runGit } from '../../../git/process/index.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const at = (project: Project, path: string) => `/projects/${project.id}/repository/files/${encodeURIComponent(path)}`;

async function write(project: Project, path: string, content: string, fields: Record<string, unknown> = {}) {
  const json = { branch: 'main', content, commit_message: `Write ${path}`, ...fields };
  return app.post(at(project, path), { json });
}

const headOf = async (project: Project, branch = 'main') =>
  app.deps.storages
    .open({ storage: project.repository_storage, diskPath: project.disk_path })
    .refs.resolve(`refs/heads/${branch}`);

const dirOf = (project: Project) =>
  app.deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });

describe('GET and HEAD /projects/:id/repository/files/:file_path', () => {
  let project: Project;
  before(async () => {
    project = await app.make.project({ visibility: 'public' });
    expectStatus(await write(project, 'docs/läs mig.txt', 'hej\n'), 201);
    expectStatus(await write(project, 'run.sh', '#!/bin/sh\n', { execute_filemode: true }), 201);
  });

  test('give content and metadata by branch, HEAD and commit', async () => {
    const commit = (await headOf(project))!;
    for (const ref of ['main', 'HEAD', commit, commit.slice(0, 10), 'refs/heads/main', 'heads/main']) {
      const body = expectStatus(await app.get(`${at(project, 'docs/läs mig.txt')}?ref=${ref}`), 200);
      assert.equal(body.file_name, 'läs mig.txt');
      assert.equal(body.file_path, 'docs/läs mig.txt');
      assert.equal(body.size, 4);
      assert.equal(body.encoding, 'base64');
      assert.equal(Buffer.from(String(body.content), 'base64').toString(), 'hej\n');
      assert.equal(body.content_sha256, createHash('sha256').update('hej\n').digest('hex'));
      assert.equal(body.ref, ref);
      assert.equal(body.commit_id, commit);
      assert.equal(
        body.last_commit_id,
        (await runGit(['rev-parse', 'main~1'], { gitDir: dirOf(project) })).stdout.toString().trim(),
      );
      assert.equal(body.execute_filemode, false);
    }
    assert.equal(expectStatus(await app.get(`${at(project, 'run.sh')}?ref=main`), 200).execute_filemode, true);
  });

  test('dots may be encoded, and HEAD answers the metadata as headers of both names', async () => {
    const response = await app.head(`/projects/${project.id}/repository/files/run%2Esh?ref=main`);
    assert.equal(response.statusCode, 200);
    assert.equal(response.body, '');
    assert.equal(response.headers['x-svc-file-path'], 'run.sh');
    assert.equal(response.headers['x-gitlab-file-path'], 'run.sh');
    assert.equal(response.headers['x-svc-size'], '10');
    assert.equal(response.headers['x-svc-execute-filemode'], 'true');
    assert.equal(response.headers['x-svc-encoding'], 'base64');
    for (const name of ['blob-id', 'commit-id', 'content-sha256', 'file-name', 'last-commit-id', 'ref']) {
      assert.ok(response.headers[`x-svc-${name}`], name);
    }
  });

  test('answer 304 to the tag they gave', async () => {
    const first = await app.get(`${at(project, 'run.sh')}?ref=main`);
    const again = await app.get(`${at(project, 'run.sh')}?ref=main`, {
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
  });

  test('show a changed branch at once', async () => {
    expectStatus(await write(project, 'now.txt', '1'), 201);
    assert.equal(expectStatus(await app.get(`${at(project, 'now.txt')}?ref=main`), 200).size, 1);
    expectStatus(
      await app.put(at(project, 'now.txt'), { json: { branch: 'main', content: '22', commit_message: 'x' } }),
      200,
    );
    assert.equal(expectStatus(await app.get(`${at(project, 'now.txt')}?ref=main`), 200).size, 2);
  });

  test('refuse a missing ref, an unknown ref, an unknown file, a folder and paths that leave the repository', async () => {
    const message = 'ref is missing, ref is empty';
    assert.deepEqual(expectStatus(await app.get(at(project, 'run.sh')), 400), { message, error: message });
    assert.equal(expectStatus(await app.get(`${at(project, 'run.sh')}?ref=`), 400).message, 'ref is empty');
    assert.equal(expectStatus(await app.get(`${at(project, 'run.sh')}?ref[]=main`), 400).message, 'ref is invalid');
    assert.equal(expectStatus(await app.get(`${at(project, 'run.sh')}?ref=nope`), 404).message, '404 Commit Not Found');
    for (const path of ['nope', 'docs', 'docs/nope', 'run.sh/x', '/etc/passwd', 'etc%2fpasswd']) {
      assert.equal(
        expectStatus(await app.get(`${at(project, path)}?ref=main`), 404).message,
        '404 File Not Found',
        path,
      );
    }
    for (const path of ['../run.sh', 'docs/../run.sh', 'docs/..']) {
      const body = expectStatus(await app.get(`${at(project, path)}?ref=main`), 400);
      assert.equal(body.error, 'file_path should be a valid file path', path);
    }
    for (const ref of ['--output=/tmp/x', '-h', 'main@{0}', ':/run', '^main', 'main..main', 'refs/stithy/x']) {
      const response = await app.get(at(project, 'run.sh'), { query: { ref } });
      assert.equal(response.statusCode, 404, ref);
    }
  });

  test('let in by visibility and role', async () => {
    const hidden = await app.make.project();
    expectStatus(await write(hidden, 'f', 'x'), 201);
    const { guest, reporter, stranger } = await app.make.members(hidden);
    const path = `${at(hidden, 'f')}?ref=main`;
    assert.equal((await app.get(path, { token: reporter.token })).statusCode, 200);
    assert.equal((await app.get(path, { token: guest.token })).statusCode, 403);
    for (const token of [stranger.token, null]) {
      assert.equal(expectStatus(await app.get(path, { token }), 404).message, '404 Project Not Found');
    }
    assert.equal((await app.get(`${at(project, 'run.sh')}?ref=main`, { token: null })).statusCode, 200);
    const reader = await app.make.user({ scopes: ['read_repository'] });
    assert.equal((await app.get(`${at(project, 'run.sh')}?ref=main`, { token: reader.token })).statusCode, 200);
    const other = await app.make.user({ scopes: ['read_user'] });
    const refusal = expectStatus(await app.get(`${at(project, 'run.sh')}?ref=main`, { token: other.token }), 403);
    assert.equal(refusal.error, 'insufficient_scope');
    assert.equal(refusal.scope, 'api read_api read_repository');
  });

  test('refuse strangers the files of a public project whose repository is for members', async () => {
    const closed = await app.make.project({ visibility: 'public', columns: { repository_access_level: 'private' } });
    expectStatus(await write(closed, 'f', 'x'), 201);
    const { token } = await app.make.user();
    for (const path of ['f', 'g']) {
      expectStatus(await app.get(`${at(closed, path)}?ref=main`, { token: null }), 404);
      expectStatus(await app.get(`${at(closed, path)}?ref=main`, { token }), 403);
    }
    const { guest, reporter } = await app.make.members(closed);
    // Guests know of the repository, but its files begin with Reporters.
    assert.equal((await app.get(`${at(closed, 'f')}?ref=main`, { token: guest.token })).statusCode, 403);
    assert.equal((await app.get(`${at(closed, 'f')}?ref=main`, { token: reporter.token })).statusCode, 200);
  });

  test('let a blob over 10 MB out five times a minute', async (t) => {
    // A clock that stands still: the minute must not end in between.
    const still = await buildTestApp({ clock: new TestClock() });
    t.after(() => still.close());
    const large = await still.make.project();
    const content = Buffer.alloc(10 * 1024 * 1024 + 1, 'a').toString('base64');
    expectStatus(
      await still.post(at(large, 'large.bin'), {
        json: { branch: 'main', content, encoding: 'base64', commit_message: 'Large' },
      }),
      201,
    );
    for (let i = 0; i < 5; i += 1)
      assert.equal((await still.get(`${at(large, 'large.bin')}?ref=main`)).statusCode, 200);
    const refused = await still.get(`${at(large, 'large.bin')}?ref=main`);
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await still.get(`${at(large, 'large.bin')}/raw`)).statusCode, 200);
    for (const path of [at(large, 'large.bin'), `${at(large, 'large.bin')}/blame`, `${at(large, 'large.bin')}/raw`]) {
      for (let i = 0; i < 6; i += 1) expectStatus(await still.head(`${path}?ref=main`), 200);
    }
  });

  test('a leading slash of file_path was part of the name: now it is dropped, in reading and writing', async () => {
    const slashed = await app.make.project();
    const written = expectStatus(await write(slashed, '/docs/a.md', 'a'), 201);
    assert.deepEqual(written, { file_path: 'docs/a.md', branch: 'main' });
    for (const path of ['/docs/a.md', '//docs/a.md', 'docs/a.md']) {
      assert.equal(expectStatus(await app.get(`${at(slashed, path)}?ref=main`), 200).file_path, 'docs/a.md');
      assert.equal((await app.get(`${at(slashed, path)}/raw`)).body, 'a');
      const headers = (await app.head(`${at(slashed, path)}?ref=main`)).headers;
      assert.equal(headers['x-svc-file-path'], 'docs/a.md');
      assert.equal((await app.get(`${at(slashed, path)}/blame?ref=main`)).statusCode, 200);
    }
    const json = { branch: 'main', commit_message: 'm', content: 'b' };
    expectStatus(await app.put(at(slashed, '/docs/a.md'), { json }), 200);
    expectStatus(await app.delete(at(slashed, '/docs/a.md'), { json }), 204);
    for (const path of ['/', '/../a']) {
      const refused = expectStatus(await app.post(at(slashed, path), { json }), 400);
      assert.equal(refused.error, 'file_path should be a valid file path', path);
    }
  });

  test('read_repository opened commits, trees and archives: now files alone', async () => {
    const { user } = await app.make.user();
    const token = await app.make.token(user.id, ['read_repository']);
    for (const path of ['', '/raw', '/blame']) {
      assert.equal((await app.get(`${at(project, 'run.sh')}${path}?ref=main`, { token })).statusCode, 200);
      assert.equal((await app.head(`${at(project, 'run.sh')}${path}?ref=main`, { token })).statusCode, 200);
    }
    const rest = ['commits', 'commits/main', 'commits/main/diff', 'commits/main/comments', 'commits/main/discussions'];
    for (const path of [...rest, 'tree', 'archive', 'branches', 'tags', 'contributors', 'compare?from=main&to=main']) {
      const refused = expectStatus(await app.get(`/projects/${project.id}/repository/${path}`, { token }), 403);
      assert.equal(refused.error, 'insufficient_scope', path);
    }
  });
});

describe('the headers of raw files and of blame', () => {
  const METADATA = ['blob-id', 'commit-id', 'content-sha256', 'encoding', 'execute-filemode', 'file-name'];
  const NAMES = [...METADATA, 'file-path', 'last-commit-id', 'ref', 'size'];

  test('lacked some of the metadata: now they are those of the file itself, whatever its size', async () => {
    const project = await app.make.project();
    // Few lines, each of which blame answers with what it knows of its commit.
    const large = `${'x'.repeat(1023)}\n`.repeat(3 * 1024);
    expectStatus(await write(project, 'small.txt', 'small\n'), 201);
    expectStatus(await write(project, 'large.txt', large), 201);
    for (const [name, content] of [
      ['small.txt', 'small\n'],
      ['large.txt', large],
    ] as const) {
      const expectedHeaders = (await app.head(`${at(project, name)}?ref=main`)).headers;
      assert.equal(expectedHeaders['x-svc-content-sha256'], createHash('sha256').update(content).digest('hex'));
      for (const path of [`${at(project, name)}/raw?ref=main`, `${at(project, name)}/blame?ref=main`]) {
        for (const response of [await app.get(path), await app.head(path), await app.get(path)]) {
          assert.equal(response.statusCode, 200);
          for (const key of NAMES) {
            assert.ok(expectedHeaders[`x-svc-${key}`] !== undefined, key);
            assert.equal(response.headers[`x-svc-${key}`], expectedHeaders[`x-svc-${key}`], `${path} ${key}`);
            assert.equal(response.headers[`x-gitlab-${key}`], expectedHeaders[`x-svc-${key}`], `${path} ${key}`);
          }
        }
      }
    }
  });
});

describe('GET /projects/:id/repository/files/:file_path/raw', () => {
  test('gives the bytes as text or as a stream of bytes, and never runs them', async () => {
    const project = await app.make.project();
    expectStatus(await write(project, 'page.html', '<script>alert(1)</script>'), 201);
    expectStatus(
      await write(project, 'x"y.bin', Buffer.from([0, 1, 2, 255]).toString('base64'), { encoding: 'base64' }),
      201,
    );
    const page = await app.get(`${at(project, 'page.html')}/raw`);
    assert.equal(page.statusCode, 200);
    assert.equal(page.body, '<script>alert(1)</script>');
    assert.equal(page.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
    assert.match(String(page.headers['content-security-policy']), /sandbox/);
    assert.match(String(page.headers['content-disposition']), /^inline; filename="page.html"/);
    assert.equal(page.headers['x-svc-size'], '25');
    const bytes = await app.get(`${at(project, 'x"y.bin')}/raw?ref=main`);
    assert.deepEqual([...bytes.rawPayload], [0, 1, 2, 255]);
    assert.equal(bytes.headers['content-type'], 'application/octet-stream');
    assert.match(String(bytes.headers['content-disposition']), /filename="x_y.bin"/);
    assert.equal((await app.head(`${at(project, 'page.html')}/raw`)).headers['content-length'], '25');
  });

  test('streams what is large', async () => {
    const project = await app.make.project();
    const content = Buffer.alloc(3 * 1024 * 1024, 'line\n');
    expectStatus(await write(project, 'large.txt', content.toString()), 201);
    const response = await app.get(`${at(project, 'large.txt')}/raw`);
    assert.equal(response.statusCode, 200);
    assert.ok(response.rawPayload.equals(content));
    assert.equal(response.headers['content-length'], String(content.length));
  });

  test('refuses a blank ref and an unknown file', async () => {
    const project = await app.make.project();
    expectStatus(await write(project, 'f', 'x'), 201);
    assert.equal(expectStatus(await app.get(`${at(project, 'f')}/raw?ref=`), 400).message, 'ref is empty');
    assert.equal((await app.get(`${at(project, 'g')}/raw`)).statusCode, 404);
  });

  test('gives the text of a symbolic link, not its target', async () => {
    const project = await app.make.project();
    const dir = dirOf(project);
    const run = async (args: string[], input = '') =>
      (await runGit(args, { gitDir: dir, input })).stdout.toString().trim();
    const blob = await run(['hash-object', '-w', '--stdin'], '/etc/passwd');
    const tree = await run(['mktree'], `120000 blob ${blob}\tlink\n`);
    const env = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
    const commit = (await runGit(['commit-tree', '-m', 'x', tree], { gitDir: dir, env })).stdout.toString().trim();
    await run(['update-ref', 'refs/heads/main', commit]);
    assert.equal((await app.get(`${at(project, 'link')}/raw`)).body, '/etc/passwd');
  });
});

describe('GET and HEAD /projects/:id/repository/files/:file_path/blame', () => {
  test('tell which commit each line comes from, also for a range', async () => {
    const project = await app.make.project();
    expectStatus(await write(project, 'f', 'one\ntwo\n'), 201);
    const first = await headOf(project);
    expectStatus(
      await app.put(at(project, 'f'), { json: { branch: 'main', content: 'one\n2\nthree\n', commit_message: 'b' } }),
      200,
    );
    const second = await headOf(project);
    const body = expectStatus<{ commit: { id: string }; lines: string[] }[]>(
      await app.get(`${at(project, 'f')}/blame?ref=main`),
      200,
    );
    assert.deepEqual(
      body.map(({ commit, lines }) => [commit.id, lines]),
      [
        [first, ['one']],
        [second, ['2', 'three']],
      ],
    );
    const range = await app.get(`${at(project, 'f')}/blame?ref=main&range[start]=2&range[end]=2`);
    assert.deepEqual(
      expectStatus<{ lines: string[] }[]>(range, 200).map(({ lines }) => lines),
      [['2']],
    );
    assert.equal((await app.head(`${at(project, 'f')}/blame?ref=main`)).headers['x-svc-file-path'], 'f');
    const refusals: [string, string][] = [
      ['range[start]=2', 'range[end] is missing'],
      ['range[start]=3&range[end]=2', 'range[start] must be less than or equal to range[end]'],
      ['range[start]=0&range[end]=2', 'range[start] does not have a valid value'],
      ['range[start]=:main&range[end]=2', 'range[start] is invalid'],
      ['range=1', 'range is invalid'],
    ];
    for (const [query, message] of refusals) {
      assert.equal(expectStatus(await app.get(`${at(project, 'f')}/blame?ref=main&${query}`), 400).message, message);
    }
  });
});

describe('POST, PUT and DELETE /projects/:id/repository/files/:file_path', () => {
  let project: Project;
  let members: Record<'guest' | 'reporter' | 'developer' | 'maintainer' | 'stranger', TestUser>;
  before(async () => {
    project = await app.make.project({ visibility: 'public' });
    expectStatus(await write(project, 'base.txt', 'base\n'), 201);
    members = await app.make.members(project);
  });

  test('write, and answer path and branch', async () => {
    const created = await write(project, 'a/b/c.txt', Buffer.from('bytes \u00e9').toString('base64'), {
      encoding: 'base64',
      author_name: 'Ada',
      author_email: 'ada@example.org',
    });
    assert.deepEqual(expectStatus(created, 201), { file_path: 'a/b/c.txt', branch: 'main' });
    const log = await runGit(['log', '-1', '--format=%an|%ae|%cn|%s', 'main'], { gitDir: dirOf(project) });
    assert.equal(log.stdout.toString().trim(), 'Ada|ada@example.org|Administrator|Write a/b/c.txt');
    const updated = await app.put(at(project, 'a/b/c.txt'), { form: 'branch=main&commit_message=u&content=new' });
    assert.deepEqual(expectStatus(updated, 200), { file_path: 'a/b/c.txt', branch: 'main' });
    assert.equal((await app.get(`${at(project, 'a/b/c.txt')}/raw`)).body, 'new');
    const removed = await app.delete(`${at(project, 'a/b/c.txt')}?branch=main&commit_message=r`);
    assert.equal(removed.statusCode, 204);
    assert.equal(removed.body, '');
    assert.equal((await app.get(`${at(project, 'a/b/c.txt')}?ref=main`)).statusCode, 404);
    await runGit(['fsck', '--full', '--strict'], { gitDir: dirOf(project) });
  });

  test('start a new branch from another', async () => {
    const body = { branch: 'feature', start_branch: 'main', content: 'x', commit_message: 'f' };
    expectStatus(await app.post(at(project, 'f.txt'), { json: body }), 201);
    assert.equal((await app.get(`${at(project, 'base.txt')}/raw?ref=feature`)).body, 'base\n');
    const again = expectStatus(await app.post(at(project, 'g.txt'), { json: body }), 400);
    assert.equal(
      again.message,
      "A branch called 'feature' already exists. Switch to that branch in order to make changes",
    );
  });

  test('refuse what the specification names, and leave no trace', async () => {
    const before = await headOf(project);
    const json = { branch: 'main', content: 'base\n', commit_message: 'm' };
    const refusals: [Promise<{ statusCode: number; body: string }>, number, string][] = [
      [app.post(at(project, 'base.txt'), { json }), 400, 'A file with this name already exists'],
      [app.put(at(project, 'base.txt'), { json }), 400, 'The commit is empty: it changes nothing'],
      [app.put(at(project, 'nope.txt'), { json }), 400, "A file with this name doesn't exist"],
      [app.delete(at(project, 'nope.txt'), { json }), 400, "A file with this name doesn't exist"],
      [app.post(at(project, 'a/../b'), { json }), 400, 'file_path should be a valid file path'],
      [app.post(at(project, '.git/config'), { json }), 400, "invalid path: '.git/config'"],
      [
        app.post(at(project, 'x'), { json: { ...json, branch: 'unknown' } }),
        400,
        'You can only create or edit files when you are on a branch',
      ],
      [app.post(at(project, 'x'), { json: { ...json, branch: 'a..b' } }), 400, 'Branch name is invalid'],
      [
        app.post(at(project, 'x'), { json: { ...json, encoding: 'rot13' } }),
        400,
        'encoding does not have a valid value',
      ],
      [
        app.post(at(project, 'x'), { json: { ...json, encoding: 'base64', content: '*' } }),
        400,
        '400 Bad request - content is not valid base64',
      ],
      [
        app.post(at(project, 'x'), { json: { content: 'x', commit_message: 'm' } }),
        400,
        'branch is missing, branch is empty',
      ],
      [
        app.post(at(project, 'x'), { json: { branch: 'main', content: 'x' } }),
        400,
        'commit_message is missing, commit_message is empty',
      ],
      [app.post(at(project, 'x'), { json: { branch: 'main', commit_message: 'x' } }), 400, 'content is missing'],
      [app.post(at(project, 'x'), { body: '{', headers: { 'content-type': 'application/json' } }), 400, 'Invalid json'],
    ];
    for (const [sent, status, message] of refusals) {
      const response = await sent;
      assert.equal(response.statusCode, status, response.body);
      assert.equal((JSON.parse(response.body) as { message: string }).message, message);
    }
    assert.equal(await headOf(project), before);
  });

  test('refuse an out-of-date last_commit_id', async () => {
    expectStatus(await write(project, 'edited.txt', '1'), 201);
    const first = (await headOf(project))!;
    const json = { branch: 'main', content: '2', commit_message: 'm', last_commit_id: first };
    expectStatus(await app.put(at(project, 'edited.txt'), { json }), 200);
    assert.equal(
      expectStatus(await app.put(at(project, 'edited.txt'), { json: { ...json, content: '3' } }), 400).message,
      'You are attempting to update a file that has changed since you started editing it.',
    );
    assert.equal(
      expectStatus(await app.delete(at(project, 'edited.txt'), { json }), 400).message,
      'You are attempting to delete a file that has been previously updated.',
    );
  });

  test('are for Developers and up, and a protected branch for whom it lets in', async () => {
    const json = { branch: 'open', start_branch: 'main', content: 'x', commit_message: 'm' };
    const { guest, reporter, developer, maintainer, stranger } = members;
    for (const { token } of [guest, reporter, stranger]) {
      assert.equal((await app.post(at(project, 'by-role'), { token, json })).statusCode, 403);
    }
    assert.equal((await app.post(at(project, 'by-role'), { token: null, json })).statusCode, 401);
    assert.equal((await app.post(at(project, 'by-role'), { token: developer.token, json })).statusCode, 201);
    const protectedMain = { ...json, branch: 'main', start_branch: undefined };
    const refused = await app.post(at(project, 'by-role'), { token: developer.token, json: protectedMain });
    assert.equal(expectStatus(refused, 400).message, 'You are not allowed to push into this branch');
    assert.equal(
      (await app.post(at(project, 'by-role'), { token: maintainer.token, json: protectedMain })).statusCode,
      201,
    );
    const reader = await app.make.token(developer.user.id, ['read_api']);
    const scope = expectStatus(await app.post(at(project, 'by-scope'), { token: reader, json }), 403);
    assert.equal(scope.error, 'insufficient_scope');
  });

  test('refuse an archived and a read-only project', async () => {
    const archived = await app.make.project({ columns: { archived: 1 } });
    assert.equal((await write(archived, 'f', 'x')).statusCode, 403);
    const moving = await app.make.project({ columns: { repository_read_only: 1 } });
    assert.match(String(expectStatus(await write(moving, 'f', 'x'), 400).message), /temporarily read-only/);
  });
});

test('twenty writers to one branch lose no commit', async () => {
  const project = await app.make.project();
  expectStatus(await write(project, 'start', '0'), 201);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => write(project, `file-${i}`, String(i))));
  for (const response of answers) assert.equal(response.statusCode, 201, response.body);
  const { stdout } = await runGit(['ls-tree', '--name-only', 'main'], { gitDir: dirOf(project) });
  assert.equal(stdout.toString().trim().split('\n').length, 21);
  const count = await runGit(['rev-list', '--count', 'main'], { gitDir: dirOf(project) });
  assert.equal(count.stdout.toString().trim(), '21');
});
