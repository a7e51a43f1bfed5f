import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { cloneUrl, mustGit, runGitClient } from '../../test/support/git-client.ts';
import { changeSettings } from '../../test/support/settings.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let url: string;
let work: string;
let ada: TestUser;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  work = await mkdtemp(join(tmpdir(), 'stithy-snippet-'));
  ada = await app.make.user();
});
after(async () => {
  await app.close();
  await rm(work, { recursive: true, force: true });
});

const FILES = [{ file_path: 'a.txt', content: 'first\n' }];

async function make(json: Json = {}, token = ada.token, path = '/snippets'): Promise<number> {
  const body = { title: 'Title', files: FILES, ...json };
  return expectStatus<{ id: number }>(await app.post(path, { token, json: body }), 201).id;
}

let count = 0;
async function clone(path: string, token = ada.token): Promise<string> {
  count += 1;
  const dir = join(work, `clone-${count}`);
  await mustGit(work, ['clone', '-q', cloneUrl(url, path, token), dir]);
  return dir;
}

/** Commits files (null removes one) in a clone. */
async function commit(dir: string, files: Record<string, string | null>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) await rm(join(dir, path));
    else {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), content);
    }
  }
  await mustGit(dir, ['add', '-A']);
  await mustGit(dir, ['commit', '-q', '--allow-empty', '-m', 'Change']);
  return mustGit(dir, ['rev-parse', 'HEAD']);
}

/** Pushes and gives what git says when it is refused. */
async function refusal(dir: string, ...refspecs: string[]): Promise<string> {
  const { code, stderr } = await runGitClient(dir, ['push', '-q', 'origin', ...refspecs]);
  assert.notEqual(code, 0);
  return stderr;
}

const paths = async (id: number) =>
  expectStatus<{ files: Json[] }>(await app.get(`/snippets/${id}`), 200).files.map(({ path }) => path);

