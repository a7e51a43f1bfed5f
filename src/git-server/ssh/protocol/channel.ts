import { Readable, Writable } from 'node:stream';
import { type SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { Message, SshError } from './numbers.ts';
import type { Transport } from './transport.ts';

/** Initial window in bytes. It grows while all data is consumed, so memory is used only for consumed data. */
export const WINDOW = 64 * 1024;
const LARGEST_WINDOW = 2 * 1024 * 1024;
export const MAX_DATA = 32 * 1024;
const MAX_WINDOW = 0xffff_ffff;
const STDERR = 1;
/** Timeout in milliseconds for the client to receive the remaining data. */
const FINISH_MS = 60_000;

/** The client's end of a channel. */
export interface Peer {
  id: number;
  /** Remaining window in bytes, and maximum bytes of a message. */
  window: number;
  maxData: number;
}

interface Unsent {
  data: Buffer;
  stderr: boolean;
  done: () => void;
}

/**
 * One session channel (RFC 4254), with back-pressure in both directions. Each output stream has at most one chunk
 * waiting for the client.
 */
export class Channel {
  readonly input: Readable;
  readonly output: Writable;
  readonly stderr: Writable;
  /** Aborted when the client closes the channel or disconnects. */
  readonly left = new AbortController();
  readonly #transport: Transport;
  readonly #peer: Peer;
  /** Remaining receive window, and its current maximum. */
  #window = WINDOW;
  #largest = WINDOW;
  #unsent: Unsent[] = [];
  #inputEnded = false;
  #closed = false;

  constructor(transport: Transport, peer: Peer) {
    this.#transport = transport;
    this.#peer = peer;
    // The chunk leaves the buffer only after this call. There is no further read until the client sends more.
    const read = () => process.nextTick(() => this.#makeRoom());
    this.input = new Readable({ highWaterMark: WINDOW / 2, read });
    this.output = this.#writable(false);
    this.stderr = this.#writable(true);
    // `left` reports interrupted streams.
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

  /** Sends waiting data as far as the client's window allows. */
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

  /** Extends the client's window as its data is consumed. */
  #makeRoom(): void {
    if (this.#inputEnded || this.#closed || this.#window > this.#largest / 2) return;
    if (this.input.readableLength === 0) this.#largest = Math.min(2 * this.#largest, LARGEST_WINDOW);
    const room = this.#largest - this.#window - this.input.readableLength;
    if (room < this.#largest / 2) return;
    this.#window += room;
    this.#send(Message.channelWindowAdjust, uint32(room));
  }

  /** @param stderr extended data, which clients do not send @throws SshError for data beyond the window */
  receive(data: Buffer, stderr: boolean): void {
    if (data.length > this.#window || data.length > MAX_DATA) throw new SshError('data exceeds the channel window');
    if (this.#inputEnded) throw new SshError('data received after end of file');
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
    if (this.#peer.window > MAX_WINDOW) throw new SshError('channel window too large');
    this.pump();
  }

  /** Replies whether the channel request succeeded. */
  reply(good: boolean): void {
    if (!this.#closed) this.#send(good ? Message.channelSuccess : Message.channelFailure);
  }

  /** Closes the channel after all written data is sent. @param code exit code for the client */
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

  /** Closes both directions: called when the client closes, when it disconnects, and at the end. */
  close(notify = true): void {
    if (this.#closed) return;
    if (notify) this.#send(Message.channelClose);
    this.#closed = true;
    this.#unsent = [];
    this.left.abort();
    for (const stream of [this.input, this.output, this.stderr]) stream.destroy();
  }
}

/** A channel request of a client. */
export interface ChannelRequest {
  type: string;
  wantsReply: boolean;
  /** Remaining fields of the request. */
  rest: SshReader;
}

/** @param reader positioned after the channel number @throws RangeError */
export const readRequest = (reader: SshReader): ChannelRequest => ({
  type: reader.text(),
  wantsReply: reader.boolean(),
  rest: reader,
});
