import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { RawSsh } from '../../../test/support/raw-ssh.ts';
import { SshReader, sshString, uint32 } from '../../core/ssh-fields.ts';
import { makeSshKeyPair } from '../../core/ssh-key-pair.ts';
import { readPrivateKey } from './private-key-file.ts';
import { Message } from './protocol/numbers.ts';
import type { SshLimits } from './ssh-server.limits.ts';
import { type SshServer, serveSsh } from './ssh-server.server.ts';

const LIMITS: SshLimits = {
  loginMs: 60_000,
  proxyMs: 60_000,
  strangers: 6,
  strangersOfAddress: 4,
  perMinute: 10_000,
  rekeysPerMinute: 300,
};
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

test('strangers of many addresses keep nobody out: the one that waits longest makes room', async () => {
  const { port } = await serve();
  const bad: RawSsh[] = [];
  for (let at = 0; at < 6; at += 1) {
    const each = await RawSsh.connect(port, `127.0.0.${2 + (at % 3)}`);
    await each.sendVersion();
    bad.push(each);
  }
  const good = await RawSsh.connect(port);
  await good.exchangeKeys();
  await good.login(await newKey());
  assert.match(await bad[0]!.end(), /closed|too many unauthenticated connections/);
  // Who has signed in is no stranger any more.
  for (let at = 0; at < 8; at += 1) bad.push(await RawSsh.connect(port, `127.0.0.${5 + at}`));
  good.openSession(0);
  await good.expect(Message.channelOpenConfirmation);
  for (const each of [good, ...bad]) each.close();
});

test('who does not sign in in time is sent away', async () => {
  const { port } = await serve({ loginMs: 200 });
  const client = await RawSsh.connect(port);
  await client.exchangeKeys();
  assert.equal(await client.end(), 'authentication timed out');
  for (const first of ['', 'SSH-2.0-slo', 'SSH-2.0-slow\r\n\0\0']) {
    const slow = await RawSsh.connect(port);
    slow.write(first);
    await slow.gone();
  }
});

test('an address that connects very often is kept waiting', async () => {
  const { port } = await serve({ perMinute: 5 });
  const taken: boolean[] = [];
  for (let round = 0; round < 12; round += 1) taken.push(await isTaken(port));
  // A minute may begin in between.
  assert.ok(taken.includes(false), JSON.stringify(taken));
});

test('who asks for new keys again and again is sent away, unless much was sent with the old ones', async () => {
  const { port } = await serve({ rekeysPerMinute: 3 });
  const key = await newKey();
  const client = await RawSsh.connect(port);
  await client.exchangeKeys();
  await client.login(key);
  for (let round = 0; round < 12; round += 1) {
    for (let left = 9; left > 0; left -= 1) client.send(Message.ignore, sshString(Buffer.alloc(30_000)));
    await client.exchangeKeys();
  }
  let ended: Error | undefined;
  // A minute may begin in between, and connections of an address count together.
  for (let round = 0; round < 12 && ended === undefined; round += 1) {
    const another = await RawSsh.connect(port);
    await another.exchangeKeys();
    await another.login(key);
    ended = await another.exchangeKeys().then(
      () => undefined,
      (error: Error) => error,
    );
    another.close();
  }
  assert.match(String(ended), /rekeying requested too often/);
  client.close();
});

describe('behind proxies that say whom they forward', () => {
  before(() => {
    app.deps.config.sshTrustedProxies = ['127.0.0.1/32'];
  });
  after(() => {
    app.deps.config.sshTrustedProxies = [];
  });

  /** A connection that is forwarded for an address. */
  async function from(port: number, address: string): Promise<RawSsh> {
    const client = await RawSsh.connect(port);
    client.write(`PROXY TCP4 ${address} 10.0.0.1 49152 22\r\n`);
    return client;
  }

  test('each client has limits of its own, and goes by its own address', async () => {
    const { port } = await serve();
    const strangers = await Promise.all([1, 2, 3, 4].map(() => from(port, '203.0.113.7')));
    for (const each of strangers) await each.sendVersion();
    const crowded = await from(port, '203.0.113.7');
    await assert.rejects(crowded.sendVersion(), /closed the connection/);
    const other = await from(port, '203.0.113.8');
    await other.exchangeKeys();
    await other.login(await newKey());
    for (const each of [...strangers, crowded, other]) each.close();
  });

  test('a header that comes byte by byte, with what follows it, is read', async () => {
    const { port } = await serve();
    const client = await RawSsh.connect(port);
    for (const byte of 'PROXY TCP6 2001:db8::5 ::1 49152 22\r\n') {
      client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.exchangeKeys();
    await client.login(await newKey());
    client.close();
  });

  test('one that begins with no header, or waits with it, is closed; such ones are bounded, too', async () => {
    const slow = await serve({ proxyMs: 100 });
    for (const first of ['', 'SSH-2.0-x\r\n', 'PROXY TCP4 x\r\n', randomBytes(200)]) {
      const client = await RawSsh.connect(slow.port);
      client.write(first);
      assert.equal(await client.end(), 'closed');
    }
    const { port, close } = await serve();
    const waiting = await Promise.all([1, 2, 3, 4, 5, 6].map(() => RawSsh.connect(port)));
    const seventh = await RawSsh.connect(port);
    assert.equal(await seventh.end(), 'closed');
    close();
    for (const each of waiting) assert.equal(await each.end(), 'closed');
  });

  test('what anybody else says of where they come from is not believed', async () => {
    app.deps.config.sshTrustedProxies = ['192.0.2.1', '2001:db8::/32'];
    const { port } = await serve();
    const client = await from(port, '203.0.113.7');
    await assert.rejects(client.exchangeKeys(), /closed/);
    assert.equal(await isTaken(port), true);
  });
});

test('a user who asks for the same too often is told so', async () => {
  const { port } = await serve();
  expectStatus(await app.put('/application/settings', { json: { gitlab_shell_operation_limit: 3 } }), 200);
  try {
    const client = await RawSsh.connect(port);
    await client.exchangeKeys();
    await client.login(await newKey());
    const errors: string[] = [];
    for (let id = 0; id < 8; id += 1) {
      client.openSession(id);
      const server = new SshReader(await client.expect(Message.channelOpenConfirmation), 5).uint32();
      client.request(server, 'exec', sshString("git-upload-pack 'no/such.git'"));
      errors.push(new SshReader(await client.expect(Message.channelExtendedData), 9).text());
      await client.expect(Message.channelClose);
      client.send(Message.channelClose, uint32(server));
    }
    assert.match(errors[0]!, /could not be found/);
    assert.ok(
      errors.some((text) => text.includes('This endpoint has been requested too many times. Try again later.')),
    );
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
  assert.equal(await client.end(), 'server is shutting down');
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
