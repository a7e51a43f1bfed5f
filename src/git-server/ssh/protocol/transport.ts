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
/** After so much with the same keys new ones are agreed on. */
const REKEY_BYTES = 16 * 1024 ** 3;
const REKEY_PACKETS = 2 ** 30;
/** Milliseconds that the client may take to agree on keys. */
const REKEY_MS = 60_000;
/** A client that asks for new keys before so many bytes have used the old ones does so for no good reason. */
const WORTH_KEYS = 256 * 1024;
/** Messages that wait for keys to be agreed on; only answers do. */
const MAX_HELD = 1_000;
/** Milliseconds that a client may take for what was written before the end. */
const END_MS = 5_000;
/** A client that does not take what it asked for is not read from, once so many bytes wait for it. */
const MAX_UNSENT = 1024 * 1024;

/** What stands on top of the encrypted connection. */
export interface TransportHandlers {
  /** @param payload the whole message, its kind first. What it gives is waited for before the next. @throws SshError, RangeError */
  message(kind: number, payload: Buffer): undefined | Promise<void>;
  /** The client takes more. */
  drained(): void;
  /** Once, when the connection is over. @param why an SshError where the client did wrong; null where it has left */
  closed(why: unknown): void;
}

export interface TransportSettings {
  hostKeys: readonly HostKey[];
  /** After so many bytes with the same keys new ones are agreed on. */
  rekeyBytes?: number;
  /** Whether the client may have new keys though little was sent with the old ones; as often as it likes when absent. */
  mayRekey?: () => boolean;
}

/**
 * The server's side of one encrypted connection (RFC 4253): versions, keys, packets. Messages come one after the other,
 * each when the one before is done.
 */
export class Transport {
  readonly #socket: Socket;
  readonly #settings: TransportSettings;
  readonly #upper: TransportHandlers;
  #input: Buffer = Buffer.alloc(0);
  #working = false;
  #clientVersion: string | undefined;
  #opener: Opener = PLAIN;
  #sealer: Sealer = PLAIN;
  /** Length of the packet that has begun to come. */
  #expected: number | undefined;
  #sequenceIn = 0;
  #sequenceOut = 0;
  #sessionId: Buffer | undefined;
  #rekeying: Rekeying | undefined;
  #rekeyTimer: NodeJS.Timeout | undefined;
  #strict = false;
  /** What is sent once there are new keys. */
  #held: Buffer[] | undefined;
  /** With the keys in use. */
  #bytes = 0;
  #packets = 0;
  /** Whether the client has signed in. */
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

  /** The client has signed in: from here on they may ask for new keys. */
  trust(): void {
    this.#trusted = true;
  }

  /** Of the first exchange of keys; there is one when the upper half gets its first message. */
  get sessionId(): Buffer {
    return this.#sessionId!;
  }

  /** Whether more may be sent that nobody has asked for yet. */
  get writable(): boolean {
    return !this.#over && this.#held === undefined && !this.#socket.writableNeedDrain;
  }

  /** Sends a message, once there are keys for it. */
  send(...parts: readonly (Buffer | number)[]): void {
    if (this.#over) return;
    const payload = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
    if (this.#held === undefined) {
      this.#write(payload);
      if (this.#bytes > (this.#settings.rekeyBytes ?? REKEY_BYTES) || this.#packets > REKEY_PACKETS) this.#rekey();
    } else if (this.#held.push(payload) > MAX_HELD) {
      this.fail(new SshError('too much is asked for while keys are exchanged'));
    }
  }

  /** Tells the client why, and ends the connection. @param error anything but an SshError or a RangeError is the server's own fault */
  fail(error: unknown): void {
    if (this.#over) return;
    const unread = error instanceof RangeError ? new SshError('a message that cannot be read') : error;
    const told = unread instanceof SshError ? unread : new SshError('internal server error', Reason.byApplication);
    if (this.#clientVersion !== undefined) {
      const text = sshString(told.message.slice(0, 200));
      this.#write(Buffer.concat([Buffer.from([Message.disconnect]), uint32(told.reason), text, sshString('')]));
    }
    this.#end(unread);
  }

  #end(why: unknown): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#rekeyTimer);
    this.#input = Buffer.alloc(0);
    this.#held = undefined;
    // What was written goes out; a client that does not take it is not waited for.
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

  /** Does what has come, message by message; while something is waited for nothing more is read. */
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
    if (end === -1 ? this.#input.length > MAX_VERSION : end > MAX_VERSION) throw new SshError('no version of SSH');
    if (end === -1) return false;
    const line = this.#input.subarray(0, end).toString('latin1').replace(/\r$/, '');
    if (!/^SSH-(?:2\.0|1\.99)-[\x20-\x7e]*$/.test(line)) throw new SshError('no version of SSH');
    this.#input = this.#input.subarray(end + 1);
    this.#clientVersion = line;
    this.#rekey();
    return true;
  }

  /** The next message, once all of it is there. */
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
    // In the first exchange nothing may come in between where both sides keep to that.
    const initial = this.#sessionId === undefined || this.#opener === PLAIN;
    if (kind >= 30 && kind < 50) return this.#exchange(payload);
    if (kind === Message.disconnect) {
      this.#end(null);
      return undefined;
    }
    if (initial && this.#strict) throw new SshError('a message in the middle of the key exchange');
    if (kind === Message.ignore || kind === Message.debug || kind === Message.unimplemented) return undefined;
    if (initial || this.#rekeying?.begun) throw new SshError('a message before there are keys');
    if (kind === Message.extInfo) return undefined;
    return this.#upper.message(kind, payload);
  }

  /** Asks for new keys; nothing else is sent until there are. */
  #rekey(): void {
    if (this.#rekeying !== undefined || this.#over) return;
    this.#rekeying = new Rekeying(this.#settings.hostKeys, { client: this.#clientVersion!, server: VERSION });
    this.#write(this.#rekeying.init);
    this.#held = [];
    const late = () => this.fail(new SshError('no keys were agreed on in time', Reason.keyExchangeFailed));
    this.#rekeyTimer = setTimeout(late, REKEY_MS).unref();
  }

  #begin(payload: Buffer): undefined {
    // They cost the server more than the client.
    if (this.#rekeying === undefined) {
      if (!this.#trusted) throw new SshError('new keys are for who has signed in');
      if (this.#bytes < WORTH_KEYS && this.#settings.mayRekey?.() === false) {
        throw new SshError('new keys are asked for too often');
      }
    }
    this.#rekey();
    const { strict } = this.#rekeying!.begin(payload);
    if (this.#sessionId !== undefined) return;
    this.#strict = strict;
    if (strict && this.#sequenceIn !== 1) throw new SshError('a message in the middle of the key exchange');
  }

  #exchange(payload: Buffer): undefined {
    if (this.#rekeying === undefined) throw new SshError('a key exchange out of turn');
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
    if (agreed === undefined) throw new SshError('new keys out of turn');
    this.#opener = agreed.opener(this.#sessionId!);
    if (this.#strict) this.#sequenceIn = 0;
    this.#rekeying = undefined;
    clearTimeout(this.#rekeyTimer);
  }
}
