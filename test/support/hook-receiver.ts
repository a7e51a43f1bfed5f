import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
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
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly calls: Call[];
  /** Answers a call; 200 and `thanks` unless it is set. */
  answer: (response: ServerResponse, call: Call) => unknown;
  close(): Promise<void>;
}

/** Begins to listen. @param keepAlive whether a connection stays open after a call */
export async function receiveHooks(keepAlive = false): Promise<HookReceiver> {
  const server = createServer((request, response) => {
    if (!keepAlive) response.setHeader('connection', 'close');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const call = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text || '{}') };
      receiver.calls.push(call);
      receiver.answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: HookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer: (response) => response.end('thanks'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
