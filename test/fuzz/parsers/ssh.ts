import assert from 'node:assert/strict';
import { SshReader, sshString, uint32 } from '../../../src/core/ssh-fields.ts';
import { CIPHERS, MACS } from '../../../src/git-server/ssh/protocol/ciphers.ts';
import { KEY_EXCHANGES } from '../../../src/git-server/ssh/protocol/key-exchange.ts';
import { Message } from '../../../src/git-server/ssh/protocol/numbers.ts';
import type { Random } from '../../crash/random.ts';
import type { RawOptions } from '../../support/raw-ssh.ts';
import type { CorpusInput, Fuzzer, Subject } from './fuzzer.ts';
import { mutated, pieces, randomBytesOf } from './mutate.ts';
import { FuzzConnection, type FuzzedSsh, KEYS, signedRequest } from './ssh-connection.ts';

const EXCHANGES = Object.keys(KEY_EXCHANGES).filter((name) => !name.includes('libssh'));
const KINDS = [0, 255, 8, 22, 29, 32, 34, 49, 53, 60, 79, 83, ...Object.values(Message)];
/** Keys that a connection may try, and one. */
const TRIES = 19;

/** What is sent after a moment, message by message; bytes where there is no protocol yet. */
interface Script {
  after: 'connect' | 'keys' | 'login';
  strict: boolean;
  send: Buffer[];
}

function scriptOf({ bytes }: CorpusInput): Script {
  const {
    after,
    strict = true,
    send,
  } = JSON.parse(bytes.toString()) as {
    after: Script['after'];
    strict?: boolean;
    send: string[];
  };
  return { after, strict, send: send.map((hex) => Buffer.from(hex, 'hex')) };
}

function optionsOf(random: Random): RawOptions {
  // The other exchanges cost more, and differ in one message.
  const keyExchange = random.below(6) === 0 ? random.pick(EXCHANGES) : 'curve25519-sha256';
  const cipher = random.pick(Object.keys(CIPHERS));
  const mac = CIPHERS[cipher]!.guards ? '' : random.pick(Object.keys(MACS));
  return { keyExchange, strict: random.below(3) > 0, cipher, mac };
}

/** Signs in as somebody who is known. */
async function login(client: FuzzedSsh, random: Random): Promise<void> {
  client.send(Message.serviceRequest, sshString('ssh-userauth'));
  await client.expect(Message.serviceAccept);
  const request = signedRequest(KEYS[random.below(2)]!, 'git', client.sessionId);
  client.genuine.add(request.toString('hex'));
  client.send(request);
  await client.expect(Message.userauthSuccess);
}

const anyMessage = (random: Random): Buffer =>
  Buffer.concat([Buffer.from([random.pick(KINDS)]), randomBytesOf(random, random.pick([0, 4, 40, 2_000]))]);

/** A number for a length, a window or a channel. */
const anyNumber = (random: Random): Buffer =>
  uint32(random.pick([0, 1, 2, 9, 10, 255, 256, 32_768, 32_769, 65_536, 2 ** 21, 2 ** 31, 2 ** 32 - 1]));

/** A message of somebody who has signed in, right or nearly so. */
function sessionMessage(random: Random): Buffer {
  const channel = random.below(8) === 0 ? anyNumber(random) : uint32(random.below(2));
  const { channelRequest: request } = Message;
  const build: readonly (() => (Buffer | number)[])[] = [
    () => [Message.channelOpen, sshString('session'), anyNumber(random), anyNumber(random), anyNumber(random)],
    () => [Message.channelOpen, sshString('session'), uint32(0), uint32(2 ** 20), uint32(2 ** 15)],
    () => [Message.channelData, channel, sshString(Buffer.alloc(random.pick([0, 1, 1_000, 30_000])))],
    () => [Message.channelData, channel, anyNumber(random), randomBytesOf(random, 100)],
    () => [Message.channelExtendedData, channel, anyNumber(random), sshString('x')],
    () => [Message.channelWindowAdjust, channel, anyNumber(random)],
    () => [Message.channelEof, channel],
    () => [Message.channelClose, channel],
    () => [request, channel, sshString('exec'), 1, sshString(random.pick(['echo', 'read', 'flood', 'quit']))],
    () => [request, channel, sshString('shell'), 1],
    () => [request, channel, sshString('env'), 1, sshString('GIT_PROTOCOL'), sshString('version=2')],
    () => [request, channel, sshString(random.text(12)), random.below(2), randomBytesOf(random, 20)],
    () => [Message.globalRequest, sshString(random.pick(['keepalive', 'no-more-sessions@openssh.com', 'x'])), 1],
    () => [Message.ignore, sshString(randomBytesOf(random, 500))],
    () => [anyMessage(random)],
  ];
  const parts = random.pick(build)();
  const message = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
  return random.below(4) === 0 ? mutated(message, random) : message;
}

