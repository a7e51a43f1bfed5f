import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

const BUDGET = 8 * 1024 * 1024;
let app: TestApp;
let id: number;
let blob: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_MAX_MEMORY: String(BUDGET) } });
  const project = await app.make.project();
  id = project.id;
  const git = new ProjectGit(app, project);
  git.commit('main', { large: 'x'.repeat(2 * 1024 * 1024) });
  blob = git.run(['rev-parse', 'main:large']);
});
after(() => app.close());

for (const [name, path] of [
  ['file', () => `/projects/${id}/repository/files/large?ref=main`],
  ['blob', () => `/projects/${id}/repository/blobs/${blob}`],
] as const) {
  test(`a large ${name} in an answer waits for memory, and gives it back`, async () => {
    const { memory } = app.deps;
    const leave = await memory.take('somebody', { cost: BUDGET });
    let answered = false;
    const result = app.get(path()).then((response) => {
      answered = true;
      return response;
    });
    while (memory.waiting === 0) await turn();
    assert.equal(answered, false);
    leave();
    expectStatus(await result, 200);
    while (memory.held > 0) await turn();
  });
}

test('a large commit is made of what waits in files, and leaves none of them behind', async () => {
  const content = Buffer.alloc(300_000, 'ab\0c').toString('base64');
  const json = { branch: 'main', commit_message: 'Large', encoding: 'base64', content };
  expectStatus(await app.post(`/projects/${id}/repository/files/made`, { json }), 201);
  const made = await app.get(`/projects/${id}/repository/files/made?ref=main`);
  assert.equal(expectStatus<{ content: string }>(made, 200).content, content);
  while (app.deps.memory.held > 0) await turn();
});
