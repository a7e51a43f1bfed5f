import type { FastifyReply, FastifyRequest } from 'fastify';
import { SlotSet, type SlotSetItem } from '../core/slot-set.ts';
import { routeMatchOf } from './route-match.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its monitored transfer, if there is one. */
    transfer: Transfer | null;
  }
}

export interface TransferLimits {
  /** Maximum duration of a parsed body (JSON, forms) in milliseconds. */
  bodyMs: number;
  /** Maximum duration of a streamed body or answer in milliseconds. */
  totalMs: number;
  /** Minimum average rate of a client in bytes per second; 0 for none. */
  minRate: number;
}

interface Transfer extends SlotSetItem {
  request: FastifyRequest;
  reply: FastifyReply;
  started: number;
  /** Time at which reading of the body began; null before that. */
  receiving: number | null;
  /** Period over which the rate is measured. */
  phase: 'in' | 'out';
  since: number;
  bytes: number;
}

/** Window of the average rate in milliseconds. */
const WINDOW_MS = 30_000;
const LOOK_MS = 1_000;
const TIMEOUT = '408 Request Timeout - the body arrived too slowly';

/**
 * Ends requests of clients that send or receive almost nothing: each holds a connection, and perhaps a git process and
 * its slot. Only time in which the server waits for the client counts.
 */
export class TransferMonitor {
  readonly #limits: TransferLimits;
  readonly #now: () => number;
  readonly #transfers = new SlotSet<Transfer>();
  readonly #timer: NodeJS.Timeout;
  #lookedAt: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(limits: TransferLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#lookedAt = now();
    this.#timer = setInterval(() => this.check(), LOOK_MS).unref();
  }

  /** Monitors a request until `remove`, which must be called when its connection is done with it. */
  add(request: FastifyRequest, reply: FastifyReply): void {
    const now = this.#now();
    request.transfer = { request, reply, started: now, receiving: null, phase: 'in', since: now, bytes: 0, slot: -1 };
    this.#transfers.add(request.transfer);
  }

  remove(request: FastifyRequest): void {
    if (request.transfer !== null) this.#transfers.delete(request.transfer);
  }

  /** Replies in progress. */
  replies(): FastifyReply[] {
    return this.#transfers.all().map(({ reply }) => reply);
  }

  /** Marks the start of reading the body. */
  receives(request: FastifyRequest): void {
    const { transfer } = request;
    if (transfer === null) return;
    transfer.receiving = this.#now();
    this.#restart(transfer, 'in', request.raw.socket?.bytesRead ?? 0);
  }

  /** Checks all requests once. Delays of this process are not counted against clients. */
  check(): void {
    const now = this.#now();
    const missed = now - this.#lookedAt - LOOK_MS;
    this.#lookedAt = now;
    if (missed > LOOK_MS) this.#forgive(missed);
    for (const transfer of this.#transfers.all()) {
      const { request, reply, receiving } = transfer;
      if (receiving !== null && !request.raw.complete && !reply.raw.headersSent) this.#lookIn(transfer, receiving);
      else if (reply.raw.headersSent) this.#lookOut(transfer);
    }
  }

  #forgive(ms: number): void {
    for (const transfer of this.#transfers.all()) {
      transfer.started += ms;
      transfer.since += ms;
      if (transfer.receiving !== null) transfer.receiving += ms;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #lookIn(transfer: Transfer, receiving: number): void {
    const { raw } = transfer.request;
    const { config } = routeMatchOf(transfer.request);
    const parsed = config?.spoolTexts === false && config.isBytes !== true;
    const time = this.#now() - receiving;
    // Unread data means that the server itself is slow.
    const waits = !raw.isPaused() && raw.readableLength < raw.readableHighWaterMark;
    const late = time > (parsed ? this.#limits.bodyMs : this.#limits.totalMs);
    if (late || this.#isSlow(transfer, 'in', raw.socket.bytesRead, waits)) refuse(transfer);
  }

  #lookOut(transfer: Transfer): void {
    const { raw } = transfer.reply;
    const { socket } = raw;
    if (socket === null) return;
    const late = this.#now() - transfer.started > this.#limits.totalMs;
    const waits = raw.writableLength > 0 || socket.writableLength > 0;
    const sent = socket.bytesWritten - socket.writableLength;
    if ((late && waits) || this.#isSlow(transfer, 'out', sent, waits)) socket.destroy();
  }

  /** @param waits whether the server waits for the client */
  #isSlow(transfer: Transfer, phase: Transfer['phase'], bytes: number, waits: boolean): boolean {
    const time = this.#now() - transfer.since;
    if (!waits || transfer.phase !== phase) {
      this.#restart(transfer, phase, bytes);
      return false;
    }
    if (time < WINDOW_MS) return false;
    const slow = (bytes - transfer.bytes) * 1_000 < this.#limits.minRate * time;
    this.#restart(transfer, phase, bytes);
    return slow;
  }

  #restart(transfer: Transfer, phase: Transfer['phase'], bytes: number): void {
    transfer.phase = phase;
    transfer.since = this.#now();
    transfer.bytes = bytes;
  }
}

/** Answers a request with an abandoned body, and closes its connection. */
function refuse({ request, reply }: Transfer): void {
  const { socket } = request.raw;
  reply.code(408).header('Content-Type', 'application/json').header('Connection', 'close');
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  reply.raw.writeHead(408, headers);
  reply.raw.end(JSON.stringify({ message: TIMEOUT }), () => socket.destroySoon());
}
