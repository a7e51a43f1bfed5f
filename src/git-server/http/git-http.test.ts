import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import type { Project } from '../../db/tables/projects.table.ts';

let app: TestApp;
let url: string;
let work: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  work = await mkdtemp(join(tmpdir(), 'stithy-git-'));
});
after(async () => {
  await app.close();
  await rm(work, { recursive: true, force: true });
});

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** The real git client, without any configuration of the machine. */
function git(cwd: string, ...args: string[]): Promise<Ran> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: work,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return new Promise((resolve) => {
    execFile('git', args, { cwd, env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

async function ok(cwd: string, ...args: string[]): Promise<string> {
  const ran = await git(cwd, ...args);
  assert.equal(ran.code, 0, `git ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout.trim();
}

const address = (project: Project, token = ROOT_TOKEN, user = 'any') =>
  `${url.replace('://', `://${user}:${token}@`)}/${project.full_path}.git`;

let count = 0;
/** A new work tree with one commit on `main`. */
async function workTree(): Promise<string> {
  count += 1;
  const dir = join(work, `tree-${count}`);
  await ok(work, 'init', '-q', '-b', 'main', dir);
  await commit(dir, 'README.md', '# Hello\n');
  return dir;
}

async function commit(dir: string, file: string, content: string): Promise<string> {
  await writeFile(join(dir, file), content);
  await ok(dir, 'add', '-A');
  await ok(dir, 'commit', '-q', '-m', `Change ${file}`);
  return ok(dir, 'rev-parse', 'HEAD');
}

describe('git over HTTP', () => {
  test('keeps what comes in many bytes as a pack, and few small objects as files', async () => {
    const project = await app.make.project();
    const place = { storage: project.repository_storage, diskPath: project.disk_path };
    const count = async () => {
      const text = await ok(app.deps.storages.dirOf(place), 'count-objects', '-v');
      const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)![1]);
      return { loose: of('count'), packs: of('packs') };
    };
    const dir = await workTree();
    await ok(dir, 'push', address(project), 'main');
    assert.deepEqual(await count(), { loose: 3, packs: 0 });
    await commit(dir, 'large', randomBytes(1024 * 1024).toString('base64'));
    await ok(dir, 'push', address(project), 'main');
    assert.deepEqual(await count(), { loose: 3, packs: 1 });
    await commit(dir, 'small', 'again\n');
    await ok(dir, 'push', address(project), 'main');
    assert.deepEqual(await count(), { loose: 6, packs: 1 });
  });

  test('pushes into an empty project and clones it again', async () => {
    const project = await app.make.project();
    const dir = await workTree();
    await ok(dir, 'push', address(project), 'main');
    const copy = join(work, 'copy-1');
    await ok(work, 'clone', '-q', address(project), copy);
    assert.equal(await readFile(join(copy, 'README.md'), 'utf8'), '# Hello\n');
    const file = await app.get(`/projects/${project.id}/repository/files/README.md?ref=main`);
    assert.equal(expectStatus(file, 200).size, 8);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .selectAll()
      .where('project_id', '=', project.id)
      .where('type', '=', 'push')
      .execute();
    assert.equal(events.length, 1);
    const head = await ok(dir, 'rev-parse', 'HEAD');
    assert.deepEqual(JSON.parse(events[0]!.payload), {
      project_id: project.id,
      updates: [{ ref: 'refs/heads/main', old: null, new: head }],
      push_options: [],
      via: 'git',
      default_branch: { name: 'main', sha: head },
    });
    assert.equal(events[0]!.actor_id, 1);
  });

  test('makes the first branch the default branch and protects it', async () => {
    const project = await app.make.project();
    const dir = await workTree();
    await ok(dir, 'push', address(project), 'main:trunk');
    const branch = await app.get(`/projects/${project.id}/repository/files/README.md/raw`);
    assert.equal(branch.body, '# Hello\n');
    const rows = await app.deps.db
      .selectFrom('protected_refs')
      .select('name')
      .where('project_id', '=', project.id)
      .execute();
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['trunk'],
    );
  });

  test('fetches shallow and partial, with protocol 0, 1 and 2', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const dir = await workTree();
    for (let i = 0; i < 3; i += 1) await commit(dir, `f${i}`, String(i));
    await ok(dir, 'push', address(project), 'main');
    for (const version of [0, 1, 2]) {
      const copy = join(work, `protocol-${version}`);
      await ok(
        work,
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        '--depth',
        '1',
        `${url}/${project.full_path}.git`,
        copy,
      );
      assert.equal(await ok(copy, 'rev-list', '--count', 'HEAD'), '1');
    }
    const partial = join(work, 'partial');
    await ok(work, 'clone', '-q', '--filter=blob:none', '--no-checkout', `${url}/${project.full_path}.git`, partial);
    assert.match(await ok(partial, 'rev-list', '--objects', '--missing=print', 'HEAD'), /^\?/m);
  });

  test('asks for credentials, hides what may not be seen and refuses wrong tokens', async () => {
    const project = await app.make.project();
    const { guest, reporter, stranger, developer } = await app.make.members(project);
    const seen = async (user?: string) =>
      git(work, 'ls-remote', user === undefined ? `${url}/${project.full_path}.git` : address(project, user));
    assert.match((await seen()).stderr, /could not read Username|Authentication failed/);
    assert.match((await seen('glpat-wrong-wrong-wrong')).stderr, /Authentication failed/);
    assert.match((await seen(stranger.token)).stderr, /not found/);
    assert.match((await seen(guest.token)).stderr, /403/);
    for (const { token } of [reporter, developer]) assert.equal((await seen(token)).code, 0);
    assert.match((await git(work, 'ls-remote', `${url}/no/such.git`)).stderr, /could not read Username/);
    const reader = await app.make.token(developer.user.id, ['read_repository']);
    assert.equal((await seen(reader)).code, 0);
    const dir = await workTree();
    assert.match((await git(dir, 'push', address(project, reader), 'main')).stderr, /403/);
    assert.match((await git(dir, 'push', address(project, reporter.token), 'main')).stderr, /403/);
    for (const path of ['/..%2fother.git/info/refs', '/-/git/root%2Fx/info/refs', `/${project.full_path}.git/HEAD`]) {
      const response = await fetch(`${url}${path}?service=git-upload-pack`);
      assert.ok([401, 404].includes(response.status), path);
    }
    const evil = await fetch(`${url}/${project.full_path}.git/info/refs?service=git-evil`, {
      headers: { authorization: `Bearer ${ROOT_TOKEN}` },
    });
    assert.equal(evil.status, 404);
  });

  test("shows why a protected branch refuses a push, in git's own output", async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const dir = await workTree();
    await ok(dir, 'push', address(project), 'main');
    await commit(dir, 'a', '1');
    const refused = await git(dir, 'push', address(project, developer.token), 'main');
    assert.notEqual(refused.code, 0);
    assert.match(
      refused.stderr,
      /remote: Stithy: You are not allowed to push code to protected branches on this project\./,
    );
    assert.match(refused.stderr, /! \[remote rejected\] main -> main \(pre-receive hook declined\)/);
    await ok(dir, 'push', address(project, developer.token), 'main:feature');
    await ok(dir, 'push', address(project, maintainer.token), 'main');
    await ok(dir, 'commit', '-q', '--amend', '-m', 'Other');
    const forced = await git(dir, 'push', '--force', address(project, maintainer.token), 'main');
    assert.match(forced.stderr, /You are not allowed to force push code to a protected branch on this project\./);
    await ok(dir, 'push', '--force', address(project, developer.token), 'main:feature');
    const removed = await git(dir, 'push', address(project, maintainer.token), ':main');
    assert.match(removed.stderr, /The default branch of a project cannot be deleted\./);
    await ok(dir, 'push', address(project, developer.token), ':feature');
    const hex = await git(dir, 'push', address(project), `main:refs/heads/${'a'.repeat(40)}`);
    assert.match(hex.stderr, /You cannot create a branch with a SHA-1 or SHA-256 branch name/);
    const outside = await git(dir, 'push', address(project), 'main:refs/merge-requests/1/head');
    assert.notEqual(outside.code, 0);
  });

  test('takes atomic pushes, tags and push options, and refuses a stale force-with-lease', async () => {
    const project = await app.make.project();
    const dir = await workTree();
    await ok(dir, 'tag', 'v1');
    await ok(dir, 'tag', '-a', '-m', 'Two', 'v2');
    await ok(
      dir,
      'push',
      '--atomic',
      '-o',
      'ci.skip',
      '-o',
      'note=a b',
      address(project),
      'main',
      'main:dev',
      'v1',
      'v2',
    );
    const listed = await ok(work, 'ls-remote', address(project));
    for (const ref of ['refs/heads/main', 'refs/heads/dev', 'refs/tags/v1', 'refs/tags/v2^{}'])
      assert.match(listed, new RegExp(ref.replace(/[\^{}]/g, '\\$&')));
    const event = await app.deps.db
      .selectFrom('domain_events')
      .select('payload')
      .where('project_id', '=', project.id)
      .where('type', '=', 'push')
      .executeTakeFirstOrThrow();
    assert.deepEqual((JSON.parse(event.payload) as { push_options: string[] }).push_options, ['ci.skip', 'note=a b']);
    await commit(dir, 'later', '1');
    const lease = await git(dir, 'push', `--force-with-lease=dev:${'1'.repeat(40)}`, address(project), 'main:dev');
    assert.notEqual(lease.code, 0);
  });

  test('refuses objects that git itself finds wrong', async () => {
    const project = await app.make.project();
    const dir = await workTree();
    await writeFile(join(dir, 'evil'), 'x');
    const blob = await ok(dir, 'hash-object', '-w', 'evil');
    await writeFile(join(dir, 'list'), `100644 blob ${blob}\t.git\n`);
    const tree = await new Promise<string>((resolve, reject) => {
      const child = execFile('git', ['mktree'], { cwd: dir }, (error, out) =>
        error ? reject(error) : resolve(out.trim()),
      );
      child.stdin!.end(`100644 blob ${blob}\t.git\n`);
    });
    const bad = await ok(dir, 'commit-tree', '-m', 'evil', tree);
    const refused = await git(dir, 'push', address(project), `${bad}:refs/heads/evil`);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /hasDotgit|fsck error/);
  });

  test('two pushes to one branch at once: one wins, the other is told', async () => {
    const project = await app.make.project();
    const dir = await workTree();
    await ok(dir, 'push', address(project), 'main');
    const copies = await Promise.all(
      [1, 2].map(async (n) => {
        const copy = join(work, `race-${n}`);
        await ok(work, 'clone', '-q', address(project), copy);
        await commit(copy, `file-${n}`, String(n));
        return copy;
      }),
    );
    const results = await Promise.all(copies.map((copy) => git(copy, 'push', address(project), 'main')));
    assert.deepEqual(results.map(({ code }) => code === 0).sort(), [false, true]);
  });

  test('an archived project can be read and not written', async () => {
    const project = await app.make.project();
    const dir = await workTree();
    await ok(dir, 'push', address(project), 'main');
    await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
    await ok(work, 'ls-remote', address(project));
    assert.match((await git(dir, 'push', address(project), 'main:x')).stderr, /403/);
  });
});
