import fastify from 'fastify';

/**
 * The baseline, in its own process: a bare Fastify route that responds with given bytes from memory, always the same or
 * several in turn. The parent sends the response; the process reports its port.
 */
const app = fastify();
let bodies = [Buffer.alloc(0)];
let at = 0;
let type = 'application/json';
app.get('/*', (_request, reply) => {
  at = (at + 1) % bodies.length;
  reply.header('Content-Type', type).send(bodies[at]);
});
process.on('message', (message: { type: string; body?: string; sizes?: number[] }) => {
  type = message.type;
  if (message.sizes === undefined) bodies = [Buffer.from(message.body ?? '', 'base64')];
  else {
    const longest = Buffer.alloc(Math.max(...message.sizes), 0x20);
    bodies = message.sizes.map((size) => longest.subarray(0, size));
  }
  process.send!({ ready: true });
});
process.on('disconnect', () => process.exit(0));
await app.listen({ host: '127.0.0.1', port: 0 });
process.send!({ port: (app.server.address() as { port: number }).port });
