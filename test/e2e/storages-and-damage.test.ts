import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { commitFiles } from '../support/commits.ts';
import { cloneUrl, runGitClient } from '../support/git-client.ts';

let app: TestApp;
let url: string;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-e2e-'));
  const storages = ['none=0', 'some=100', 'more=300'].map((each) => {
    const [name, weight] = each.split('=');
    return `${name}=${join(folder, name!)}=${weight}`;
  });
  app = await buildTestApp({ settings: { STITHY_STORAGES: storages.join(',') } });
  url = await app.listen();
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const dirOf = ({ repository_storage, disk_path }: Project): string =>
  app.deps.storages.dirOf({ storage: repository_storage, diskPath: disk_path });

async function projectWithFile(): Promise<Project> {
  const project = await app.make.project();
  await commitFiles(app, project.id, { 'a.txt': `text of ${project.path}\n` });
  return project;
}

const files = (project: Project) => `/projects/${project.id}/repository/files/a.txt`;

test('new projects go to the storages by their weights, and work there', async () => {
  const projects = await Promise.all(Array.from({ length: 60 }, () => app.make.project()));
  const counts: Record<string, number> = {};
  for (const { repository_storage: name } of projects) counts[name] = (counts[name] ?? 0) + 1;
  assert.equal(counts.none, undefined);
  // With 60 draws each of the two is left out less often than once in ten million runs.
  assert.ok((counts.some ?? 0) > 0 && (counts.more ?? 0) > 0, JSON.stringify(counts));
  for (const name of ['some', 'more']) {
    const project = projects.find(({ repository_storage }) => repository_storage === name)!;
    assert.ok(dirOf(project).startsWith(join(folder, name)));
    const json = { branch: 'main', commit_message: 'first', content: name };
    expectStatus(await app.post(files(project), { json }), 201);
    assert.equal((await app.get(`${files(project)}/raw`, { query: { ref: 'main' } })).body, name);
  }
});

describe('a damaged repository', () => {
  let sound: Project;
  before(async () => {
    sound = await projectWithFile();
  });

  /** Everything goes on for other projects, and the server is ready. */
  async function othersWork(): Promise<void> {
    expectStatus(await app.get(files(sound), { query: { ref: 'main' } }), 200);
    expectStatus(await app.get('/-/readiness'), 200);
    expectStatus(await app.get('/projects'), 200);
  }

  test('whose objects are empty answers with an error of its own', async () => {
    const broken = await projectWithFile();
    // A machine that loses power before its disk has written leaves files of no bytes.
    for (const path of globSync('objects/[0-9a-f][0-9a-f]/*', { cwd: dirOf(broken) })) {
      chmodSync(join(dirOf(broken), path), 0o644);
      truncateSync(join(dirOf(broken), path));
    }
    app.deps.storages.evict({ storage: broken.repository_storage, diskPath: broken.disk_path });
    const answers = [
      await app.get(files(broken), { query: { ref: 'main' } }),
      // Commits themselves, and what they changed, may still be in memory, where they are as good as ever.
      await app.get(`${files(broken)}/blame`, { query: { ref: 'main' } }),
      await app.get(`/projects/${broken.id}/repository/archive`),
      await app.post(`/projects/${broken.id}/repository/commits`, {
        json: { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: 'b', content: 'b' }] },
      }),
    ];
    for (const answer of answers) {
      assert.ok(answer.statusCode >= 400, `${answer.statusCode} ${answer.body}`);
      assert.match(JSON.parse(answer.body).message, /\S/);
    }
    const clone = await runGitClient(folder, [
      'clone',
      '--quiet',
      cloneUrl(url, broken.full_path, ROOT_TOKEN),
      'broken',
    ]);
    assert.notEqual(clone.code, 0);
    expectStatus(await app.get(`/projects/${broken.id}`), 200);
    await othersWork();
  });

  test('with an empty ref loses that branch only', async () => {
    const broken = await projectWithFile();
    const json = { branch: 'other', ref: 'main' };
    expectStatus(await app.post(`/projects/${broken.id}/repository/branches`, { json }), 201);
    writeFileSync(join(dirOf(broken), 'refs/heads/main'), '');
    const answer = await app.get(files(broken), { query: { ref: 'main' } });
    assert.ok(answer.statusCode >= 400, answer.body);
    assert.match(JSON.parse(answer.body).message, /\S/);
    expectStatus(await app.get(files(broken), { query: { ref: 'other' } }), 200);
    const branches = expectStatus<{ name: string }[]>(await app.get(`/projects/${broken.id}/repository/branches`), 200);
    assert.ok(branches.some(({ name }) => name === 'other'));
    const more = { branch: 'other', commit_message: 'goes on', content: 'c' };
    expectStatus(await app.post(`/projects/${broken.id}/repository/files/c.txt`, { json: more }), 201);
    await othersWork();
  });

  test('that is gone from the disk is an error of its own', async () => {
    const broken = await projectWithFile();
    app.deps.storages.evict({ storage: broken.repository_storage, diskPath: broken.disk_path });
    rmSync(dirOf(broken), { recursive: true });
    const answer = await app.get(files(broken), { query: { ref: 'main' } });
    assert.ok(answer.statusCode >= 400, answer.body);
    assert.match(JSON.parse(answer.body).message, /\S/);
    const write = { branch: 'main', commit_message: 'x', content: 'c' };
    const refused = await app.post(`/projects/${broken.id}/repository/files/c.txt`, { json: write });
    assert.ok(refused.statusCode >= 400, refused.body);
    const clone = await runGitClient(folder, ['clone', '--quiet', cloneUrl(url, broken.full_path, ROOT_TOKEN), 'gone']);
    assert.notEqual(clone.code, 0);
    await othersWork();
  });
});
