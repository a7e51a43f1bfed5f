import assert from 'node:assert/strict';
import * as crypto from 'node:crypto';
import {
  createECDH,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { SshReader, sshNumber, sshString, uint32 } from '../../src/core/ssh-fields.ts';
import { verifySshSignature } from '../../src/core/ssh-verify.ts';
import {
  keyLengths,
  type Opener,
  openerOf,
  PLAIN,
  type Sealer,
  sealerOf,
} from '../../src/git-server/ssh/protocol/ciphers.ts';
import { Message } from '../../src/git-server/ssh/protocol/numbers.ts';

const VERSION = 'SSH-2.0-Raw';
const CIPHER = 'aes128-gcm@openssh.com';
const MLKEM_PREFIX_BYTES = 22;
/** Curves and hashes of RFC 5656. */
const NIST: Readonly<Record<string, { curve: string; digest: string }>> = {
  'ecdh-sha2-nistp256': { curve: 'prime256v1', digest: 'sha256' },
  'ecdh-sha2-nistp384': { curve: 'secp384r1', digest: 'sha384' },
  'ecdh-sha2-nistp521': { curve: 'secp521r1', digest: 'sha512' },
};

export interface RawOptions {
  /** `curve25519-sha256` when absent. */
  keyExchange?: string;
  strict?: boolean;
  cipher?: string;
  mac?: string;
  /** KEXINIT itself, in the place of one that says what the others say. */
  init?: Buffer;
}

/** A client that sends whatever it is told, in whatever order: what no real one would. */
export class RawSsh {
  readonly #socket: Duplex;
  #input = Buffer.alloc(0);
  #wake: () => void = () => {};
  #closed = false;
  #sealer: Sealer = PLAIN;
  #opener: Opener = PLAIN;
  #out = 0;
  #in = 0;
  #version: string | undefined;
  #sessionId: Buffer | undefined;

  /** @param socket to the server, in whatever state */
  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** @param from the address of this machine that it comes from: any of 127.0.0.0/8 */
  static async connect(port: number, from = '127.0.0.1'): Promise<RawSsh> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const client = new RawSsh(socket);
    await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
    return client;
  }

  /** Bytes that are no message. */
  write(bytes: Buffer | string): void {
    this.#socket.write(bytes);
  }

  /** Takes nothing from the server any more, or does again. */
  stall(stalled: boolean): void {
    if (stalled) this.#socket.pause();
    else this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  send(...parts: (Buffer | number)[]): void {
    const whole = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
    for (const payload of this.onMessage(whole)) {
      const packet = this.#sealer.seal(payload, this.#out);
      this.#out = (this.#out + 1) >>> 0;
      for (const bytes of this.onPacket(packet)) this.#socket.write(bytes);
    }
  }

  /** What is sent in the place of a message. */
  protected onMessage(payload: Buffer): readonly Buffer[] {
    return [payload];
  }

  /** What goes over the wire in the place of a packet. */
  protected onPacket(packet: Buffer): readonly Buffer[] {
    return [packet];
  }

  /** Id of the session, once there are keys. */
  get sessionId(): Buffer {
    return this.#sessionId!;
  }

  async #more(): Promise<boolean> {
    if (this.#closed) return false;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return true;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#input.indexOf(10);
      if (end !== -1) {
        const line = this.#input.subarray(0, end).toString().trim();
        this.#input = this.#input.subarray(end + 1);
        return line;
      }
      assert.ok(await this.#more(), 'the server has closed the connection');
    }
  }

  /** The next message; null once the server has closed the connection. */
  async next(): Promise<Buffer | null> {
    const { headBytes } = this.#opener;
    while (this.#input.length < headBytes) if (!(await this.#more())) return null;
    const length = this.#opener.lengthOf(this.#input.subarray(0, headBytes));
    while (this.#input.length < length) if (!(await this.#more())) return null;
    const payload = this.#opener.open(this.#input.subarray(0, length), this.#in);
    this.#input = this.#input.subarray(length);
    this.#in = (this.#in + 1) >>> 0;
    return payload;
  }

  /** The next message of a kind; others are passed over. @throws where the server closes the connection before */
  async expect(kind: number): Promise<Buffer> {
    for (;;) {
      const payload = await this.next();
      assert.ok(payload !== null, `closed before message ${kind}`);
      if (payload[0] === kind) return payload;
      assert.notEqual(payload[0], Message.disconnect, `disconnected: ${payload.subarray(5).toString('latin1')}`);
    }
  }

  /** Waits until the server has closed the connection. */
  async gone(): Promise<void> {
    while (await this.#more());
  }

  /** Text with which the server ends the connection. */
  async end(): Promise<string> {
    for (;;) {
      const payload = await this.next();
      if (payload === null) return 'closed';
      if (payload[0] === Message.disconnect) return new SshReader(payload, 5).text();
    }
  }

  /** @returns how the server calls itself */
  async sendVersion(): Promise<string> {
    this.#socket.write(`${VERSION}\r\n`);
    this.#version = await this.#line();
    return this.#version;
  }

  /** @returns KEXINIT as this client sends it */
  kexInit({ keyExchange = 'curve25519-sha256', strict = true, cipher = CIPHER, mac = '' }: RawOptions = {}): Buffer {
    const kex = [keyExchange, 'ext-info-c', ...(strict ? ['kex-strict-c-v00@openssh.com'] : [])].join(',');
    const lists = [kex, 'ssh-ed25519', cipher, cipher, mac, mac, 'none', 'none', '', ''];
    const cookie = crypto.randomBytes(16);
    return Buffer.concat([Buffer.from([Message.kexInit]), cookie, ...lists.map(sshString), Buffer.alloc(1), uint32(0)]);
  }

  /** Agrees on keys, for the first time or again. @param theirs the server's KEXINIT, where it has come already */
  async exchangeKeys(options: RawOptions = {}, theirs?: Buffer): Promise<void> {
    if (this.#version === undefined) await this.sendVersion();
    const { keyExchange = 'curve25519-sha256', cipher = CIPHER, mac = '' } = options;
    const mine = options.init ?? this.kexInit(options);
    this.send(mine);
    const init = theirs ?? (await this.expect(Message.kexInit));
    const value = makeValue(keyExchange);
    this.send(Message.kexExchange, sshString(value.sent));
    const reply = new SshReader(await this.expect(Message.kexReply), 1);
    const [hostKey, answer, signature] = [reply.string(), reply.string(), reply.string()];
    const secret = value.secret(answer);
    const parts = [VERSION, this.#version!, mine, init, hostKey, value.sent, answer].map(sshString);
    const algorithm = NIST[keyExchange]?.digest ?? 'sha256';
    const digest = hash(algorithm, Buffer.concat([...parts, secret]), 'buffer');
    assert.ok(verifySshSignature(hostKey, signature, digest), 'the server proves who it is');
    await this.expect(Message.newKeys);
    this.send(Message.newKeys);
    this.#sessionId ??= digest;
    const derive = (letter: string, length: number) => {
      let key = hash(algorithm, Buffer.concat([secret, digest, Buffer.from(letter), this.#sessionId!]), 'buffer');
      while (key.length < length) {
        key = Buffer.concat([key, hash(algorithm, Buffer.concat([secret, digest, key]), 'buffer')]);
      }
      return key.subarray(0, length);
    };
    const lengths = keyLengths(cipher, mac);
    const keys = (iv: string, key: string, macKey: string) => ({
      iv: derive(iv, lengths.iv),
      key: derive(key, lengths.key),
      macKey: derive(macKey, lengths.macKey),
    });
    this.#sealer = sealerOf(cipher, mac, keys('A', 'C', 'E'));
    this.#opener = openerOf(cipher, mac, keys('B', 'D', 'F'));
    if (options.strict !== false) [this.#in, this.#out] = [0, 0];
  }

  /** Asks to sign in. @param signedWith what the client signs in the place of this session */
  requestLogin(key: KeyObject, user = 'git', signedWith = this.#sessionId!): void {
    const blob = publicBlob(key);
    const request = Buffer.concat([
      Buffer.from([Message.userauthRequest]),
      ...[user, 'ssh-connection', 'publickey'].map(sshString),
      Buffer.from([1]),
      sshString('ssh-ed25519'),
      sshString(blob),
    ]);
    const signature = sign(null, Buffer.concat([sshString(signedWith), request]), key);
    this.send(request, sshString(Buffer.concat([sshString('ssh-ed25519'), sshString(signature)])));
  }

  async login(key: KeyObject): Promise<void> {
    this.send(Message.serviceRequest, sshString('ssh-userauth'));
    await this.expect(Message.serviceAccept);
    this.requestLogin(key);
    await this.expect(Message.userauthSuccess);
  }

  openSession(id: number, window = 1_048_576): void {
    this.send(Message.channelOpen, sshString('session'), uint32(id), uint32(window), uint32(32_768));
  }

  request(id: number, type: string, ...rest: Buffer[]): void {
    this.send(Message.channelRequest, uint32(id), sshString(type), Buffer.from([1]), ...rest);
  }
}

/** The public half of an Ed25519 key, as it goes over the wire. */
export function publicBlob(key: KeyObject): Buffer {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.concat([sshString('ssh-ed25519'), sshString(Buffer.from(x!, 'base64url'))]);
}

function makeValue(kind: string): { sent: Buffer; secret: (answer: Buffer) => Buffer } {
  const nist = NIST[kind];
  if (nist !== undefined) {
    const mine = createECDH(nist.curve);
    return { sent: mine.generateKeys(), secret: (answer) => sshNumber(mine.computeSecret(answer)) };
  }
  const pair = generateKeyPairSync('x25519');
  const mine = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const classic = (answer: Buffer) => {
    const key = { kty: 'OKP', crv: 'X25519', x: answer.toString('base64url') };
    return diffieHellman({ privateKey: pair.privateKey, publicKey: createPublicKey({ key, format: 'jwk' }) });
  };
  if (kind === 'curve25519-sha256') return { sent: mine, secret: (answer) => sshNumber(classic(answer)) };
  const lattice = generateKeyPairSync('ml-kem-768');
  const public_ = lattice.publicKey.export({ format: 'der', type: 'spki' }).subarray(MLKEM_PREFIX_BYTES);
  return {
    sent: Buffer.concat([public_, mine]),
    secret: (answer) => {
      const shared = crypto.decapsulate(lattice.privateKey, answer.subarray(0, 1_088));
      return sshString(hash('sha256', Buffer.concat([shared, classic(answer.subarray(1_088))]), 'buffer'));
    },
  };
}
