import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { writeWholeGraph } from '../../../git/commit-graph/index.ts';
import { runGit } from '../../../git/process/index.ts';

interface Shown {
  id: string;
  stats?: Record<string, number>;
}

let app: TestApp;
let started = 0;
before(async () => {
  app = await buildTestApp();
  subscribe('child_process', () => {
    started += 1;
  });
});
after(() => app.close());

/** A project with three commits, and the line counts of git for each, newest first. */
async function history(): Promise<{ project: Project; git: ProjectGit; counted: Record<string, unknown>[] }> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  git.commit('main', { a: '1\n2\n', b: 'b\n' });
  git.commit('main', { a: '1\n3\n', b: null });
  git.commit('main', { a: '1\n3\n4\n' });
  const stats = [
    { additions: 1, deletions: 0, total: 1 },
    { additions: 1, deletions: 2, total: 3 },
    { additions: 3, deletions: 0, total: 3 },
  ];
  const oids = git.run(['rev-list', 'main']).split('\n');
  return { project, git, counted: oids.map((id, at) => ({ id, stats: stats[at] })) };
}

const sized = ({ id, stats }: Shown) => ({ id, stats });

/** Line counts of the commit endpoint and of the list. */
async function ask(project: Project, ids: readonly unknown[]): Promise<unknown[][]> {
  const at = `/projects/${project.id}/repository/commits`;
  const single: Shown[] = [];
  for (const id of ids) single.push(expectStatus<Shown>(await app.get(`${at}/${id}`), 200));
  const list = expectStatus<Shown[]>(await app.get(`${at}?with_stats=true`), 200);
  return [single.map(sized), list.map(sized)];
}

test('the size of commits that are indexed is told without a process', async () => {
  const { project, git, counted } = await history();
  await writeWholeGraph(git.dir);
  // Checks that processes are counted at all.
  started = 0;
  await runGit(['version']);
  assert.equal(started, 1);
  const ids = counted.map(({ id }) => id);
  assert.deepEqual(await ask(project, ids), [counted, counted]);
  assert.equal(started, 1);
});

test('it is counted where the index is gone, or there is none', async () => {
  for (const isWritten of [true, false]) {
    const { project, git, counted } = await history();
    if (isWritten) {
      await writeWholeGraph(git.dir);
      const folder = join(git.dir, 'objects/info/commit-graphs');
      const names = readdirSync(folder).filter((name) => name.endsWith('.stats'));
      assert.equal(names.length, 1);
      for (const name of names) rmSync(join(folder, name));
    }
    const ids = counted.map(({ id }) => id);
    assert.deepEqual(await ask(project, ids), [counted, counted]);
  }
});

test('a list has the size of each commit only where it is asked for', async () => {
  const { project } = await history();
  const response = await app.get(`/projects/${project.id}/repository/commits`);
  for (const { stats } of expectStatus<Shown[]>(response, 200)) assert.equal(stats, undefined);
});
