import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Project } from '../../src/db/tables/projects.ts';
import { runGit } from '../../src/git/process.ts';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { cloneUrl, runGitClient } from '../support/git-client.ts';

let app: TestApp;
let url: string;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-damage-'));
  app = await buildTestApp();
  url = await app.listen();
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const dirOf = ({ repository_storage: storage, disk_path: diskPath }: Project): string =>
  app.deps.storages.dirOf({ storage, diskPath });

/** Two branches, a tag and an open merge request. */
async function projectWithWork(): Promise<Project> {
  const project = await app.make.project();
  const commit = (branch: string, file: string) => {
    const start = branch === 'main' ? {} : { start_branch: 'main' };
    const actions = [{ action: 'create', file_path: file, content: `${file} of ${project.path}\n`.repeat(50) }];
    return app.post(`/projects/${project.id}/repository/commits`, {
      json: { branch, ...start, commit_message: file, actions },
    });
  };
  expectStatus(await commit('main', 'folder/a.txt'), 201);
  expectStatus(await commit('topic', 'b.txt'), 201);
  const tag = { tag_name: 'v1', ref: 'main' };
  expectStatus(await app.post(`/projects/${project.id}/repository/tags`, { json: tag }), 201);
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
  expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json: request }), 201);
  await app.settle();
  return project;
}

function rewrite(dir: string, pattern: string, change: (bytes: Buffer) => Buffer): void {
  const files = globSync(pattern, { cwd: dir });
  assert.ok(files.length > 0, pattern);
  for (const file of files) {
    chmodSync(join(dir, file), 0o644);
    writeFileSync(join(dir, file), change(readFileSync(join(dir, file))));
  }
}

const inOnePack = (dir: string) => runGit(['repack', '-a', '-d', '-q'], { gitDir: dir });

const DAMAGES: Record<string, (dir: string) => Promise<void> | void> = {
  'a ref without content': (dir) => truncateSync(join(dir, 'refs/heads/main')),
  'objects without content': (dir) => rewrite(dir, 'objects/[0-9a-f][0-9a-f]/*', () => Buffer.alloc(0)),
  'objects of which bytes were changed': (dir) =>
    rewrite(dir, 'objects/[0-9a-f][0-9a-f]/*', (bytes) =>
      Buffer.from(bytes.map((byte, at) => (at > 8 ? byte ^ 0x55 : byte))),
    ),
  'a pack of which bytes were changed': async (dir) => {
    await inOnePack(dir);
    rewrite(dir, 'objects/pack/*.pack', (bytes) =>
      Buffer.from(bytes.map((byte, at) => (at > 12 && at < bytes.length - 20 ? byte ^ 0x55 : byte))),
    );
  },
  'a pack without its index': async (dir) => {
    await inOnePack(dir);
    for (const file of globSync('objects/pack/*.idx', { cwd: dir })) rmSync(join(dir, file));
  },
  'an index without its pack': async (dir) => {
    await inOnePack(dir);
    for (const file of globSync('objects/pack/*.pack', { cwd: dir })) rmSync(join(dir, file));
  },
  'an index that was cut': async (dir) => {
    await inOnePack(dir);
    rewrite(dir, 'objects/pack/*.idx', (bytes) => bytes.subarray(0, 100));
  },
  'no HEAD': (dir) => rmSync(join(dir, 'HEAD')),
  'no folder': (dir) => rmSync(dir, { recursive: true }),
};

const commitBody = (branch: string) => ({
  branch,
  commit_message: 'x',
  actions: [{ action: 'create', file_path: `new-${branch}`, content: 'x' }],
});

