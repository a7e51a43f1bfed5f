import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Deps } from '../deps.ts';
import type { Metrics } from './http.metrics.ts';
import type { ResponseCache, ResponseCacheEntry } from './response-cache.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Parts {
  deps: Deps;
  metrics: Metrics;
  cache: ResponseCache;
  /** Whether requests on a connection may be answered from the cache. */
  takes(socket: Socket): boolean;
  /** Called before a cached answer is sent. */
  onCached: ((request: IncomingMessage, entry: ResponseCacheEntry) => void) | null;
}

/**
 * Answers requests from the response cache before all others are passed on. They are counted and logged like others.
 */
export function serveCachedResponses(server: Server, { deps, metrics, cache, takes, onCached }: Parts): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const started = performance.now();
    const entry = takes(request.socket) ? cache.find(request) : undefined;
    if (entry === undefined) {
      for (const other of others) other(request, response);
      return;
    }
    onCached?.(request, entry);
    metrics.started();
    const id = randomUUID();
    const seconds = (performance.now() - started) / 1_000;
    cache.send(request, response, entry, ['X-Request-Id', id, 'X-Runtime', seconds.toFixed(6)]);
    const { statusCode: status } = response;
    metrics.ended('GET', entry.route ?? 'unknown', status, seconds);
    deps.log.log('info', 'request', {
      correlation_id: id,
      method: 'GET',
      path: entry.path,
      status,
      duration_s: Math.round(seconds * 1e6) / 1e6,
      user_id: entry.user?.id,
      username: entry.user?.username,
      remote_ip: request.socket.remoteAddress,
      ua: request.headers['user-agent'],
      route: entry.route,
    });
  });
}
