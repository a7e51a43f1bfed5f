import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { DAMAGES, damageMessage, QUESTIONS } from '../support/damages.ts';
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
  await app.drain();
  return project;
}

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
      app.deps.storages.evict({ storage: broken.repository_storage, diskPath: broken.disk_path });
      const wrong: string[] = [];
      let failures = 0;
      for (const [method, path, json] of QUESTIONS) {
        const answer = await app.request(method, `/projects/${broken.id}${path}`, json === undefined ? {} : { json });
        if (answer.statusCode < 400) continue;
        const { message } = JSON.parse(answer.body) as { message: string };
        failures += 1;
        if (answer.statusCode !== 500 || message !== damageMessage(broken.full_path))
          wrong.push(`${method} ${path}: ${answer.statusCode} ${message}`);
      }
      const fork = await app.post(`/projects/${broken.id}/fork`, { json: { path: `fork-of-${broken.path}` } });
      if (fork.statusCode === 201) {
        await app.drain();
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
      if (name === 'no folder') assert.ok(clone.stderr.includes(damageMessage(broken.full_path)), clone.stderr);
      if (name !== 'a ref without content') assert.notEqual(clone.code, 0, 'a clone of what is damaged');
    });
  }
});
