import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { publicBlob, RawSsh } from '../../../../test/support/raw-ssh.ts';
import { SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { makeSshKeyPair } from '../../../core/ssh-key-pair.ts';
import { readPrivateKey } from '../private-key-file.ts';
import { hostKeyOf } from './host-key.ts';
import { Message } from './numbers.ts';
import { Connection } from './ssh.connection.ts';

const known = generateKeyPairSync('ed25519').privateKey;
const stranger = generateKeyPairSync('ed25519').privateKey;
const { key, blob } = readPrivateKey(makeSshKeyPair('x').privateKey);
const hostKeys = [hostKeyOf(key, blob)];
let server: Server;
let port: number;
/** What connections were ended for. */
const ends: unknown[] = [];
let commands: (string | null)[] = [];
let signedIn = 0;

before(async () => {
  server = createServer((socket) => {
    new Connection<string>(
      socket,
      { hostKeys, rekeyBytes: 2 * 1024 * 1024 },
      {
        find: async ({ user, blob }) => (user === 'git' && blob.equals(publicBlob(known)) ? 'me' : undefined),
        signedIn: () => {
          signedIn += 1;
        },
        run: (_identity, { line, channel }) => {
          commands.push(line);
          if (line === 'echo')
            channel.input.pipe(channel.output, { end: false }).on('unpipe', () => void channel.finish(0));
          else if (line === 'flood') channel.output.write(Buffer.alloc(8 * 1024 * 1024));
          else void channel.finish(7);
        },
        closed: (why) => ends.push(why),
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
after(() => {
  server.close();
  for (const why of ends) {
    const name = why === null ? 'left' : (why as Error).name;
    assert.ok(['left', 'SshError'].includes(name), `the server failed: ${String((why as Error)?.stack)}`);
  }
});

async function ready(): Promise<RawSsh> {
  const client = await RawSsh.connect(port);
  await client.exchangeKeys();
  return client;
}

async function inside(): Promise<RawSsh> {
  const client = await ready();
  await client.login(known);
  return client;
}

const asked = async (client: RawSsh) => {
  client.send(Message.serviceRequest, sshString('ssh-userauth'));
  await client.expect(Message.serviceAccept);
};

for (const keyExchange of ['curve25519-sha256', 'mlkem768x25519-sha256'] as const) {
  for (const strict of [true, false]) {
    test(`keys are agreed on with ${keyExchange}, ${strict ? 'strictly' : 'as of old'}, and again when the client asks`, async () => {
      const client = await RawSsh.connect(port);
      await client.exchangeKeys({ keyExchange, strict });
      await client.login(known);
      await client.exchangeKeys({ keyExchange, strict });
      client.openSession(3);
      const open = new SshReader(await client.expect(Message.channelOpenConfirmation), 1);
      assert.equal(open.uint32(), 3);
      client.request(open.uint32(), 'exec', sshString('x'));
      await client.expect(Message.channelClose);
      client.close();
    });
  }
}

test('the server asks for new keys itself after so many bytes, and goes on', async () => {
  const client = await inside();
  client.openSession(0, 0x7fff_ffff);
  await client.expect(Message.channelOpenConfirmation);
  client.request(0, 'exec', sshString('flood'));
  let [bytes, rounds] = [0, 0];
  while (bytes < 8 * 1024 * 1024) {
    const payload = await client.next();
    assert.ok(payload !== null);
    if (payload[0] === Message.channelData) bytes += payload.length - 9;
    if (payload[0] !== Message.kexInit) continue;
    rounds += 1;
    await client.exchangeKeys({}, payload);
  }
  assert.equal(bytes, 8 * 1024 * 1024);
  assert.ok(rounds >= 1, `${rounds} rounds`);
  client.close();
});

test('nothing is done for who has not signed in, whatever is sent in whatever order', async () => {
  commands = [];
  for (const send of [
    (client: RawSsh) => client.openSession(0),
    (client: RawSsh) => client.request(0, 'exec', sshString('x')),
    (client: RawSsh) => client.send(Message.userauthSuccess),
    (client: RawSsh) => client.send(Message.globalRequest, sshString('x'), Buffer.from([1])),
    (client: RawSsh) => client.send(Message.userauthRequest, ...['git', 'ssh-connection', 'none'].map(sshString)),
    (client: RawSsh) => client.send(Message.serviceRequest, sshString('ssh-connection')),
    (client: RawSsh) => client.send(Message.newKeys),
    (client: RawSsh) => client.send(Message.kexExchange, sshString(randomBytes(32))),
    (client: RawSsh) => client.send(250),
    (client: RawSsh) => client.send(Message.serviceRequest, uint32(0xffff_ffff)),
  ]) {
    const client = await ready();
    send(client);
    assert.notEqual(await client.end(), 'closed', 'it is told why');
    client.close();
  }
  const early = await RawSsh.connect(port);
  await early.sendVersion();
  early.send(Message.serviceRequest, sshString('ssh-userauth'));
  assert.match(await early.end(), /before the key exchange/);
  assert.deepEqual(commands, []);
});

test('a message in the middle of a strict key exchange ends the connection', async () => {
  for (const kind of [Message.ignore, Message.debug, Message.unimplemented]) {
    const first = await RawSsh.connect(port);
    await first.sendVersion();
    first.send(kind, sshString('x'));
    first.send(first.kexInit());
    assert.match(await first.end(), /during the key exchange/);
    const between = await RawSsh.connect(port);
    await between.sendVersion();
    between.send(between.kexInit());
    between.send(kind, sshString('x'));
    assert.match(await between.end(), /during the key exchange/);
  }
});

test('a signature counts for this session, this user and this key alone', async () => {
  signedIn = 0;
  const replayed = await ready();
  await asked(replayed);
  replayed.requestLogin(known, 'git', randomBytes(32));
  await replayed.expect(Message.userauthFailure);
  replayed.requestLogin(known, 'root');
  await replayed.expect(Message.userauthFailure);
  replayed.requestLogin(stranger);
  await replayed.expect(Message.userauthFailure);
  // The key of one, the signature of another.
  const names = ['git', 'ssh-connection', 'publickey'].map(sshString);
  const forged = sshString(Buffer.concat([sshString('ssh-ed25519'), sshString(randomBytes(64))]));
  const tail = [Buffer.from([1]), sshString('ssh-ed25519'), sshString(publicBlob(known))];
  replayed.send(Message.userauthRequest, ...names, ...tail, forged);
  await replayed.expect(Message.userauthFailure);
  // No signature: the server says that the key would do, and nothing more.
  replayed.send(Message.userauthRequest, ...names, Buffer.from([0]), ...tail.slice(1));
  await replayed.expect(Message.userauthPkOk);
  for (const algorithm of ['ssh-rsa', 'rsa-sha2-512', 'none', 'ssh-ed25519-cert-v01@openssh.com']) {
    replayed.send(Message.userauthRequest, ...names, Buffer.from([0]), sshString(algorithm), tail[2]!);
    await replayed.expect(Message.userauthFailure);
  }
  assert.equal(signedIn, 0);
  replayed.close();
});

test('who tries too many keys is sent away', async () => {
  const client = await ready();
  await asked(client);
  for (let tries = 0; tries < 21; tries += 1) client.requestLogin(stranger);
  assert.match(await client.end(), /too many authentication attempts/);
});

test('sessions over a connection are bounded, and there is nothing but sessions', async () => {
  const client = await inside();
  for (let id = 0; id < 11; id += 1) client.openSession(id);
  const refused = new SshReader(await client.expect(Message.channelOpenFailure), 1);
  assert.deepEqual([refused.uint32(), refused.uint32()], [10, 4]);
  client.send(Message.channelClose, uint32(0));
  await client.expect(Message.channelClose);
  client.openSession(11);
  await client.expect(Message.channelOpenConfirmation);
  client.send(Message.channelOpen, sshString('direct-tcpip'), uint32(20), uint32(1000), uint32(1000));
  await client.expect(Message.channelOpenFailure);
  client.send(Message.globalRequest, sshString('tcpip-forward'), Buffer.from([1]));
  await client.expect(Message.requestFailure);
  for (const type of ['pty-req', 'subsystem', 'x11-req', 'auth-agent-req@openssh.com']) {
    client.request(1, type, sshString('sftp'));
    await client.expect(Message.channelFailure);
  }
  client.close();
});

test('more data than the window allows, or data for no channel, ends the connection', async () => {
  for (const [send, text] of [
    [(client: RawSsh) => client.send(Message.channelData, uint32(9), sshString('x')), /unknown channel/],
    [
      (client: RawSsh) => client.send(Message.channelData, uint32(0), sshString(Buffer.alloc(33_000))),
      /exceeds the channel window/,
    ],
    [
      (client: RawSsh) => {
        for (let sent = 0; sent < 40; sent += 1)
          client.send(Message.channelData, uint32(0), sshString(Buffer.alloc(32_000)));
      },
      /exceeds the channel window/,
    ],
    [
      (client: RawSsh) => client.send(Message.channelWindowAdjust, uint32(0), uint32(0xffff_ffff)),
      /channel window too large/,
    ],
  ] as const) {
    const client = await inside();
    client.openSession(0);
    await client.expect(Message.channelOpenConfirmation);
    send(client);
    assert.match(await client.end(), text);
    client.close();
  }
});

test('a client that takes nothing is sent no more than it has asked for', async () => {
  const client = await inside();
  client.openSession(0, 10_000);
  await client.expect(Message.channelOpenConfirmation);
  client.request(0, 'exec', sshString('flood'));
  await client.expect(Message.channelSuccess);
  const first = await client.expect(Message.channelData);
  assert.equal(first.length - 9, 10_000);
  client.send(Message.channelWindowAdjust, uint32(0), uint32(5));
  const second = await client.expect(Message.channelData);
  assert.equal(second.length - 9, 5);
  client.close();
});

test('bytes that are none of SSH, cut off or damaged, end a connection and nothing else', async () => {
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'SSH-1.5-old\r\n', 'x'.repeat(1_000), 'SSH-2.0-a\u0007\r\n']) {
    const client = await RawSsh.connect(port);
    client.write(bytes);
    await client.end().catch(() => {});
    client.close();
  }
  for (let round = 0; round < 200; round += 1) {
    const client = await RawSsh.connect(port);
    await client.sendVersion();
    if (round % 2 === 0) {
      client.write(randomBytes(1 + ((round * 7) % 300)));
      client.write(Buffer.alloc(70_000, round));
    } else {
      const init = client.kexInit();
      for (let at = 0; at < 3; at += 1) init[17 + ((round * 31 + at * 97) % (init.length - 17))]! ^= 1 + round;
      client.send(init);
      client.send(Message.kexExchange, sshString(randomBytes(round % 64)));
      client.write(Buffer.alloc(40_000));
    }
    assert.ok(typeof (await client.end()) === 'string');
    client.close();
  }
  const client = await ready();
  client.write(randomBytes(4_000));
  assert.ok(['closed', 'packet authentication failed', 'invalid packet length'].includes(await client.end()));
  const good = await inside();
  good.close();
});
