import { Readable, Writable } from 'node:stream';
import { type SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { Message, SshError } from './numbers.ts';
import type { Transport } from './transport.ts';

/** Bytes that a client may send ahead of who reads them, at first; more as all of it is read, so that only what is read takes memory. */
export const WINDOW = 64 * 1024;
const LARGEST_WINDOW = 2 * 1024 * 1024;
export const MAX_DATA = 32 * 1024;
const MAX_WINDOW = 0xffff_ffff;
const STDERR = 1;
/** Milliseconds that a client may take for the last of what it is sent. */
const FINISH_MS = 60_000;

/** The client's end of a channel. */
export interface Peer {
  id: number;
  /** Bytes that it takes for now, and in one message. */
  window: number;
  maxData: number;
}

interface Unsent {
  data: Buffer;
  stderr: boolean;
  done: () => void;
}

/**
 * One channel of a session (RFC 4254): what the client sends, and what it is sent, with back-pressure both ways. Each
 * stream has at most one piece waiting for the client.
 */
export class Channel {
  readonly input: Readable;
  readonly output: Writable;
  readonly stderr: Writable;
  /** Aborted when the client closes the channel, or leaves. */
  readonly left = new AbortController();
  readonly #transport: Transport;
  readonly #peer: Peer;
  /** What is left of what the client may send, and how much it may be at most for now. */
  #window = WINDOW;
  #largest = WINDOW;
  #unsent: Unsent[] = [];
  #inputEnded = false;
  #closed = false;

  constructor(transport: Transport, peer: Peer) {
    this.#transport = transport;
    this.#peer = peer;
    // Only then what is read now is out of it, and makes room: there is no other call until the client has sent more.
    const read = () => process.nextTick(() => this.#makeRoom());
    this.input = new Readable({ highWaterMark: WINDOW / 2, read });
    this.output = this.#writable(false);
    this.stderr = this.#writable(true);
    // What breaks off is told by `left`.
    for (const stream of [this.input, this.output, this.stderr]) stream.on('error', () => {});
  }

  #writable(stderr: boolean): Writable {
    return new Writable({
      write: (data: Buffer, _encoding, done) => {
        this.#unsent.push({ data, stderr, done });
        this.pump();
      },
    });
  }

  /** Sends what waits, as far as the client takes it. */
  pump(): void {
    while (this.#unsent.length > 0 && this.#peer.window > 0 && this.#transport.writable && !this.#closed) {
      const next = this.#unsent[0]!;
      const piece = next.data.subarray(0, Math.min(this.#peer.window, this.#peer.maxData));
      this.#peer.window -= piece.length;
      if (next.stderr) {
        this.#send(Message.channelExtendedData, uint32(STDERR), sshString(piece));
      } else {
        this.#send(Message.channelData, sshString(piece));
      }
      next.data = next.data.subarray(piece.length);
      if (next.data.length > 0) continue;
      this.#unsent.shift();
      next.done();
    }
  }

  #send(kind: number, ...parts: Buffer[]): void {
    this.#transport.send(kind, uint32(this.#peer.id), ...parts);
  }

  /** Tells the client how much it may send, as what it has sent is read. */
  #makeRoom(): void {
    if (this.#inputEnded || this.#closed || this.#window > this.#largest / 2) return;
    if (this.input.readableLength === 0) this.#largest = Math.min(2 * this.#largest, LARGEST_WINDOW);
    const room = this.#largest - this.#window - this.input.readableLength;
    if (room < this.#largest / 2) return;
    this.#window += room;
    this.#send(Message.channelWindowAdjust, uint32(room));
  }

  /** @param stderr of which clients send none @throws SshError for more than there was room for */
  receive(data: Buffer, stderr: boolean): void {
    if (data.length > this.#window || data.length > MAX_DATA) throw new SshError('more than there is room for');
    if (this.#inputEnded) throw new SshError('more after the end');
    this.#window -= data.length;
    if (stderr || this.input.destroyed) this.#makeRoom();
    else this.input.push(data);
  }

  receiveEnd(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    if (!this.input.destroyed) this.input.push(null);
  }

  /** @throws SshError */
  widen(bytes: number): void {
    this.#peer.window += bytes;
    if (this.#peer.window > MAX_WINDOW) throw new SshError('a window that is too large');
    this.pump();
  }

  /** Says whether what the client asked for is done. */
  reply(good: boolean): void {
    if (!this.#closed) this.#send(good ? Message.channelSuccess : Message.channelFailure);
  }

  /** Ends the channel from this side, once all that was written is sent. @param code that the client's program ends with */
  async finish(code: number): Promise<void> {
    const ended = (stream: Writable) =>
      new Promise<void>((resolve) => {
        if (stream.destroyed) return resolve();
        const timer = setTimeout(() => stream.destroy(), FINISH_MS).unref();
        stream.once('close', () => {
          clearTimeout(timer);
          resolve();
        });
        stream.end();
      });
    await Promise.all([ended(this.output), ended(this.stderr)]);
    if (this.#closed) return;
    this.#send(Message.channelEof);
    this.#send(Message.channelRequest, sshString('exit-status'), Buffer.alloc(1), uint32(code));
    this.close();
  }

  /** Closes it for both sides: called when the client does, when it has left, and at the end. */
  close(notify = true): void {
    if (this.#closed) return;
    if (notify) this.#send(Message.channelClose);
    this.#closed = true;
    this.#unsent = [];
    this.left.abort();
    for (const stream of [this.input, this.output, this.stderr]) stream.destroy();
  }
}

/** A request of a client for a channel. */
export interface ChannelRequest {
  type: string;
  wantsReply: boolean;
  /** What else it says. */
  rest: SshReader;
}

/** @param reader after the number of the channel @throws RangeError */
export const readRequest = (reader: SshReader): ChannelRequest => ({
  type: reader.text(),
  wantsReply: reader.boolean(),
  rest: reader,
});
