import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildTestApp, expectStatus } from '../../../test/support/app.ts';
import { allRefs, wholeState } from '../../../test/support/whole-state.ts';

const PLACES = ['/dev/shm', join(import.meta.dirname, '../../../node_modules')];
/** A folder on another file system than that of data folders; undefined if there is none here. */
const place = PLACES.find((path) => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.dev !== statSync(tmpdir()).dev;
});
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Project {
  id: number;
}

test('repositories of a storage on another file system are copied, and come back', { skip: !place }, async () => {
  const folder = mkdtempSync(join(place!, 'stithy-test-'));
  folders.push(folder);
  const app = await buildTestApp({ settings: { STITHY_BENCH: '1', STITHY_STORAGES: `default=${folder}` } });
  try {
    const make = async (name: string) =>
      expectStatus<Project>(await app.post('/projects', { json: { name, initialize_with_readme: true } }), 201);
    const branch = async ({ id }: Project, branch: string, ref: string) =>
      expectStatus(await app.post(`/projects/${id}/repository/branches`, { json: { branch, ref } }), 201);
    const commit = async ({ id }: Project, content: string) => {
      const json = { branch: 'main', content, commit_message: content };
      expectStatus(await app.put(`/projects/${id}/repository/files/README.md`, { json }), 200);
    };
    const state = async () => ({ ...(await wholeState(app.deps)), refs: await allRefs(app.deps) });
    const [kept, lost] = [await make('kept'), await make('lost')];
    await branch(kept, 'topic', 'main');
    await app.drain();
    expectStatus(await app.post('/-/bench/snapshots', { json: { name: 'seeded' } }), 201);
    const before = await state();
    for (const round of ['first', 'second']) {
      // Ids in refs have the same length as those before.
      await commit(kept, round);
      expectStatus(await app.delete(`/projects/${kept.id}/repository/branches/topic`), 204);
      await branch(kept, 'topic', 'main');
      expectStatus(await app.delete(`/projects/${lost.id}`), 202);
      await make('more');
      await app.drain();
      assert.notDeepEqual((await state()).refs, before.refs);
      expectStatus(await app.post('/-/bench/snapshots/seeded/restore'), 200);
      assert.deepEqual(await state(), before, round);
    }
    // What is restored is not shared with the snapshot: it may be changed in place.
    const row = await app.deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', kept.id)
      .executeTakeFirstOrThrow();
    const dir = app.deps.storages.dirOf({ storage: row.repository_storage, diskPath: row.disk_path });
    assert.equal(statSync(join(dir, 'refs/heads/main')).nlink, 1);
  } finally {
    await app.close();
  }
});
