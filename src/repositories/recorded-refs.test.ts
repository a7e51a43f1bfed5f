import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { recordedRefs } from './recorded-refs.ts';
import { refInconsistencies } from './ref-consistency.ts';

let app: TestApp;
const projects: Project[] = [];
before(async () => {
  app = await buildTestApp();
  for (let n = 0; n < 5; n += 1) {
    const project = await app.make.project();
    projects.push(project);
    for (const branch of ['main', 'b', 'c']) {
      const json = {
        branch,
        commit_message: 'x',
        content: branch,
        ...(branch === 'main' ? {} : { start_branch: 'main' }),
      };
      expectStatus(await app.post(`/projects/${project.id}/repository/files/${branch}`, { json }), 201);
    }
  }
});
after(() => app.close());

test('recorded refs are read part by part, each repository in one of them', async () => {
  const seen: number[][] = [];
  for await (const { refs } of recordedRefs(app.deps.db, 'project', 6)) {
    assert.ok([...refs.values()].every(({ size }) => size === 3));
    assert.ok(refs.size <= 2);
    seen.push([...refs.keys()].sort((a, b) => a - b));
  }
  assert.deepEqual(
    seen.flat(),
    projects.map(({ id }) => id),
  );
});

test('a ref that was moved past the server is told, in whatever repository', async () => {
  const { db, storages } = app.deps;
  assert.deepEqual(await refInconsistencies(db, storages), []);
  const project = projects[3]!;
  const git = new ProjectGit(app, project);
  const before = git.run(['rev-parse', 'refs/heads/b']);
  git.run(['update-ref', 'refs/heads/b', git.run(['rev-parse', 'refs/heads/main'])]);
  assert.deepEqual(await refInconsistencies(db, storages), [
    `project ${project.id}: refs/heads/b differs from its last recorded change`,
  ]);
  git.run(['update-ref', 'refs/heads/b', before]);
  assert.deepEqual(await refInconsistencies(db, storages), []);
});
