import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** One end of a connection in memory: what SSH needs of a socket, with back-pressure, and without a system call. */
export class MemorySocket extends Duplex {
  #peer: MemorySocket | undefined;
  /** What is called when the peer wants more. */
  #taken: (() => void) | undefined;
  /** Bytes that were written to it. */
  written = 0;

  private constructor() {
    super({ allowHalfOpen: false });
  }

  /** Two ends of one connection; the first is taken for a socket of a server. */
  static pair(): { server: MemorySocket & Socket; client: MemorySocket } {
    const [server, client] = [new MemorySocket(), new MemorySocket()];
    server.#peer = client;
    client.#peer = server;
    return { server: server as MemorySocket & Socket, client };
  }

  setNoDelay(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.written += chunk.length;
    const peer = this.#peer!;
    if (peer.destroyed || peer.readableEnded) done(new Error('the other end is gone'));
    else if (peer.push(chunk)) done();
    else peer.#taken = done;
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#peer!.destroyed) this.#peer!.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read();
    const peer = this.#peer!;
    // As when a socket is reset.
    setImmediate(() => peer.destroy());
    done(error);
  }
}
