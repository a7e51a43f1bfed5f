import fastify from 'fastify';

/**
 * The yardstick, in a process of its own: a bare Fastify route that answers given bytes from memory. Told what to
 * answer by its parent; says on which port it listens.
 */
const app = fastify();
let body = Buffer.alloc(0);
let type = 'application/json';
app.get('/*', (_request, reply) => {
  reply.header('Content-Type', type).send(body);
});
process.on('message', (message: { type: string; body: string }) => {
  type = message.type;
  body = Buffer.from(message.body, 'base64');
  process.send!({ ready: true });
});
process.on('disconnect', () => process.exit(0));
await app.listen({ host: '127.0.0.1', port: 0 });
process.send!({ port: (app.server.address() as { port: number }).port });
