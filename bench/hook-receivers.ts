/** Receivers of webhooks in a process of their own: most answer at once, the last ones take a call and never answer. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [living = 0, dead = 0] = process.argv.slice(2).map(Number);
const got = Array<number>(living).fill(0);
let disorder = 0;

const ports = await Promise.all(
  Array.from({ length: living + dead }, async (_, index) => {
    let last = -1;
    const server = createServer((request, response) => {
      if (index >= living) return;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { number } = JSON.parse(Buffer.concat(chunks).toString()) as { number: number };
        if (number < last) disorder += 1;
        last = number;
        got[index] = got[index]! + 1;
        response.end('ok');
      });
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }),
);
process.on('message', () => process.send!({ got: got.reduce((sum, each) => sum + each, 0), disorder }));
process.on('disconnect', () => process.exit(0));
process.send!({ ports });
