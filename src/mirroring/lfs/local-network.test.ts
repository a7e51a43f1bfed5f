import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { freshContent, lfsOf, lfsScene, putLfs } from '../../../test/support/lfs.ts';
import { fetchLfsObjects } from './lfs-mirror.fetch.ts';

type Json = Record<string, unknown>;
let near: TestApp;
let far: TestApp;
before(async () => {
  near = await buildTestApp();
  far = await buildTestApp();
});
after(async () => {
  await near.close();
  await far.close();
});

const allow = async (allow_local_requests_from_web_hooks_and_services: boolean) =>
  expectStatus(
    await near.put('/application/settings', { json: { allow_local_requests_from_web_hooks_and_services } }),
    200,
  );

test('LFS objects go to and from the local network while the settings let repositories', async () => {
  const { source, copy, base, follow, commit } = await lfsScene(near, far);
  const [content, later] = [freshContent(), freshContent()];
  await putLfs(far, source, content);
  await putLfs(far, source, later);
  commit('large.bin', content);
  await allow(true);
  assert.equal((await follow()).last_error, null);
  assert.deepEqual(await lfsOf(near, copy.id), [content.oid]);

  const target = await far.make.project();
  const url = `${base}/${target.full_path}.git`.replace('//', `//root:${ROOT_TOKEN}@`);
  const mirrors = `/projects/${copy.id}/remote_mirrors`;
  expectStatus(await near.post(mirrors, { json: { url, enabled: true } }), 201);
  await near.drain();
  assert.equal(expectStatus<Json[]>(await near.get(mirrors), 200)[0]?.last_error, null);
  assert.deepEqual(await lfsOf(far, target.id), [content.oid]);

  await allow(false);
  const remote = { url: `${base}/${source.full_path}.git`, addresses: ['127.0.0.1'] };
  const { signal } = new AbortController();
  const { problem } = await fetchLfsObjects(near.deps, copy, remote, [later], { signal, revalidate: async () => {} });
  assert.match(String(problem), /is blocked: Requests to localhost are not allowed/);
});
