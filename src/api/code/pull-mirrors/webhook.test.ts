import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { MirrorPair } from '../../../../test/support/mirrors.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
});
after(() => app.close());

const SHA = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const side = (ref: string, full_name = 'octo/app') => ({
  ref,
  sha: SHA,
  label: `octo:${ref}`,
  repo: { id: 1, full_name },
});
const event = (more: object = {}) => ({
  action: 'synchronize',
  number: 7,
  pull_request: { id: 1, number: 7, title: 'More', head: side('feature'), base: side('main'), user: { login: 'octo' } },
  repository: { full_name: 'octo/app' },
  sender: { login: 'octo' },
  ...more,
});
const headers = { 'x-github-event': 'push', 'x-hub-signature': 'sha1=57920710b7619b11df90c4ae237f0f53d77a8f54' };

async function followed(): Promise<MirrorPair> {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  await pair.follow();
  return pair;
}

test('the webhook of another host starts an update, by a push or a pull request', async () => {
  const pair = await followed();
  const push = {
    ref: 'refs/heads/main',
    before: SHA,
    after: SHA,
    commits: [{ id: SHA, added: ['a'] }],
    created: false,
  };
  for (const json of [push, { zen: 'Keep it simple.', hook_id: 1 }, event(), event({ action: 'closed' })]) {
    const sha = pair.from.commit('main', { a: JSON.stringify(json) });
    // As it is entered there: with a token in the address.
    const query = { private_token: ROOT_TOKEN };
    expectStatus(await app.post(pair.path, { token: null, query, json, headers }), 202);
    await app.drain();
    assert.equal(pair.to.run(['rev-parse', 'main']), sha);
  }
  const form = `payload=${encodeURIComponent(JSON.stringify(push))}`;
  expectStatus(await app.post(pair.path, { form, headers }), 202);
});

test('the event of a pull request that cannot be used is refused with 422', async () => {
  const pair = await followed();
  const { pull_request } = event();
  for (const json of [
    event({ action: 'labeled' }),
    event({ action: undefined }),
    event({ pull_request: {} }),
    event({ pull_request: { ...pull_request, number: undefined } }),
    event({ pull_request: { ...pull_request, head: { ...side('feature'), sha: 'main' } } }),
    event({ pull_request: { ...pull_request, head: { ...side('feature'), repo: null } } }),
    event({ pull_request: { ...pull_request, head: side('feature', 'fork/app') } }),
  ]) {
    const response = await app.post(pair.path, { json, headers });
    assert.equal(
      expectStatus(response, 422).message,
      'The pull request event is not processable',
      JSON.stringify(json),
    );
  }
  expectStatus(await app.post(pair.path, { json: { pull_request: 'x' } }), 400);
  expectStatus(await app.post(`/projects/${pair.source.id}/mirror/pull`, { json: event({ action: 'x' }) }), 400);
  const { developer } = await app.make.members(pair.copy);
  expectStatus(await app.post(pair.path, { json: event(), headers, token: developer.token }), 403);
  expectStatus(await app.post(pair.path, { json: event(), headers, token: null }), 401);
});

test('a webhook does not begin a mirror anew that has failed too often; a person does', async () => {
  const pair = await followed();
  const failures = (count: number) =>
    app.deps.db.updateTable('pull_mirrors').set({ failures: count }).where('project_id', '=', pair.copy.id).execute();
  await failures(13);
  expectStatus(await app.post(pair.path, { json: {}, headers }), 202);
  await failures(14);
  const refused = expectStatus(await app.post(pair.path, { json: {}, headers }), 403);
  assert.equal(refused.message, 'Mirroring for the project is on pause');
  expectStatus(await app.post(pair.path), 202);
  await app.drain();
  assert.equal((await pair.state()).last_error, null);
});
