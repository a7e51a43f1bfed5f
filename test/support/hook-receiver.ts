import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A call that a receiver got. */
export interface Call {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  text: string;
  body: Record<string, unknown>;
}

/** A server on loopback that webhooks call. */
export interface HookReceiver {
  /** `http://127.0.0.1:<port>`, or `https:`. */
  readonly url: string;
  readonly calls: Call[];
  /** Answers a call; 200 and `thanks` unless it is set. */
  answer: (response: ServerResponse, call: Call) => unknown;
  close(): Promise<void>;
}

/** Key and certificate of `localhost` and 127.0.0.1, which nobody but they themselves has signed. */
const SELF_SIGNED = new URL('../fixtures/tls/self-signed.pem', import.meta.url);

/**
 * Begins to listen.
 * @param options `keepAlive`: whether a connection stays open after a call; `tls`: over HTTPS, with a certificate that nobody trusts
 */
export async function receiveHooks({ keepAlive = false, tls = false } = {}): Promise<HookReceiver> {
  const listener: RequestListener = (request, response) => {
    if (!keepAlive) response.setHeader('connection', 'close');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const call = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text || '{}') };
      receiver.calls.push(call);
      receiver.answer(response, call);
    });
  };
  const pem = tls ? readFileSync(SELF_SIGNED) : null;
  const server = pem === null ? createServer(listener) : createTlsServer({ key: pem, cert: pem }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: HookReceiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer: (response) => response.end('thanks'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
