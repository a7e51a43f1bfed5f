import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { outputOf } from '../../test/support/fork-server.ts';
import { MirrorPair } from '../../test/support/mirrors.ts';
import { makeSshKeyPair } from '../core/ssh-key-pair.ts';
import { hostKeyFingerprints } from './push/known-hosts.ts';

const SECRET = 'open-sesame';
const HOST_KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIEYY5VCsBZYOixUfEKM3p2Y/aYZ1RizlwzpfsXMk5YKp';
const path = process.env.PATH ?? '';
let app: TestApp;
let folder: string;
let seen: (name: string) => string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  folder = mkdtempSync(join(tmpdir(), 'stithy-test-'));
  seen = (name) => readFileSync(join(folder, name), 'utf8');
  // In the place of OpenSSH: says what it was given, meets the host for the first time, and runs the command here.
  const script = `#!/bin/sh
cd ${folder}
if [ -e hold ]; then mv hold held; until [ ! -e held ]; do sleep 0.05; done; fi
env > env
printf '%s\\n' "$@" > arguments
if [ -n "$SSH_ASKPASS" ]; then "$SSH_ASKPASS" > password; fi
for word; do
  case "$word" in UserKnownHostsFile=*) cat "\${word#*=}" > known; echo "127.0.0.1 ssh-ed25519 ${HOST_KEY}" > "\${word#*=}";; esac
done
if [ "$5" = -i ] || [ "$3" = -i ]; then cat "$4" > key; fi
exec env -i PATH="$PATH" HOME=${folder} GIT_CONFIG_NOSYSTEM=1 sh -c "$word"
`;
  writeFileSync(join(folder, 'ssh'), script, { mode: 0o755 });
  process.env.PATH = `${folder}:${path}`;
});
after(async () => {
  process.env.PATH = path;
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const addressOf = (dir: string) => `ssh://127.0.0.1:2222${dir}`;

test('a pull mirror over SSH gives the password to nobody else, and remembers the host', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  const url = addressOf(pair.from.dir);
  const done = await pair.follow({ url, auth_user: 'ann', auth_password: SECRET });
  assert.equal(done.last_error, null);
  assert.deepEqual(pair.refs(pair.to), pair.refs(pair.from));
  assert.equal(seen('password'), `${SECRET}\n`);
  const words = seen('arguments').split('\n');
  for (const word of ['HostName=127.0.0.1', 'ProxyCommand=none', 'PermitLocalCommand=no', 'ann@127.0.0.1', '2222']) {
    assert.ok(words.includes(word), word);
  }
  for (const name of ['arguments', 'env']) assert.ok(!seen(name).includes(SECRET), name);
  const { host_keys } = await app.deps.db
    .selectFrom('pull_mirrors')
    .select('host_keys')
    .where('project_id', '=', pair.copy.id)
    .executeTakeFirstOrThrow();
  assert.equal(host_keys, `127.0.0.1 ssh-ed25519 ${HOST_KEY}\n`);
  await pair.update();
  assert.equal(seen('known'), host_keys, 'the host is known the next time');
  assert.deepEqual(readdirSync(join(app.deps.config.dataDir, 'git-children')), []);
});

test('a push mirror signs in with the key that the server has made', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  const at = `/projects/${pair.source.id}/remote_mirrors`;
  const json = { url: addressOf(pair.to.dir).replace('//', '//git@'), auth_method: 'ssh_public_key', enabled: true };
  const { id } = expectStatus(await app.post(at, { json }), 201);
  await app.drain();
  const mirror = expectStatus<Record<string, unknown>>(await app.get(`${at}/${id}`), 200);
  assert.equal(mirror.last_error, null);
  assert.deepEqual(pair.refs(pair.to), pair.refs(pair.from));
  assert.deepEqual(mirror.host_keys, [{ fingerprint_sha256: hostKeyFingerprints(`x y ${HOST_KEY}`)[0] }]);
  assert.match(seen('key'), /^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
  assert.ok(!app.logLines.some((line) => line.includes('PRIVATE KEY')));
});

/** Does something while a mirror's update speaks to its host for the first time. */
async function atTheHost(work: () => Promise<unknown>): Promise<void> {
  writeFileSync(join(folder, 'hold'), '');
  const state = app.drain();
  while (!existsSync(join(folder, 'held'))) await sleep(20);
  try {
    await work();
  } finally {
    rmSync(join(folder, 'held'));
  }
  await state;
}

test('the keys of a host are not kept for the address that a mirror was given meanwhile', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  const next = { url: 'ssh://127.0.0.1:2223/other.git', enabled: false };
  expectStatus(await app.put(pair.path, { json: { url: addressOf(pair.from.dir), enabled: true } }), 200);
  await atTheHost(async () => expectStatus(await app.put(pair.path, { json: next }), 200));
  const pull = await app.deps.db
    .selectFrom('pull_mirrors')
    .select('host_keys')
    .where('project_id', '=', pair.copy.id)
    .executeTakeFirstOrThrow();
  assert.equal(pull.host_keys, null);
  const at = `/projects/${pair.source.id}/remote_mirrors`;
  const json = { url: addressOf(pair.to.dir), enabled: true };
  const { id } = expectStatus(await app.post(at, { json }), 201);
  await atTheHost(async () => expectStatus(await app.put(`${at}/${id}`, { json: next }), 200));
  assert.deepEqual(expectStatus<Record<string, unknown>>(await app.get(`${at}/${id}`), 200).host_keys, []);
});

test('keys are such as OpenSSH reads', () => {
  for (let round = 0; round < 5; round += 1) {
    const { publicKey, privateKey } = makeSshKeyPair('x'.repeat(round));
    const file = join(folder, `pair-${round}`);
    writeFileSync(file, privateKey, { mode: 0o600 });
    const derived = outputOf('ssh-keygen', ['-y', '-P', '', '-f', file]).toString().trim();
    assert.equal(derived, publicKey.trim());
  }
});