describe('the repository of a snippet', () => {
  test('is cloned and pushed to; its files follow the push', async () => {
    const id = await make();
    const dir = await clone(`snippets/${id}`);
    assert.equal(await readFile(join(dir, 'a.txt'), 'utf8'), 'first\n');
    const head = await commit(dir, { 'a.txt': null, 'dir/b.txt': 'second\n', 'z.bin': '\u0000\u00ff' });
    await mustGit(dir, ['push', '-q', 'origin', 'main']);
    assert.deepEqual(await paths(id), ['dir/b.txt', 'z.bin']);
    assert.equal((await app.get(`/snippets/${id}/raw`)).body, 'second\n');
    assert.equal((await app.get(`/snippets/${id}/files/${head}/z.bin/raw`)).body, '\u0000\u00ff');
    const old = await app.get(`/snippets/${id}/files/HEAD~1/a.txt/raw`);
    assert.equal(old.body, 'first\n');
    const event = await app.deps.db
      .selectFrom('domain_events')
      .selectAll()
      .where('type', '=', 'snippet.pushed')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    const { updates, ...payload } = JSON.parse(event.payload) as Json & { updates: Json[] };
    assert.deepEqual([payload, updates[0]?.new, event.actor_id], [{ snippet_id: id, via: 'git' }, head, ada.user.id]);
    await app.drain();
    await mustGit(dir, ['commit', '-q', '--amend', '-m', 'Other']);
    await mustGit(dir, ['push', '-q', '--force', 'origin', 'main']);
  });

  test('of a project has its address below it, and below where it was before', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const { reporter, stranger } = await app.make.members(project);
    const id = await make({ visibility: 'public' }, reporter.token, `/projects/${project.id}/snippets`);
    const path = `${project.full_path}/snippets/${id}`;
    const dir = await clone(path, stranger.token);
    await commit(dir, { 'a.txt': 'changed' });
    assert.match(await refusal(dir, 'main'), /403/);
    await mustGit(dir, ['push', '-q', cloneUrl(url, path, reporter.token), 'main']);
    assert.equal((await app.get(`/snippets/${id}/raw`)).body, 'changed');
    const other = await app.make.project({ visibility: 'public' });
    for (const wrong of [`snippets/${id}`, `${other.full_path}/snippets/${id}`, `no/such/snippets/${id}`]) {
      const { stderr } = await runGitClient(work, ['ls-remote', cloneUrl(url, wrong, reporter.token)]);
      assert.match(stderr, /not found/, wrong);
    }
    const personal = await make({ visibility: 'public' });
    const misplaced = cloneUrl(url, `${project.full_path}/snippets/${personal}`, ada.token);
    assert.match((await runGitClient(work, ['ls-remote', misplaced])).stderr, /not found/);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { path: 'moved-away' } }), 200);
    await clone(path, stranger.token);
    await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
    await commit(dir, { 'a.txt': 'again' });
    assert.match(await refusal(dir, 'main'), /403/);
  });

  test('is for those who may read the snippet, and takes pushes of those who may update it', async () => {
    const other = await app.make.user();
    const list = async (id: number, token: string | null) => {
      const address = token === null ? `${url}/snippets/${id}.git` : cloneUrl(url, `snippets/${id}`, token);
      const { code, stderr } = await runGitClient(work, ['ls-remote', address]);
      return code === 0
        ? 'read'
        : (/not found|could not read Username|\b403\b|Authentication failed/.exec(stderr)?.[0] ?? stderr);
    };
    const [hidden, internal, open] = [
      await make({ visibility: 'private' }),
      await make({ visibility: 'internal' }),
      await make({ visibility: 'public' }),
    ];
    const asks = 'could not read Username';
    assert.deepEqual(await Promise.all([hidden, internal, open, 999_999].map((id) => list(id, null))), [
      asks,
      asks,
      'read',
      asks,
    ]);
    assert.deepEqual(await Promise.all([hidden, internal, open, 999_999].map((id) => list(id, other.token))), [
      'not found',
      'read',
      'read',
      'not found',
    ]);
    const reader = await app.make.token(ada.user.id, ['read_repository']);
    const writer = await app.make.token(ada.user.id, ['write_repository']);
    const neither = await app.make.token(ada.user.id, ['read_user']);
    assert.deepEqual(await Promise.all([reader, writer, neither].map((token) => list(hidden, token))), [
      'read',
      'read',
      '403',
    ]);
    const dir = await clone(`snippets/${open}`, other.token);
    await commit(dir, { 'a.txt': 'x' });
    assert.match(await refusal(dir, 'main'), /403/);
    await mustGit(dir, ['remote', 'set-url', 'origin', cloneUrl(url, `snippets/${open}`, reader)]);
    assert.match(await refusal(dir, 'main'), /403/);
    await mustGit(dir, ['remote', 'set-url', 'origin', `${url}/snippets/${open}.git`]);
    assert.match(await refusal(dir, 'main'), /could not read Username/);
    await mustGit(dir, ['remote', 'set-url', 'origin', cloneUrl(url, `snippets/${open}`, writer)]);
    await mustGit(dir, ['push', '-q', 'origin', 'main']);
  });

  test('keeps its one branch, and takes no other ref', async () => {
    const dir = await clone(`snippets/${await make()}`);
    await mustGit(dir, ['tag', 'v1']);
    await commit(dir, { 'a.txt': 'x' });
    for (const refspecs of [['main:other'], [':main'], ['v1'], ['main', 'main:other'], ['main:refs/notes/x']]) {
      assert.match(await refusal(dir, ...refspecs), /You can not create or delete branches/, refspecs.join());
    }
    assert.equal((await mustGit(dir, ['ls-remote', 'origin', 'refs/*'])).split('\n').length, 1);
  });

  test('is held to the rules of files', async () => {
    const id = await make();
    const dir = await clone(`snippets/${id}`);
    const start = await mustGit(dir, ['rev-parse', 'HEAD']);
    const refused = async (expected: RegExp) => {
      assert.match(await refusal(dir, 'HEAD:main'), expected);
      await mustGit(dir, ['reset', '-q', '--hard', start]);
    };
    await commit(dir, { 'a.txt': null });
    await refused(/The repository must contain at least 1 file\./);
    await commit(dir, Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f${n}`, 'x'])));
    await refused(/The repository can contain at most 10 file\(s\)\./);
    const odd = async (entry: string) => {
      const tree = await mustGit(dir, ['mktree', '-z', '--missing'], `${entry}\0`);
      await mustGit(dir, [
        'reset',
        '-q',
        '--soft',
        await mustGit(dir, ['commit-tree', '-p', start, '-m', 'odd', tree]),
      ]);
    };
    const blob = await mustGit(dir, ['rev-parse', 'HEAD:a.txt']);
    await odd(`160000 commit ${start}\tmodule`);
    await refused(/A snippet cannot contain submodules\./);
    for (const name of ['GIT~1', '.gi\u200ct', 'a\\..\\b']) {
      await odd(`100644 blob ${blob}\t${name}`);
      await refused(/invalid path|traversal|fsck error|hasDotgit/);
    }
    let deep = await mustGit(dir, ['mktree'], `100644 blob ${blob}\tx\n`);
    for (let depth = 0; depth < 30; depth += 1) {
      deep = await mustGit(dir, ['mktree'], `040000 tree ${deep}\ta\n040000 tree ${deep}\tb\n`);
    }
    await odd(`040000 tree ${deep}\tbomb`);
    await refused(/at most 10 file\(s\)|too many folders/);
    const { snippet } = app.deps.config.limits;
    try {
      await changeSettings(app, { snippet_size_limit: 2_048 });
      await commit(dir, { 'large.txt': 'x'.repeat(3_000) });
      await refused(/The file large\.txt is larger than 2048 bytes\./);
      await commit(dir, { 'random.txt': Array.from({ length: 2_000 }, Math.random).join() });
      await refused(/pack exceeds maximum allowed size|too large|larger than/);
    } finally {
      await changeSettings(app, { snippet_size_limit: snippet });
    }
    assert.deepEqual(await paths(id), ['a.txt']);
  });

  test('gives the text of a symbolic link, never its target', async () => {
    const id = await make();
    const dir = await clone(`snippets/${id}`);
    await symlink('/etc/passwd', join(dir, 'A-link'));
    await commit(dir, {});
    await mustGit(dir, ['push', '-q', 'origin', 'main']);
    for (const path of ['raw', 'files/main/A-link/raw']) {
      assert.equal((await app.get(`/snippets/${id}/${path}`)).body, '/etc/passwd');
    }
    const files = [{ action: 'move', file_path: 'out', previous_path: 'A-link/passwd' }];
    expectStatus(await app.put(`/snippets/${id}`, { json: { files } }), 400);
  });

  test('does not open to deploy tokens, nor to LFS', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const id = await make();
    const inside = expectStatus<Json>(
      await app.post(`/projects/${project.id}/snippets`, { json: { title: 't', files: FILES } }),
      201,
    ).id;
    const made = await app.post(`/projects/${project.id}/deploy_tokens`, {
      json: { name: 'd', scopes: ['read_repository'] },
    });
    const { username, token } = expectStatus<{ username: string; token: string }>(made, 201);
    const address = new URL(`${url}/${project.full_path}/snippets/${inside}.git`);
    Object.assign(address, { username, password: token });
    assert.match((await runGitClient(work, ['ls-remote', address.href])).stderr, /not found/);
    const batch = await fetch(`${url}/snippets/${id}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/vnd.git-lfs+json' },
      body: '{"operation":"download","objects":[]}',
    });
    assert.equal(batch.status, 404);
  });

  test('two pushes at once: one wins, the other is told, and the names are those of the winner', async () => {
    const id = await make();
    const dirs = [await clone(`snippets/${id}`), await clone(`snippets/${id}`)];
    for (const [n, dir] of dirs.entries()) await commit(dir, { [`file-${n}`]: 'x' });
    const codes = await Promise.all(
      dirs.map(async (dir) => (await runGitClient(dir, ['push', '-q', 'origin', 'main'])).code === 0),
    );
    assert.deepEqual(codes.toSorted(), [false, true]);
    assert.deepEqual(await paths(id), ['a.txt', `file-${codes.indexOf(true)}`]);
  });

  test('of a removed snippet is gone', async () => {
    const id = await make();
    const dir = await clone(`snippets/${id}`);
    expectStatus(await app.delete(`/snippets/${id}`, { token: ada.token }), 204);
    await commit(dir, { 'a.txt': 'x' });
    assert.match(await refusal(dir, 'main'), /not found/);
  });
});