/** What somebody does who has signed in. The server asks for new keys in the middle of much output. */
async function session(client: FuzzedSsh, random: Random, options: RawOptions): Promise<void> {
  client.openSession(0, random.pick([0, 1, 70_000, 2 ** 21]));
  await client.expect(Message.channelOpenConfirmation);
  for (let left = 1 + random.below(12); left > 0; left -= 1) {
    if (random.below(8) === 0) await client.exchangeKeys(options);
    else client.send(sessionMessage(random));
  }
  client.stall(random.below(4) === 0);
  for (let payload = await client.next(); payload !== null; payload = await client.next()) {
    if (payload[0] === Message.kexInit) await client.exchangeKeys(options, payload);
  }
}

/** Changes one of the messages of a whole connection, or its place among them. */
function tamper(client: FuzzedSsh, random: Random, strict: boolean): void {
  const victim = random.below(9);
  const before = (payload: Buffer) => client.sessionId === undefined || payload[0] === Message.newKeys;
  let held: Buffer | undefined;
  const actions: readonly ((payload: Buffer) => readonly Buffer[])[] = [
    (payload) => [mutated(payload, random)],
    (payload) => [mutated(payload, random)],
    (payload) => [Buffer.concat([Buffer.from([random.pick(KINDS)]), payload.subarray(1)])],
    (payload) => [payload, payload],
    (payload) => [anyMessage(random), payload],
    (payload) => [payload, anyMessage(random)],
    () => [],
    (payload) => {
      held = payload;
      return [];
    },
  ];
  const act = random.pick(actions);
  client.change = (payload, n) => {
    if (n === victim) {
      const early = before(payload);
      const messages = act(payload);
      const moved = messages.length !== 1 && strict && early;
      // After NEWKEYS the first message under the new keys is not before them any more.
      if (moved && !(payload[0] === Message.newKeys && messages[0]?.equals(payload))) client.disordered = true;
      return messages.filter((each) => each.length > 0);
    }
    if (held === undefined) return [payload];
    const both = [payload, held];
    held = undefined;
    return both;
  };
}

/** Changes the bytes of a packet. */
function tamperWithBytes(client: FuzzedSsh, random: Random): void {
  const victim = random.below(9);
  const passed: Buffer[] = [];
  let followed = false;
  client.changeBytes = (packet, n) => {
    passed.push(packet);
    client.broken ||= followed;
    if (n !== victim) return [packet];
    const sealed = client.sessionId !== undefined && n > 2;
    const changed = random.pick([
      () => mutated(packet, random, passed),
      () => mutated(packet, random, passed),
      () => Buffer.concat([random.pick(passed), packet]),
      () => Buffer.concat([randomBytesOf(random, 64), packet]),
    ])();
    // What is all there counts, whatever comes after it; that is the beginning of the next one.
    const whole = changed.subarray(0, packet.length).equals(packet);
    client.broken ||= sealed && !whole;
    followed = sealed && whole && changed.length > packet.length;
    return pieces(changed, random);
  };
}

/** A whole connection of which something is changed. */
async function changedConnection(random: Random): Promise<void> {
  const connection = new FuzzConnection();
  const { client } = connection;
  const options = optionsOf(random);
  if (random.below(2) === 0) tamper(client, random, options.strict!);
  else tamperWithBytes(client, random);
  await connection.quiet(
    (async () => {
      await client.exchangeKeys(options);
      await login(client, random);
      await session(client, random, options);
    })(),
  );
  await connection.end();
}

/** A KEXINIT or a value that nobody's program would send, and that the client itself believes in. */
async function strangeExchange(random: Random): Promise<void> {
  const connection = new FuzzConnection();
  const { client } = connection;
  const options = optionsOf(random);
  const init = mutated(client.kexInit(options), random);
  await connection.quiet(client.exchangeKeys({ ...options, init: random.below(2) === 0 ? init : client.kexInit() }));
  await connection.end();
}

/** Bytes of a client that never gets as far as keys; in pieces, and sometimes without an end. */
async function bytesBeforeKeys(random: Random, scripts: readonly Script[]): Promise<void> {
  const connection = new FuzzConnection();
  const whole = scripts.filter(({ after }) => after === 'connect').map(({ send }) => Buffer.concat(send));
  const bytes = random.below(8) === 0 ? randomBytesOf(random, 2_000) : mutated(random.pick(whole), random, whole);
  await connection.quiet(
    (async () => {
      for (const piece of pieces(bytes, random)) connection.wire.write(piece);
      if (random.below(2) === 0) connection.wire.end();
      await connection.client.gone();
    })(),
  );
  assert.equal(connection.signedIn, 0);
  await connection.end();
}

