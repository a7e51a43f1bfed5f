import fastify from 'fastify';

/**
 * The yardstick, in a process of its own: a bare Fastify route that answers given bytes from memory, those of one answer or of
 * several in turn. Told what to answer by its parent; says on which port it listens.
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
