import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Admit } from './git-server/ssh/run-command.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const BODY = JSON.stringify({ message: '503 Service Unavailable - the server is starting' });
const HEADERS = { 'Content-Type': 'application/json', 'Retry-After': '1', Connection: 'close' };

const refuse: Listener = (_request, response) => void response.writeHead(503, HEADERS).end(BODY);

/**
 * Keeps clients back while a server has an address, but not yet what it begins with: requests get 503, SSH waits.
 */
export class StartBarrier {
  readonly #server: Server;
  readonly #closed: boolean;
  #kept: readonly Listener[] = [];
  readonly #opened = Promise.withResolvers<void>();

  /** @param server does not listen yet @param closed false for a server that begins with what it has: nobody is kept back */
  constructor(server: Server, closed: boolean) {
    this.#server = server;
    this.#closed = closed;
    if (!closed) return;
    this.#kept = server.listeners('request') as Listener[];
    server.removeAllListeners('request');
    server.on('request', refuse);
  }

  /** As `then`, but not before `open`. */
  admit(then?: Admit): Admit | undefined {
    if (!this.#closed) return then;
    return async () => {
      await this.#opened.promise;
      return (await then?.()) ?? (() => {});
    };
  }

  /** Lets everything through; requests cost nothing more from then on. */
  open(): void {
    this.#server.off('request', refuse);
    for (const listener of this.#kept) this.#server.on('request', listener);
    this.#opened.resolve();
  }
}