/** Signs in by what is damaged, many times over one connection, and then by what is right. */
async function damagedProofs(random: Random): Promise<void> {
  const connection = new FuzzConnection();
  const { client } = connection;
  const key = random.pick(KEYS);
  const other = random.pick(KEYS.filter(({ secret }) => secret !== key.secret));
  await connection.quiet(
    (async () => {
      await client.exchangeKeys();
      client.send(Message.serviceRequest, sshString('ssh-userauth'));
      await client.expect(Message.serviceAccept);
      const request = signedRequest(key, 'git', client.sessionId);
      client.genuine.add(request.toString('hex'));
      for (let tries = random.below(TRIES); tries >= 0; tries -= 1) {
        const damaged = random.pick([
          () => mutated(request, random),
          () => flipped(request, random.below(request.length * 8)),
          () => signedRequest(key, 'git', randomBytesOf(random, 64)),
          () => signedRequest({ ...key, sign: (data) => other.sign(data) }, 'git', client.sessionId),
          () => signedRequest({ ...key, sign: (data) => lengthened(key.sign(data), random) }, 'git', client.sessionId),
        ])();
        if (damaged.equals(request) || damaged.length === 0) continue;
        client.send(damaged);
        if ((await client.next()) === null) return;
      }
      client.send(request);
      await client.expect(Message.userauthSuccess);
    })(),
  );
  await connection.end();
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

/** A signature with more bytes in it than it needs, where all lengths say so. */
function lengthened(signature: Buffer, random: Random): Buffer {
  const more = Buffer.concat([randomBytesOf(random, 8), Buffer.alloc(1)]);
  const fields = new SshReader(signature);
  const [format, value] = [fields.string(), fields.string()];
  const after = signature.subarray(fields.at);
  const [inside, behind] = random.below(2) === 0 ? [more, ''] : ['', more];
  return Buffer.concat([
    sshString(format),
    sshString(Buffer.concat([value, Buffer.from(inside)])),
    after,
    Buffer.from(behind),
  ]);
}

/** Sends what a script says, as it is or damaged. */
async function follow({ after, strict, send }: Script, random: Random, damage: boolean): Promise<void> {
  const connection = new FuzzConnection();
  const { client } = connection;
  await connection.quiet(
    (async () => {
      if (after !== 'connect') await client.exchangeKeys({ strict });
      if (after === 'login') await login(client, random);
      for (const each of send) {
        const message = damage && random.below(2) === 0 ? mutated(each, random, send) : each;
        if (after === 'connect') connection.wire.write(message);
        else if (message.length > 0) client.send(message);
      }
      await client.gone();
    })(),
  );
  assert.ok(after === 'login' || connection.signedIn === 0, 'signed in without a proof');
  await connection.end();
}

/** Everything at once, right to the end: if this fails, no case above is worth anything. */
async function rightConnection(options: RawOptions, key: (typeof KEYS)[number]): Promise<void> {
  const connection = new FuzzConnection();
  const { client } = connection;
  const work = (async () => {
    await client.exchangeKeys(options);
    client.send(Message.serviceRequest, sshString('ssh-userauth'));
    await client.expect(Message.serviceAccept);
    const request = signedRequest(key, 'git', client.sessionId);
    client.genuine.add(request.toString('hex'));
    client.send(request);
    await client.expect(Message.userauthSuccess);
    await client.exchangeKeys(options);
    client.openSession(0);
    await client.expect(Message.channelOpenConfirmation);
    client.request(0, 'exec', sshString('echo'));
    client.send(Message.channelData, uint32(0), sshString('all is well'));
    assert.equal((await client.expect(Message.channelData)).subarray(9).toString(), 'all is well');
  })();
  await connection.quiet(work);
  await work;
  await connection.end();
  assert.deepEqual([connection.signedIn, connection.commands], [1, ['echo']]);
}

/** The server's side of SSH, from the first byte of a stranger to the sessions of somebody who has signed in. */
export const ssh: Fuzzer = {
  name: 'ssh',
  cases: 100_000,
  caseMs: 1_000,
  async open(corpus): Promise<Subject> {
    const scripts = corpus.map(scriptOf);
    for (const keyExchange of EXCHANGES) await rightConnection({ keyExchange }, KEYS[0]!);
    for (const cipher of Object.keys(CIPHERS)) {
      for (const mac of CIPHERS[cipher]!.guards ? [''] : Object.keys(MACS)) {
        await rightConnection({ cipher, mac, strict: mac.length % 2 === 0 }, KEYS[0]!);
      }
    }
    for (const key of KEYS) await rightConnection({}, key);
    return {
      one: (random) => {
        const share = random.below(100);
        if (share < 30) return bytesBeforeKeys(random, scripts);
        if (share < 45) return strangeExchange(random);
        if (share < 75) return changedConnection(random);
        if (share < 92) return damagedProofs(random);
        return follow(random.pick(scripts), random, true);
      },
      replay: (each) => follow(scriptOf(each), { below: () => 0 } as unknown as Random, false),
    };
  },
};
