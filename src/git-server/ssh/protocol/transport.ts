import type { Socket } from 'node:net';
import { sshString, uint32 } from '../../../core/ssh-fields.ts';
import { SSH_SIGNATURES } from '../../../core/ssh-verify.ts';
import { type Opener, PLAIN, type Sealer } from './ciphers.ts';
import type { HostKey } from './host-key.ts';
import { Message, Reason, SshError } from './numbers.ts';
import { Rekeying } from './rekeying.ts';

const VERSION = 'SSH-2.0-Stithy';
/** RFC 4253, section 4.2. */
const MAX_VERSION = 255;
/** Number of bytes and packets after which the server renegotiates keys. */
const REKEY_BYTES = 16 * 1024 ** 3;
const REKEY_PACKETS = 2 ** 30;
/** Timeout for the key exchange in milliseconds. */
const REKEY_MS = 60_000;
/** A client that requests new keys before this many bytes is rate limited. */
const WORTH_KEYS = 256 * 1024;
/** Maximum number of messages held during a key exchange. Only replies are held. */
const MAX_HELD = 1_000;
/** Timeout in milliseconds for the client to receive data written before the close. */
const END_MS = 5_000;
/** Number of unsent bytes above which the client's input is not read. */
const MAX_UNSENT = 1024 * 1024;

/** Handlers of the layer above the encrypted connection. */
export interface TransportHandlers {
  /**
   * @param payload the whole message, its number first. The result is awaited before the next message.
   * @throws SshError, RangeError
   */
  message(kind: number, payload: Buffer): undefined | Promise<void>;
  /** The client can receive more. */
  drained(): void;
  /** Called once when the connection is closed. @param why an SshError for a client error, null for a disconnect */
  closed(why: unknown): void;
}

export interface TransportSettings {
  hostKeys: readonly HostKey[];
  /** Number of bytes after which keys are renegotiated. */
  rekeyBytes?: number;
  /** Whether the client may rekey although little data was sent with the current keys. Always allowed if absent. */
  mayRekey?: () => boolean;
}

/** Server side of an encrypted connection (RFC 4253): versions, keys, packets. Messages are handled one at a time. */
export class Transport {
  readonly #socket: Socket;
  readonly #settings: TransportSettings;
  readonly #upper: TransportHandlers;
  #input: Buffer = Buffer.alloc(0);
  #working = false;
  #clientVersion: string | undefined;
  #opener: Opener = PLAIN;
  #sealer: Sealer = PLAIN;
  /** Length of the partially received packet. */
  #expected: number | undefined;
  #sequenceIn = 0;
  #sequenceOut = 0;
  #sessionId: Buffer | undefined;
  #rekeying: Rekeying | undefined;
  #rekeyTimer: NodeJS.Timeout | undefined;
  #strict = false;
  /** Messages to send after the key exchange. */
  #held: Buffer[] | undefined;
  /** Bytes sent and received with the current keys. */
  #bytes = 0;
  #packets = 0;
  /** Whether the client is authenticated. */
  #trusted = false;
  #over = false;

