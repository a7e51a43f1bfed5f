import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../test/support/app.ts';
import { freshContent, lfsOf, putLfs } from '../../../test/support/lfs.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';

type Json = Record<string, unknown>;
const settings = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
const clock = new TestClock();
let near: TestApp;
let far: TestApp;
let base: string;
before(async () => {
  near = await buildTestApp({ settings, clock });
  far = await buildTestApp({ settings });
  base = await far.listen();
});
after(async () => {
  await near.close();
  await far.close();
});

/** A project here, and one on another server that is to follow it. */
async function scene() {
  const project = await near.make.project();
  const target = await far.make.project();
  const git = new ProjectGit(near, project);
  const there = new ProjectGit(far, target);
  const path = `/projects/${project.id}/remote_mirrors`;
  const url = `${base}/${target.full_path}.git`.replace('//', `//root:${ROOT_TOKEN}@`);
  const push = async () => {
    const [mirror] = expectStatus<Json[]>(await near.get(path), 200);
    if (mirror === undefined) expectStatus(await near.post(path, { json: { url, enabled: true } }), 201);
    else expectStatus(await near.post(`${path}/${mirror.id}/sync`), 204);
    await near.drain();
    return expectStatus<Json[]>(await near.get(path), 200)[0]!;
  };
  const same = () => there.run(['rev-parse', 'main']) === git.run(['rev-parse', 'main']);
  return { project, target, git, there, push, same };
}

describe('a push mirror', () => {
  test('sends the LFS objects that the other side lacks before refs move, and each once', async () => {
    const { project, target, git, push, same } = await scene();
    const [first, second, third, unused] = [freshContent(), freshContent(), freshContent(), freshContent()];
    for (const content of [first, second, third, unused]) await putLfs(near, project, content);
    await putLfs(far, target, first);
    git.commit('main', { 'large.bin': first.text });
    git.commit('main', { 'large.bin': second.text });
    // The other server refuses commits whose objects are not there.
    const done = await push();
    assert.deepEqual([done.update_status, done.last_error], ['finished', null]);
    assert.ok(same());
    assert.deepEqual(await lfsOf(far, target.id), [first.oid, second.oid].sort());
    git.commit('main', { 'other.bin': third.text });
    assert.equal((await push()).last_error, null);
    assert.deepEqual(await lfsOf(far, target.id), [first.oid, second.oid, third.oid].sort());
    const uploads = far.logLines
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes(`${target.full_path}.git/gitlab-lfs/objects`));
    assert.equal(uploads.length, 2);
  });

  test('tells what could not be sent, and sends it with the next update', async () => {
    const { project, target, git, push, same } = await scene();
    const content = freshContent();
    await putLfs(near, project, content);
    git.commit('main', { 'large.bin': content.text });
    expectStatus(await far.put(`/projects/${target.id}`, { json: { lfs_enabled: false } }), 200);
    const failed = await push();
    assert.equal(failed.update_status, 'to_retry');
    assert.equal(
      failed.last_error,
      `Error synchronizing LFS files:\n\nLFS object ${content.oid} could not be sent: The remote server has no LFS for this repository.`,
    );
    assert.ok(same(), 'a server without LFS gets the commits');
    expectStatus(await far.put(`/projects/${target.id}`, { json: { lfs_enabled: true } }), 200);
    clock.advance(300_000);
    await near.drain();
    assert.equal((await push()).last_error, null);
    assert.deepEqual(await lfsOf(far, target.id), [content.oid]);
  });

  test('asks nothing about LFS for a project without objects', async () => {
    const { target, git, push } = await scene();
    git.commit('main', { a: '1' });
    assert.equal((await push()).last_error, null);
    assert.ok(!far.logLines.some((line) => line.includes(`${target.full_path}.git/info/lfs`)));
  });
});
