import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as listenTcp } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A server on loopback in the place of another program. */
export interface ProgramReceiver {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly got: Received[];
  /** Answers a request; 200 and `{}` unless it is set. */
  answer: (response: ServerResponse, request: Received) => unknown;
  /** Forgets what came, and answers as at first. */
  reset(): void;
  close(): Promise<void>;
}

/** Begins to listen. */
export async function receiveRequests(): Promise<ProgramReceiver> {
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, text: Buffer.concat(chunks).toString() };
      receiver.got.push(received);
      receiver.answer(response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const thanks = (response: ServerResponse) => response.end('{}');
  const receiver: ProgramReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got: [],
    answer: thanks,
    reset: () => {
      receiver.got.length = 0;
      receiver.answer = thanks;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** A TCP port on loopback that keeps what it is sent. */
export async function receiveLines(): Promise<{ port: number; lines: string[]; close: () => Promise<void> }> {
  const lines: string[] = [];
  const server = listenTcp((socket) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('end', () => lines.push(...Buffer.concat(chunks).toString().split('\n').filter(Boolean)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