/** What is asked of the damaged project: method, path below it, body. */
const QUESTIONS: readonly (readonly [string, string, object?])[] = [
  ['GET', ''],
  ['GET', '/repository/branches'],
  ['GET', '/repository/branches/main'],
  ['GET', '/repository/tags'],
  ['GET', '/repository/tags/v1'],
  ['GET', '/repository/commits'],
  ['GET', '/repository/commits/main'],
  ['GET', '/repository/commits/main/diff'],
  ['GET', '/repository/tree'],
  ['GET', '/repository/tree?recursive=true&ref=main'],
  ['GET', '/repository/files/folder%2Fa.txt?ref=main'],
  ['GET', '/repository/files/folder%2Fa.txt/raw?ref=main'],
  ['GET', '/repository/files/folder%2Fa.txt/blame?ref=main'],
  ['GET', '/repository/compare?from=main&to=topic'],
  ['GET', '/repository/contributors'],
  ['GET', '/repository/merge_base?refs[]=main&refs[]=topic'],
  ['GET', '/repository/archive.tar.gz?sha=main'],
  ['GET', '/languages'],
  ['GET', '/merge_requests'],
  ['GET', '/merge_requests/1'],
  ['GET', '/merge_requests/1/diffs'],
  ['GET', '/merge_requests/1/commits'],
  ['GET', '/merge_requests/1/changes'],
  ['GET', '/events'],
  ['GET', '/protected_branches'],
  ['POST', '/repository/branches?branch=fresh&ref=main'],
  ['POST', '/repository/tags?tag_name=v2&ref=main'],
  ['POST', '/repository/commits', commitBody('main')],
  ['PUT', '/repository/files/folder%2Fa.txt', { branch: 'main', commit_message: 'x', content: 'x' }],
  ['DELETE', '/repository/files/folder%2Fa.txt?branch=main&commit_message=x'],
  ['POST', '/merge_requests', { source_branch: 'main', target_branch: 'topic', title: 'Other' }],
  ['PUT', '/merge_requests/1/merge'],
  ['PUT', '/merge_requests/1/rebase'],
];

describe('damage stays in its project and says so', () => {
  let sound: Project;
  before(async () => {
    sound = await projectWithWork();
  });

  async function othersWork(): Promise<void> {
    for (const path of ['/merge_requests?scope=all', '/projects', '/events', '/issues', '/-/readiness']) {
      expectStatus(await app.get(path), 200);
    }
    for (const path of ['', '/repository/branches', '/merge_requests/1', '/repository/files/b.txt?ref=topic']) {
      expectStatus(await app.get(`/projects/${sound.id}${path}`), 200);
    }
  }

  for (const [name, damage] of Object.entries(DAMAGES)) {
    test(name, async () => {
      const broken = await projectWithWork();
      await damage(dirOf(broken));
      app.deps.storages.forget({ storage: broken.repository_storage, diskPath: broken.disk_path });
      const wrong: string[] = [];
      let failures = 0;
      for (const [method, path, json] of QUESTIONS) {
        const answer = await app.request(method, `/projects/${broken.id}${path}`, json === undefined ? {} : { json });
        if (answer.statusCode < 400) continue;
        const { message } = JSON.parse(answer.body) as { message: string };
        failures += 1;
        const told = `The repository of ${broken.full_path} is damaged: an administrator can run stithy doctor.`;
        if (answer.statusCode !== 500 || message !== told)
          wrong.push(`${method} ${path}: ${answer.statusCode} ${message}`);
      }
      const fork = await app.post(`/projects/${broken.id}/fork`, { json: { path: `fork-of-${broken.path}` } });
      if (fork.statusCode === 201) {
        await app.settle();
        const { id } = fork.json<{ id: number }>();
        const made = (await app.get(`/projects/${id}`)).json<{ import_status: string; import_error: string | null }>();
        if (made.import_status !== 'finished') assert.match(made.import_error ?? '', /damaged/);
        else expectStatus(await app.get(`/projects/${id}/repository/files/folder%2Fa.txt?ref=main`), 200);
      }
      const clone = await runGitClient(folder, [
        'clone',
        '-q',
        cloneUrl(url, broken.full_path, ROOT_TOKEN),
        broken.path,
      ]);
      await othersWork();
      assert.deepEqual(wrong, [], name);
      assert.ok(failures > 0 || name === 'no HEAD', 'nothing told of the damage');
      if (name !== 'a ref without content') assert.notEqual(clone.code, 0, 'a clone of what is damaged');
    });
  }
});
