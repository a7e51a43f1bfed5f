import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { publicBlob, RawSsh } from '../../../../test/support/raw-ssh.ts';
import { SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { makeSshKeyPair } from '../../../core/ssh-key-pair.ts';
import { readPrivateKey } from '../private-key-file.ts';
import { hostKeyOf } from './host-key.ts';
import { Message } from './numbers.ts';
import { Connection } from './ssh.connection.ts';

const known = generateKeyPairSync('ed25519').privateKey;
const host = readPrivateKey(makeSshKeyPair('x').privateKey);
const MiB = 1024 * 1024;
let server: Server;
let port: number;
const sockets: Socket[] = [];
let commands: (string | null)[] = [];

before(async () => {
  server = createServer((socket) => {
    sockets.push(socket);
    new Connection<string>(
      socket,
      { hostKeys: [hostKeyOf(host.key, host.blob)] },
      {
        find: async ({ blob }) => (blob.equals(publicBlob(known)) ? 'me' : undefined),
        signedIn: () => {},
        run: (_identity, { line, channel }) => {
          commands.push(line);
          if (line === 'flood') channel.output.write(Buffer.alloc(64 * MiB));
        },
        closed: () => {},
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
after(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
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

test('nothing weak is offered, and the greeting tells no version', async () => {
  const client = await RawSsh.connect(port);
  assert.equal(await client.sendVersion(), 'SSH-2.0-Stithy');
  const offer = new SshReader(await client.expect(Message.kexInit), 17);
  const lists = Array.from({ length: 10 }, () => offer.names());
  const [keyExchanges, hostKeys, ciphers, , macs] = lists;
  assert.deepEqual(keyExchanges!.at(-1), 'kex-strict-s-v00@openssh.com');
  assert.deepEqual(hostKeys, ['ssh-ed25519']);
  assert.ok(ciphers!.length > 0 && macs!.length > 0);
  for (const name of lists.flat()) {
    assert.doesNotMatch(name, /sha1|md5|cbc|arcfour|3des|group(?:1|14|-exchange)|ssh-rsa|ssh-dss|umac-64|zlib/);
  }
  client.close();
});

test('packets that say they are huge are refused by their length alone', async () => {
  for (const length of [35_001, 1_048_576, 0x7fff_ffff, 0xffff_ffff, 0]) {
    const plain = await RawSsh.connect(port);
    await plain.sendVersion();
    plain.write(uint32(length));
    assert.equal(await plain.end(), 'invalid packet length', `${length} before keys`);
    const sealed = await inside();
    sealed.write(Buffer.concat([uint32(length), randomBytes(100)]));
    assert.equal(await sealed.end(), 'invalid packet length', `${length} with keys`);
  }
});

test('a stranger exchanges keys once; who has signed in may do it again and again', async () => {
  const stranger = await ready();
  stranger.send(stranger.kexInit());
  assert.equal(await stranger.end(), 'rekeying requires authentication');
  const client = await inside();
  for (let round = 0; round < 30; round += 1) await client.exchangeKeys();
  client.openSession(0);
  await client.expect(Message.channelOpenConfirmation);
  client.close();
});

test('channels without end, of a client that takes no answer, are read no further', async () => {
  const client = await inside();
  const socket = sockets.at(-1)!;
  // What is written waits, as for a client that takes nothing.
  socket.cork();
  for (let sent = 0; !socket.isPaused(); sent += 1_000) {
    assert.ok(sent < 100_000, `${socket.writableLength} bytes wait for the client`);
    for (let id = 0; id < 1_000; id += 1) client.openSession(id);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(socket.writableLength < 2 * MiB, `${socket.writableLength} bytes wait for the client`);
  socket.uncork();
  await client.expect(Message.channelOpenConfirmation);
  await client.expect(Message.channelOpenFailure);
  client.close();
});

test('a window that is never opened holds one piece, and the next client is served', async () => {
  const client = await inside();
  const socket = sockets.at(-1)!;
  for (let id = 0; id < 10; id += 1) client.openSession(id, 0);
  for (let id = 0; id < 10; id += 1) {
    await client.expect(Message.channelOpenConfirmation);
    client.request(id, 'exec', sshString('flood'));
  }
  for (let id = 0; id < 10; id += 1) await client.expect(Message.channelSuccess);
  assert.ok(socket.writableLength < MiB);
  const other = await inside();
  other.openSession(0, 10);
  await other.expect(Message.channelOpenConfirmation);
  other.request(0, 'exec', sshString('flood'));
  assert.equal((await other.expect(Message.channelData)).length - 9, 10);
  other.close();
  client.close();
});

test('there is no forwarding of any kind, no terminal, no subsystem, no other variable, and one command a session', async () => {
  const client = await inside();
  commands = [];
  for (const type of [
    'direct-tcpip',
    'forwarded-tcpip',
    'direct-streamlocal@openssh.com',
    'tun@openssh.com',
    'x11',
    'auth-agent@openssh.com',
  ]) {
    client.send(Message.channelOpen, sshString(type), uint32(7), uint32(1_000), uint32(1_000));
    assert.equal(new SshReader(await client.expect(Message.channelOpenFailure), 1).uint32(), 7, type);
  }
  for (const name of ['tcpip-forward', 'cancel-tcpip-forward', 'streamlocal-forward@openssh.com', 'hostkeys-prove']) {
    client.send(Message.globalRequest, sshString(name), Buffer.from([1]), sshString('0.0.0.0'), uint32(22));
    await client.expect(Message.requestFailure);
  }
  client.openSession(0);
  await client.expect(Message.channelOpenConfirmation);
  for (const name of ['LD_PRELOAD', 'GIT_SSH_COMMAND', 'GIT_CONFIG_COUNT', 'PATH', 'git_protocol']) {
    client.request(0, 'env', sshString(name), sshString('x'));
    await client.expect(Message.channelFailure);
  }
  client.request(0, 'env', sshString('GIT_PROTOCOL'), sshString('x'.repeat(5_000)));
  await client.expect(Message.channelFailure);
  for (const type of ['pty-req', 'subsystem', 'x11-req', 'auth-agent-req@openssh.com', 'signal', 'window-change']) {
    client.request(0, type, sshString('sftp'));
    await client.expect(Message.channelFailure);
  }
  client.request(0, 'exec', sshString('one'));
  await client.expect(Message.channelSuccess);
  for (const type of ['exec', 'shell', 'env']) {
    client.request(0, type, sshString('GIT_PROTOCOL'), sshString('x'));
    await client.expect(Message.channelFailure);
  }
  assert.deepEqual(commands, ['one']);
  client.close();
});