  constructor(socket: Socket, settings: TransportSettings, upper: TransportHandlers) {
    this.#socket = socket;
    this.#settings = settings;
    this.#upper = upper;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      if (this.#over) return;
      this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
      void this.#work();
    });
    socket.on('drain', () => upper.drained());
    socket.on('error', () => {});
    socket.on('close', () => this.#end(null));
    socket.write(`${VERSION}\r\n`);
  }

  /** Marks the client as authenticated, which allows it to rekey. */
  trust(): void {
    this.#trusted = true;
  }

  /** Session id of the first key exchange. Set before the upper layer gets its first message. */
  get sessionId(): Buffer {
    return this.#sessionId!;
  }

  /** Whether unsolicited data may be sent. */
  get writable(): boolean {
    return !this.#over && this.#held === undefined && !this.#socket.writableNeedDrain;
  }

  /** Sends a message, or holds it until keys are available. */
  send(...parts: readonly (Buffer | number)[]): void {
    if (this.#over) return;
    const payload = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
    if (this.#held === undefined) {
      this.#write(payload);
      if (this.#bytes > (this.#settings.rekeyBytes ?? REKEY_BYTES) || this.#packets > REKEY_PACKETS) this.#rekey();
    } else if (this.#held.push(payload) > MAX_HELD) {
      this.fail(new SshError('too many messages during the key exchange'));
    }
  }

  /**
   * Informs the client and closes the connection.
   * @param error errors other than SshError and RangeError are internal errors
   */
  fail(error: unknown): void {
    if (this.#over) return;
    const unread = error instanceof RangeError ? new SshError('malformed message') : error;
    const sshError = unread instanceof SshError ? unread : new SshError('internal server error', Reason.byApplication);
    if (this.#clientVersion !== undefined) {
      const text = sshString(sshError.message.slice(0, 200));
      this.#write(Buffer.concat([Buffer.from([Message.disconnect]), uint32(sshError.reason), text, sshString('')]));
    }
    this.#end(unread);
  }

  #end(why: unknown): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#rekeyTimer);
    this.#input = Buffer.alloc(0);
    this.#held = undefined;
    // Written data is still sent, without waiting for a client that does not receive it.
    this.#socket.end();
    this.#socket.destroySoon();
    if (!this.#socket.closed) {
      const late = setTimeout(() => this.#socket.destroy(), END_MS).unref();
      this.#socket.once('close', () => clearTimeout(late));
    }
    this.#upper.closed(why);
  }

  #write(payload: Buffer): void {
    const packet = this.#sealer.seal(payload, this.#sequenceOut);
    this.#sequenceOut = (this.#sequenceOut + 1) >>> 0;
    this.#bytes += packet.length;
    this.#packets += 1;
    this.#socket.write(packet);
  }

  /** Handles received messages one at a time. Reads no input while a handler is running. */
  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      if (this.#clientVersion === undefined && !this.#readVersion()) return;
      for (let payload = this.#next(); payload !== undefined && !this.#over; payload = this.#next()) {
        const waits = this.#receive(payload);
        if (waits === undefined && this.#socket.writableLength < MAX_UNSENT) continue;
        this.#socket.pause();
        await waits;
        if (this.#socket.writableLength >= MAX_UNSENT) await this.#taken();
        this.#socket.resume();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.#working = false;
    }
  }

  #taken(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off('drain', done).off('close', done);
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
      if (!this.#socket.writableNeedDrain || this.#socket.destroyed) done();
    });
  }

  #readVersion(): boolean {
    const end = this.#input.indexOf(10);
    if (end === -1 ? this.#input.length > MAX_VERSION : end > MAX_VERSION)
      throw new SshError('unsupported protocol version');
    if (end === -1) return false;
    const line = this.#input.subarray(0, end).toString('latin1').replace(/\r$/, '');
    if (!/^SSH-(?:2\.0|1\.99)-[\x20-\x7e]*$/.test(line)) throw new SshError('unsupported protocol version');
    this.#input = this.#input.subarray(end + 1);
    this.#clientVersion = line;
    this.#rekey();
    return true;
  }

  /** The next message, once it is complete. */
  #next(): Buffer | undefined {
    const { headBytes } = this.#opener;
    if (this.#expected === undefined) {
      if (this.#input.length < headBytes) return undefined;
      this.#expected = this.#opener.lengthOf(this.#input.subarray(0, headBytes));
    }
    if (this.#input.length < this.#expected) return undefined;
    const packet = this.#input.subarray(0, this.#expected);
    this.#input = this.#input.subarray(this.#expected);
    this.#expected = undefined;
    this.#bytes += packet.length;
    const payload = this.#opener.open(packet, this.#sequenceIn);
    this.#sequenceIn = (this.#sequenceIn + 1) >>> 0;
    return payload;
  }

  #receive(payload: Buffer): undefined | Promise<void> {
    const kind = payload[0]!;
    if (kind === Message.kexInit) return this.#begin(payload);
    if (kind === Message.newKeys) return this.#newKeysIn();
    // With strict key exchange, no other messages are allowed during the first exchange.
    const initial = this.#sessionId === undefined || this.#opener === PLAIN;
    if (kind >= 30 && kind < 50) return this.#exchange(payload);
    if (kind === Message.disconnect) {
      this.#end(null);
      return undefined;
    }
    if (initial && this.#strict) throw new SshError('unexpected message during the key exchange');
    if (kind === Message.ignore || kind === Message.debug || kind === Message.unimplemented) return undefined;
    if (initial || this.#rekeying?.begun) throw new SshError('message received before the key exchange');
    if (kind === Message.extInfo) return undefined;
    return this.#upper.message(kind, payload);
  }

  /** Starts a key exchange. No other message is sent until it ends. */
  #rekey(): void {
    if (this.#rekeying !== undefined || this.#over) return;
    this.#rekeying = new Rekeying(this.#settings.hostKeys, { client: this.#clientVersion!, server: VERSION });
    this.#write(this.#rekeying.init);
    this.#held = [];
    const late = () => this.fail(new SshError('key exchange timed out', Reason.keyExchangeFailed));
    this.#rekeyTimer = setTimeout(late, REKEY_MS).unref();
  }

  #begin(payload: Buffer): undefined {
    // Key exchanges cost the server more than the client.
    if (this.#rekeying === undefined) {
      if (!this.#trusted) throw new SshError('rekeying requires authentication');
      if (this.#bytes < WORTH_KEYS && this.#settings.mayRekey?.() === false) {
        throw new SshError('rekeying requested too often');
      }
    }
    this.#rekey();
    const { strict } = this.#rekeying!.begin(payload);
    if (this.#sessionId !== undefined) return;
    this.#strict = strict;
    if (strict && this.#sequenceIn !== 1) throw new SshError('unexpected message during the key exchange');
  }

  #exchange(payload: Buffer): undefined {
    if (this.#rekeying === undefined) throw new SshError('unexpected key exchange message');
    const agreed = this.#rekeying.exchange(payload);
    if (agreed === undefined) return;
    this.#write(agreed.reply);
    this.#write(Buffer.from([Message.newKeys]));
    const first = this.#sessionId === undefined;
    this.#sessionId ??= agreed.hash;
    this.#sealer = agreed.sealer(this.#sessionId);
    if (this.#strict) this.#sequenceOut = 0;
    this.#bytes = 0;
    this.#packets = 0;
    if (first && agreed.choice.extensions) {
      const algorithms = sshString(SSH_SIGNATURES.join(','));
      this.#write(Buffer.concat([Buffer.from([Message.extInfo]), uint32(1), sshString('server-sig-algs'), algorithms]));
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const each of held) this.#write(each);
    this.#upper.drained();
  }

  #newKeysIn(): undefined {
    const agreed = this.#rekeying?.agreed;
    if (agreed === undefined) throw new SshError('unexpected NEWKEYS message');
    this.#opener = agreed.opener(this.#sessionId!);
    if (this.#strict) this.#sequenceIn = 0;
    this.#rekeying = undefined;
    clearTimeout(this.#rekeyTimer);
  }
}
