import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { freshContent as fresh, lfsOf, lfsScene, putLfs } from '../../../test/support/lfs.ts';

const settings = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
let near: TestApp;
let far: TestApp;
const scene = () => lfsScene(near, far);
before(async () => {
  near = await buildTestApp({ settings });
  far = await buildTestApp({ settings });
});
after(async () => {
  await near.close();
  await far.close();
});

describe('a pull mirror', () => {
  test('brings the LFS objects of all versions, and only what is new later', async () => {
    const { source, copy, from, to, follow, update, commit, asked } = await scene();
    const [first, second, third, unused] = [fresh(), fresh(), fresh(), fresh()];
    for (const content of [first, second, third, unused]) await putLfs(far, source, content);
    commit('large.bin', first);
    commit('large.bin', second);
    const done = await follow();
    assert.deepEqual([done.update_status, done.last_error], ['finished', null]);
    assert.deepEqual(await lfsOf(near, copy.id), [first.oid, second.oid].sort());
    assert.equal(asked('objects/batch'), 1);
    commit('other.bin', third);
    assert.equal((await update()).last_error, null);
    assert.deepEqual(await lfsOf(near, copy.id), [first.oid, second.oid, third.oid].sort());
    assert.deepEqual([asked('objects/batch'), asked('gitlab-lfs/objects')], [2, 3]);
    const listings = asked('git/info/refs');
    assert.equal((await update()).last_error, null);
    assert.equal(asked('objects/batch'), 2, 'nothing new costs no more than one ls-remote');
    assert.ok(asked('git/info/refs') > listings);
    assert.equal(to.run(['rev-parse', 'main']), from.run(['rev-parse', 'main']));
  });

  test('goes on without those that are not there, tells it, and has them once they are', async () => {
    const { source, copy, from, to, follow, update, commit } = await scene();
    const [there, missing] = [fresh(), fresh()];
    await putLfs(far, source, there);
    commit('a.bin', there);
    commit('b.bin', missing);
    const message = `LFS object ${missing.oid} could not be fetched: Not found on the remote server.`;
    for (const state of [await follow(), await update()]) {
      assert.deepEqual([state.update_status, state.last_error], ['finished', message]);
      assert.ok(state.last_successful_update_at !== null);
    }
    assert.equal(to.run(['rev-parse', 'main']), from.run(['rev-parse', 'main']));
    assert.deepEqual(await lfsOf(near, copy.id), [there.oid]);
    from.commit('main', { c: '1' });
    assert.equal((await update()).last_error, message);
    await putLfs(far, source, missing);
    assert.equal((await update()).last_error, null);
    assert.deepEqual(await lfsOf(near, copy.id), [there.oid, missing.oid].sort());
  });

  test('gives no object away that another project here has', async () => {
    const { copy, follow, commit } = await scene();
    const secret = fresh();
    await putLfs(near, await near.make.project(), secret);
    commit('guess.bin', secret);
    assert.match(String((await follow()).last_error), /Not found on the remote server/);
    assert.deepEqual(await lfsOf(near, copy.id), []);
  });

  test('does without them where the project does without LFS', async () => {
    const { source, copy, follow, commit, asked } = await scene();
    const content = fresh();
    await putLfs(far, source, content);
    commit('large.bin', content);
    expectStatus(await near.put(`/projects/${copy.id}`, { json: { lfs_enabled: false } }), 200);
    assert.equal((await follow()).last_error, null);
    assert.equal(asked('objects/batch'), 0);
    assert.deepEqual(await lfsOf(near, copy.id), []);
  });

  test('that was cut off has what it had, and fetches the rest', async () => {
    const { source, copy, path, url, to, follow, commit } = await scene();
    const contents = Array.from({ length: 8 }, fresh);
    for (const [index, content] of contents.entries()) {
      await putLfs(far, source, content);
      commit(`${index}.bin`, content);
    }
    // The last bytes stay away until the update has been ended in the middle.
    const last = contents.at(-1)!;
    const { get } = far.deps.blobs;
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    far.deps.blobs.get = async (sha256, range) => {
      if (sha256 === last.oid) {
        reach();
        await new Promise(() => {});
      }
      return get.call(far.deps.blobs, sha256, range);
    };
    expectStatus(await near.put(path, { json: { enabled: true, url } }), 200);
    near.deps.jobs.start();
    await reached;
    while ((await lfsOf(near, copy.id)).length < 7) await new Promise((resolve) => setTimeout(resolve, 20));
    await near.deps.jobs.stop();
    assert.equal(to.run(['for-each-ref', 'refs/heads']), '', 'refs move when their objects are there');
    const sent: string[] = [];
    far.deps.blobs.get = (sha256, range) => {
      sent.push(sha256);
      return get.call(far.deps.blobs, sha256, range);
    };
    assert.equal((await follow()).last_error, null);
    assert.equal((await lfsOf(near, copy.id)).length, 8);
    assert.deepEqual(sent, [last.oid]);
    far.deps.blobs.get = get;
  });
});

test('an import by URL brings the LFS objects along', async () => {
  const { source, url, commit } = await scene();
  const [there, missing] = [fresh(), fresh()];
  await putLfs(far, source, there);
  commit('a.bin', there);
  const imported = async (name: string) => {
    const { id } = expectStatus<{ id: number }>(
      await near.post('/projects', { json: { name: `${name}-${source.id}`, import_url: url } }),
      201,
    );
    await near.drain();
    const { import_status, import_error } = expectStatus(await near.get(`/projects/${id}`), 200);
    return { import_status, import_error, objects: await lfsOf(near, id) };
  };
  const finished = { import_status: 'finished', import_error: null, objects: [there.oid] };
  assert.deepEqual(await imported('whole'), finished);
  commit('b.bin', missing);
  const import_error = `LFS object ${missing.oid} could not be fetched: Not found on the remote server.`;
  assert.deepEqual(await imported('part'), { ...finished, import_error });
});
