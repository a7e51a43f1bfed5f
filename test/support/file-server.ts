import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that files are fetched from. */
export interface FileServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** What was asked, in order: the path of each request. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Serves texts by path; a function answers by itself; all else is 404. */
export async function serveFiles(files: Readonly<Record<string, string | RequestListener>>): Promise<FileServer> {
  const asked: string[] = [];
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    asked.push(path);
    const file = files[path];
    if (typeof file === 'function') file(request, response);
    else if (file === undefined) response.writeHead(404).end('no such file');
    else response.end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An address of loopback that nobody listens on. */
export async function closedAddress(): Promise<string> {
  const server = await serveFiles({});
  await server.close();
  return server.url;
}
