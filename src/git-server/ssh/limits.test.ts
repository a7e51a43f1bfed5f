import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { RawSsh } from '../../../test/support/raw-ssh.ts';
import { SshReader, sshString, uint32 } from '../../core/ssh-fields.ts';
import { makeSshKeyPair } from '../../core/ssh-key-pair.ts';
import { readPrivateKey } from './private-key-file.ts';
import { Message } from './protocol/numbers.ts';
import { type SshLimits, type SshServer, serveSsh } from './server.ts';

const LIMITS: SshLimits = { loginMs: 60_000, strangers: 6, strangersOfAddress: 4, perMinute: 10_000 };
let app: TestApp;
const servers: SshServer[] = [];
before(async () => {
  app = await buildTestApp();
  await app.listen();
});
after(async () => {
  for (const server of servers) server.close();
  await app.close();
});

async function serve(limits: Partial<SshLimits> = {}): Promise<SshServer> {
  const server = await serveSsh(app.deps, '127.0.0.1', 0, { ...LIMITS, ...limits });
  servers.push(server);
  return server;
}

/** A user's key that is known to the server. */
async function newKey(admin = false) {
  const { token } = await app.make.user({ admin });
  const pair = makeSshKeyPair('k');
  expectStatus(await app.post('/user/keys', { token, json: { title: 'k', key: pair.publicKey } }), 201);
  return readPrivateKey(pair.privateKey).key;
}

/** Whether the server talks to a new connection. */
const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

test('connections of strangers are bounded for an address; who has signed in counts no more', async () => {
  const { port } = await serve();
  const key = await newKey();
  const strangers = await Promise.all([1, 2, 3, 4].map(() => RawSsh.connect(port)));
  for (const each of strangers) await each.sendVersion();
  assert.equal(await isTaken(port), false);
  await strangers[0]!.exchangeKeys();
  await strangers[0]!.login(key);
  const another = await RawSsh.connect(port);
  await another.sendVersion();
  assert.equal(await isTaken(port), false);
  another.close();
  while (!(await isTaken(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const each of strangers) each.close();
});

test('who does not sign in in time is sent away', async () => {
  const { port } = await serve({ loginMs: 200 });
  const client = await RawSsh.connect(port);
  await client.exchangeKeys();
  assert.equal(await client.end(), 'nobody signed in in time');
});

test('an address that connects very often is kept waiting', async () => {
  const { port } = await serve({ perMinute: 5 });
  const taken: boolean[] = [];
  for (let round = 0; round < 12; round += 1) taken.push(await isTaken(port));
  // A minute may begin in between.
  assert.ok(taken.includes(false), JSON.stringify(taken));
});

test('a user who asks for the same too often is told so', async () => {
  const { port } = await serve();
  expectStatus(await app.put('/application/settings', { json: { gitlab_shell_operation_limit: 3 } }), 200);
  try {
    const client = await RawSsh.connect(port);
    await client.exchangeKeys();
    await client.login(await newKey());
    const said: string[] = [];
    for (let id = 0; id < 8; id += 1) {
      client.openSession(id);
      const server = new SshReader(await client.expect(Message.channelOpenConfirmation), 5).uint32();
      client.request(server, 'exec', sshString("git-upload-pack 'no/such.git'"));
      said.push(new SshReader(await client.expect(Message.channelExtendedData), 9).text());
      await client.expect(Message.channelClose);
      client.send(Message.channelClose, uint32(server));
    }
    assert.match(said[0]!, /could not be found/);
    assert.ok(said.some((text) => text.includes('This endpoint has been requested too many times. Try again later.')));
    client.close();
  } finally {
    expectStatus(await app.put('/application/settings', { json: { gitlab_shell_operation_limit: 600 } }), 200);
  }
});

test('a server that stops takes nobody any more, and lets end what is under way', async () => {
  const server = await serve();
  const project = await app.make.project();
  const client = await RawSsh.connect(server.port);
  await client.exchangeKeys();
  await client.login(await newKey(true));
  client.openSession(0);
  await client.expect(Message.channelOpenConfirmation);
  client.request(0, 'exec', sshString(`git-receive-pack '${project.full_path}.git'`));
  await client.expect(Message.channelData);
  let drained = false;
  const done = server.drain().then(() => {
    drained = true;
  });
  assert.equal(await isTaken(server.port), false);
  client.openSession(1);
  await client.expect(Message.channelOpenFailure);
  assert.equal(drained, false);
  client.send(Message.channelData, uint32(0), sshString('0000'));
  await client.expect(Message.channelClose);
  client.send(Message.channelClose, uint32(0));
  assert.equal(await client.end(), 'the server stops');
  await done;
});

test('host keys are made once, for the server alone, and one that is damaged stops the start', async () => {
  const first = await serve();
  const second = await serve();
  assert.deepEqual(first.fingerprints, second.fingerprints);
  assert.match(first.fingerprints[0]!, /^SHA256:\S{43} \(ssh-ed25519\)$/);
  const file = `${app.deps.config.dataDir}/ssh/ssh_host_ed25519_key`;
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, 'utf8');
  chmodSync(file, 0o644);
  await serve();
  assert.equal(statSync(file).mode & 0o777, 0o600, 'closed again');
  writeFileSync(file, text.slice(0, 200));
  await assert.rejects(serve(), /ssh_host_ed25519_key cannot be used: /);
  writeFileSync(file, text);
});
