import assert from 'node:assert/strict';
import * as crypto from 'node:crypto';
import { createPublicKey, diffieHellman, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { SshReader, sshNumber, sshString, uint32 } from '../../src/core/ssh-fields.ts';
import { verifySshSignature } from '../../src/core/ssh-verify.ts';
import { type Opener, openerOf, PLAIN, type Sealer, sealerOf } from '../../src/git-server/ssh/protocol/ciphers.ts';
import { Message } from '../../src/git-server/ssh/protocol/numbers.ts';

const VERSION = 'SSH-2.0-Raw';
const CIPHER = 'aes128-gcm@openssh.com';
const MLKEM_PREFIX_BYTES = 22;

export interface RawOptions {
  keyExchange?: 'curve25519-sha256' | 'mlkem768x25519-sha256';
  strict?: boolean;
}

/** A client that sends whatever it is told, in whatever order: what no real one would. */
export class RawSsh {
  readonly #socket: Socket;
  #input = Buffer.alloc(0);
  #wake: () => void = () => {};
  #closed = false;
  #sealer: Sealer = PLAIN;
  #opener: Opener = PLAIN;
  #out = 0;
  #in = 0;
  #version: string | undefined;
  #sessionId: Buffer | undefined;

  private constructor(socket: Socket) {
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

  static async connect(port: number): Promise<RawSsh> {
    const socket = connect({ port, host: '127.0.0.1' });
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
    const payload = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
    this.#socket.write(this.#sealer.seal(payload, this.#out));
    this.#out = (this.#out + 1) >>> 0;
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
  kexInit({ keyExchange = 'curve25519-sha256', strict = true }: RawOptions = {}): Buffer {
    const kex = [keyExchange, 'ext-info-c', ...(strict ? ['kex-strict-c-v00@openssh.com'] : [])].join(',');
    const lists = [kex, 'ssh-ed25519', CIPHER, CIPHER, '', '', 'none', 'none', '', ''];
    const cookie = crypto.randomBytes(16);
    return Buffer.concat([Buffer.from([Message.kexInit]), cookie, ...lists.map(sshString), Buffer.alloc(1), uint32(0)]);
  }

  /** Agrees on keys, for the first time or again. @param theirs the server's KEXINIT, where it has come already */
  async exchangeKeys(options: RawOptions = {}, theirs?: Buffer): Promise<void> {
    if (this.#version === undefined) await this.sendVersion();
    const mine = this.kexInit(options);
    this.send(mine);
    const init = theirs ?? (await this.expect(Message.kexInit));
    const value = makeValue(options.keyExchange ?? 'curve25519-sha256');
    this.send(Message.kexExchange, sshString(value.sent));
    const reply = new SshReader(await this.expect(Message.kexReply), 1);
    const [hostKey, answer, signature] = [reply.string(), reply.string(), reply.string()];
    const secret = value.secret(answer);
    const parts = [VERSION, this.#version!, mine, init, hostKey, value.sent, answer].map(sshString);
    const digest = hash('sha256', Buffer.concat([...parts, secret]), 'buffer');
    assert.ok(verifySshSignature(hostKey, signature, digest), 'the server proves who it is');
    await this.expect(Message.newKeys);
    this.send(Message.newKeys);
    this.#sessionId ??= digest;
    const derive = (letter: string) =>
      hash('sha256', Buffer.concat([secret, digest, Buffer.from(letter), this.#sessionId!]), 'buffer');
    const keys = (iv: string, key: string) => ({
      iv: derive(iv).subarray(0, 12),
      key: derive(key).subarray(0, 16),
      macKey: Buffer.alloc(0),
    });
    this.#sealer = sealerOf(CIPHER, '', keys('A', 'C'));
    this.#opener = openerOf(CIPHER, '', keys('B', 'D'));
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
