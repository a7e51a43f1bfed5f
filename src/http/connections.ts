import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../core/core.errors.ts';
import { addressKey } from '../core/fair-slots.ts';

/** Number of connections beyond the limit that are answered with a refusal; further ones are dropped. */
const REFUSED = 64;
/** Share of all connections that one address may have. */
const SHARE = 0.75;

/** Counts connections in total and by address. */
class Connections {
  readonly #max: number;
  readonly #perAddress: number;
  readonly #open = new Map<string, number>();
  readonly #crowded = new WeakSet<Socket>();
  #all = 0;

  constructor(max: number, perAddress: number) {
    this.#max = max;
    this.#perAddress = perAddress;
  }

  add(socket: Socket): void {
    const key = addressKey(socket.remoteAddress ?? '');
    const mine = (this.#open.get(key) ?? 0) + 1;
    this.#all += 1;
    this.#open.set(key, mine);
    if (this.#all > this.#max || mine > this.#perAddress) this.#crowded.add(socket);
    socket.once('close', () => {
      this.#all -= 1;
      const left = this.#open.get(key)! - 1;
      if (left === 0) this.#open.delete(key);
      else this.#open.set(key, left);
    });
  }

  isCrowded(socket: Socket): boolean {
    return this.#crowded.has(socket);
  }
}

/**
 * Limits the number of connections to what file descriptors allow: further ones are answered with 503 and closed.
 * @param max maximum number of connections
 * @param proxied whether connections come from proxies, so that their addresses do not identify clients
 * @returns a function that tells whether a connection exceeds the limit
 */
export function limitConnections(app: FastifyInstance, max: number, proxied: boolean): (socket: Socket) => boolean {
  const connections = new Connections(max, proxied ? max : Math.ceil(max * SHARE));
  const server = app.server as Server;
  server.maxConnections = max + REFUSED;
  server.on('connection', (socket: Socket) => connections.add(socket));
  app.addHook('onRequest', async (request) => {
    if (!connections.isCrowded(request.raw.socket)) return;
    const headers = { 'Retry-After': '1', Connection: 'close' };
    throw new ApiError(503, '503 Service Unavailable - too many connections', {}, headers);
  });
  return (socket) => connections.isCrowded(socket);
}
