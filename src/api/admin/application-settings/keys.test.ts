import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { outboundRules } from '../../../settings/outbound-rules.ts';
import { sshKeyLifetimeProblem, sshKeyProblem } from '../../../settings/settings.ssh-keys.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
let ada: Awaited<ReturnType<TestApp['make']['user']>>;
let project: Json;
before(async () => {
  app = await buildTestApp({ clock });
  ada = await app.make.user();
  project = expectStatus<Json>(await app.post('/projects', { token: ada.token, json: { name: 'keys' } }), 201);
});
after(() => app.close());
afterEach(() => resetSettings(app));

const set = (json: Json) => changeSettings(app, json);

function wire(...fields: (string | Buffer)[]): string {
  const parts = fields.flatMap((field) => {
    const bytes = Buffer.from(field as Buffer);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts).toString('base64');
}
function rsa(): string {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const modulus = Buffer.concat([Buffer.of(0), Buffer.from(n!, 'base64url')]);
  return `ssh-rsa ${wire('ssh-rsa', Buffer.from(e!, 'base64url'), modulus)}`;
}
function ed25519(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return `ssh-ed25519 ${wire('ssh-ed25519', Buffer.from(x!, 'base64url'))}`;
}
const add = (key: string, json: Json = {}) =>
  app.post('/user/keys', { token: ada.token, json: { title: 'a', key, ...json } });
const deploy = (key: string) =>
  app.post(`/projects/${project.id}/deploy_keys`, { token: ada.token, json: { title: 'a', key } });

test('SSH keys: kinds that are forbidden, and sizes, for users and for deploy keys', async () => {
  expectStatus(await add(rsa()), 201);
  await set({ rsa_key_restriction: 4096, ed25519_key_restriction: -1, ecdsa_sk_key_restriction: -1 });
  const forbidden = 'type is forbidden. Must be RSA, ECDSA, or ED25519_SK';
  const dsa = 'ssh-dss AAAAB3NzaC1kc3M=';
  for (const [key, text] of [
    [rsa(), 'must be at least 4096 bits'],
    [ed25519(), forbidden],
    [dsa, forbidden],
  ] as const) {
    const own = expectStatus<Json>(await add(key), 400);
    assert.deepEqual([own.message, own.errors], [`key ${text}`, { key: [text] }]);
    assert.deepEqual(expectStatus<Json>(await deploy(key), 400).errors, { 'deploy_key.key': [text] });
    const other = await app.post('/deploy_keys', { json: { title: 'a', key } });
    assert.deepEqual(expectStatus<Json>(other, 400).errors, { key: [text] });
    expectStatus(await app.post(`/users/${ada.user.id}/keys`, { json: { title: 'a', key } }), 400);
  }
  assert.equal(sshKeyProblem(app.deps.settings.now, { type: 'ssh-rsa', bits: 4096 }), null);
  assert.equal(sshKeyProblem(app.deps.settings.now, { type: 'ssh-ed25519', bits: 256 }), forbidden);
  await set({ rsa_key_restriction: 2048, ed25519_key_restriction: 0 });
  expectStatus(await add(rsa()), 201);
  expectStatus(await deploy(ed25519()), 201);
});

test('SSH keys: a size that its kind does not have is no setting', async () => {
  const response = await app.put('/application/settings', { json: { ed25519_key_restriction: 512 } });
  const text = 'must be forbidden, allowed, or one of these sizes: 256';
  assert.deepEqual(expectStatus<Json>(response, 400).errors, { ed25519_key_restriction: [text] });
});

test('SSH keys: how long they last, those that were added before, too', async () => {
  const endless = expectStatus<Json>(await add(ed25519()), 201);
  await set({ max_ssh_key_lifetime: 30 });
  const now = clock.now().getTime();
  const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  assert.deepEqual(expectStatus<Json>(await add(ed25519()), 400).errors, {
    key: ['must have an expiration date, 30 days from now at the latest'],
  });
  assert.deepEqual(expectStatus<Json>(await add(ed25519(), { expires_at: inDays(32) }), 400).errors, {
    key: ['must expire within 30 days'],
  });
  const fitting = expectStatus<Json>(await add(ed25519(), { expires_at: inDays(30) }), 201);
  const problem = ({ created_at, expires_at }: Json) =>
    sshKeyLifetimeProblem(app.deps.settings.now, {
      created_at: String(created_at),
      expires_at: expires_at as string | null,
    });
  assert.equal(problem(fitting), null);
  assert.match(String(problem(endless)), /^must have an expiration date/);
  await set({ max_ssh_key_lifetime: null });
  assert.equal(problem(endless), null);
});

test('outbound requests: one list by two names, of hosts that mirrors reach; system hooks have a switch of their own', async () => {
  const mirror = (url: string) =>
    app.post(`/projects/${project.id}/remote_mirrors`, { token: ada.token, json: { url, enabled: false } });
  const blocked = 'url is blocked: Requests to localhost are not allowed';
  await set({ allow_local_requests_from_web_hooks_and_services: false });
  assert.equal(expectStatus(await mirror('http://127.0.0.1:1999/a.git'), 400).message, blocked);
  const shown = await set({ outbound_local_requests_allowlist_raw: '127.0.0.1:1999; host.example\n10.0.0.0/8' });
  assert.deepEqual(shown.outbound_local_requests_whitelist, ['127.0.0.1:1999', 'host.example', '10.0.0.0/8']);
  expectStatus(await mirror('http://127.0.0.1:1999/a.git'), 201);
  assert.equal(expectStatus(await mirror('http://127.0.0.1:2000/a.git'), 400).message, blocked);
  const cleared = await set({ outbound_local_requests_whitelist: ['::1'] });
  assert.equal(cleared.outbound_local_requests_allowlist_raw, '::1');
  assert.equal(expectStatus(await mirror('http://127.0.0.1:1999/b.git'), 400).message, blocked);
  assert.equal((await outboundRules(app.deps)).allowLocalNetwork, false);
  const ofSystemHooks = async (deps = app.deps) => (await outboundRules(deps, 'system_hooks')).allowLocalNetwork;
  assert.equal(await ofSystemHooks(), false);
  expectStatus(await app.post('/hooks', { json: { url: 'http://127.0.0.1:1999/hook' } }), 422);
  await set({ allow_local_requests_from_system_hooks: true });
  assert.equal(await ofSystemHooks(), true);
  expectStatus(await app.post('/hooks', { json: { url: 'http://127.0.0.1:1999/hook' } }), 201);
  const open = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  try {
    assert.equal(await ofSystemHooks(open.deps), true);
    const json = { allow_local_requests_from_system_hooks: false };
    expectStatus(await open.put('/application/settings', { json }), 200);
    assert.equal(await ofSystemHooks(open.deps), false);
  } finally {
    await open.close();
  }
  for (const [entry, text] of [
    ['é.example', 'unicode domains should use IDNA encoding'],
    ['a'.repeat(256), 'entries cannot be larger than 255 characters'],
  ] as const) {
    const response = await app.put('/application/settings', { json: { outbound_local_requests_whitelist: [entry] } });
    assert.deepEqual(expectStatus<Json>(response, 400).errors, { outbound_local_requests_whitelist: [text] });
  }
});
