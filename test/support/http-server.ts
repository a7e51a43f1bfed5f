import { createConnection } from 'node:net';
import type { Response } from 'light-my-request';
import type { Access, Route } from '../../src/http/http.route.ts';
import { buildServer, type HttpServer } from '../../src/http/http.server.ts';
import { buildTestApp, type TestApp } from './app.ts';

/** Access to a route for whoever asks, known or not. */
export const anyone: Access = { description: 'Anyone', anonymous: true, params: {}, check: async () => ({}) };

/** A server with routes of the test's own, on the parts of a test app. */
export interface RouteServer {
  app: TestApp;
  server: HttpServer;
  /** Sends a request without a socket; `url` is the whole path. */
  send(
    method: string,
    url: string,
    options?: { headers?: Record<string, string>; payload?: string | Buffer },
  ): Promise<Response>;
  /** Address of the server on a socket, `host:port`. */
  listen(): Promise<{ host: string; port: number }>;
  close(): Promise<void>;
}

/** Serves the routes; the settings are those of `buildTestApp`. */
export async function serveRoutes(
  routes: readonly Route[],
  options: Parameters<typeof buildTestApp>[0] = {},
): Promise<RouteServer> {
  const app = await buildTestApp(options);
  const server = buildServer(app.deps, { routes });
  return {
    app,
    server,
    send: (method, url, { headers = {}, payload } = {}) =>
      server.app.inject({
        method: method as 'GET',
        url,
        headers,
        ...(payload === undefined ? {} : { payload }),
      }),
    listen: async () => {
      const address = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }));
      return { host: address.hostname, port: Number(address.port) };
    },
    close: async () => {
      await server.app.close();
      await app.close();
    },
  };
}

/** Writes bytes to a server and gives all that it answers until it closes the connection. */
export function exchange({ host, port }: { host: string; port: number }, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port }, () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
    );
  });
}
