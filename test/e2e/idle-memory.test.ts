import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readerThread } from '../../src/api/code/index.ts';
import { releaseAll } from '../../src/core/idle-memory.ts';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { seededProject } from '../support/seeded-project.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const get = (url: string) => app.instance.server.app.inject({ url, headers: { 'private-token': ROOT_TOKEN } });

for (const threads of [0, 1]) {
  test(`answers are the same while and after memory is released, ${threads} reading threads`, async (t) => {
    const { path, git, head, side } = await seededProject(app, t);
    git.git(['repack', '-adq']);
    git.git(['commit-graph', 'write', '--reachable', '--changed-paths']);
    app.deps.storages.pool.readers.allow({ ...readerThread, threads, isNeeded: () => true });
    t.after(() => app.deps.storages.pool.readers.allow({ ...readerThread, threads: 0, isNeeded: () => false }));
    const urls = [
      `${path}/files/a.txt?ref=${head}`,
      `${path}/files/a.txt/raw?ref=${side}`,
      `${path}/files/a.txt/blame?ref=${head}`,
      `${path}/tree?ref=${head}`,
      `${path}/commits/${head}`,
      `${path}/commits/${head}/diff`,
      `${path}/commits?path=a.txt&ref_name=${head}`,
      `${path}/branches`,
      `${path}/compare?from=${head}&to=${side}`,
      '/projects',
    ].map((url) => `/api/v4${url}`);
    const bodyOf = async (url: string) => {
      const { statusCode, body } = await get(url);
      return { url, statusCode, body };
    };
    const here = await Promise.all(urls.map(bodyOf));
    assert.ok(here.every(({ statusCode }) => statusCode === 200));
    let ended = false;
    const releasing = (async () => {
      for (; !ended; await turn()) releaseAll();
    })();
    for (let round = 0; round < 5; round += 1) assert.deepEqual(await Promise.all(urls.map(bodyOf)), here);
    ended = true;
    await releasing;
    assert.deepEqual(await Promise.all(urls.map(bodyOf)), here);
    // What is written then is seen at once.
    const commit = { branch: `new-${threads}`, start_sha: head, commit_message: 'x' };
    const written = await app.instance.server.app.inject({
      method: 'POST',
      url: `/api/v4${path}/commits`,
      headers: { 'private-token': ROOT_TOKEN },
      payload: { ...commit, actions: [{ action: 'create', file_path: 'b.txt', content: 'b' }] },
    });
    assert.equal(written.statusCode, 201);
    releaseAll();
    assert.equal((await get(`/api/v4${path}/files/b.txt/raw?ref=new-${threads}`)).body, 'b');
  });
}
