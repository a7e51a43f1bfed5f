import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { changeSettings } from '../../../test/support/settings.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { GitError } from '../../git/common/index.ts';
import { gather, type RepositorySearch } from './search.gather.ts';

let app: TestApp;
let projects: Project[];
before(async () => {
  app = await buildTestApp();
  await changeSettings(app, { search_rate_limit: 0 });
  projects = [];
  for (let count = 0; count < 5; count += 1) {
    const project = await app.make.project();
    if (count !== 3) new ProjectGit(app, project).commit('main', { a: 'x\n' });
    projects.push(project);
  }
});
after(() => app.close());

const holders = () => projects.map((row) => ({ row, projectId: row.id, groupId: null, url: '' }));
const search = (find: RepositorySearch<string>['find'], wanted = 100) =>
  gather(app.deps, holders(), { wanted, ref: undefined, atOnce: 2, find });
const nth = (id: number | null) => projects.findIndex((project) => project.id === id);

test('matches are in the order of the repositories, whichever is done first; empty ones have none', async () => {
  const found = await search(async ({ holder }, _, list) => {
    const index = nth(holder.projectId);
    if (index % 2 === 0) await new Promise(setImmediate);
    list.push(`${index}a`, `${index}b`);
  });
  assert.deepEqual(found, ['0a', '0b', '1a', '1b', '2a', '2b', '4a', '4b']);
});

test('no further repository is opened once there is enough', async () => {
  const asked: number[] = [];
  const found = await search(async ({ holder }, limit, list) => {
    asked.push(nth(holder.projectId));
    list.push(...Array.from({ length: limit }, (_, index) => `${nth(holder.projectId)}-${index}`));
  }, 3);
  assert.deepEqual(
    [found, asked.toSorted()],
    [
      ['0-0', '0-1', '0-2'],
      [0, 1],
    ],
  );
});

test('of many, one that takes too much work or is damaged contributes what was found until then', async () => {
  for (const code of ['timeout', 'output_too_large', 'corrupt'] as const) {
    const found = await search(async ({ holder }, _, list) => {
      list.push(String(nth(holder.projectId)));
      if (holder.projectId === projects[1]!.id) throw new GitError(code, 'no');
    });
    assert.deepEqual(found, ['0', '1', '2', '4'], code);
  }
});

test('the only repository fails, and so do many where the server is busy', async () => {
  const failing = (code: 'timeout' | 'busy') => async () => {
    throw new GitError(code, 'no');
  };
  await assert.rejects(search(failing('busy')), { code: 'busy' });
  const one = { wanted: 1, ref: undefined, atOnce: 2, find: failing('timeout') };
  await assert.rejects(gather(app.deps, holders().slice(0, 1), one), { code: 'timeout' });
});
