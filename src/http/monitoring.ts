import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressList } from '../core/address-list.ts';
import type { Deps } from '../deps.ts';
import { registerJobMetrics } from '../jobs/jobs.metrics.ts';
import { sendErrorBody } from './http.errors.ts';
import type { Metrics } from './http.metrics.ts';
import { checkReadiness } from './readiness.ts';

/** Registers `/-/health`, `/-/liveness`, `/-/readiness` and `/-/metrics`. `isReady` turns false during shutdown. */
export function registerMonitoring(app: FastifyInstance, deps: Deps, metrics: Metrics, isReady: () => boolean): void {
  metrics.add((registry) => registerJobMetrics(registry, deps));
  const allowed = addressList(deps.config.monitoringAllowlist);
  const guarded = async (request: FastifyRequest, reply: FastifyReply) => {
    // The address of the peer counts, because forwarded headers can be forged.
    if (!allowed(request.socket.remoteAddress ?? '')) {
      sendErrorBody(reply.code(404), { error: '404 Not Found', message: '404 Not Found' });
    }
  };
  const check = async (): Promise<Record<string, unknown>> => {
    const checks = Object.entries(await checkReadiness(deps));
    const reasons = checks.flatMap(([, result]) => (result.status === 'ok' ? [] : [result.message]));
    if (!isReady()) reasons.push('the server is stopping');
    const ready = reasons.length === 0;
    return {
      status: ready ? 'ok' : 'failed',
      ...(ready ? {} : { message: `503 Service Unavailable - ${reasons.join(', ')}` }),
      ...Object.fromEntries(checks.map(([name, result]) => [name, [result]])),
      server_check: [{ status: isReady() ? 'ok' : 'stopping' }],
    };
  };
  app.get('/-/health', { onRequest: guarded }, (_request, reply) => {
    reply.type('text/plain; charset=utf-8').send('Stithy OK');
  });
  app.get('/-/liveness', { onRequest: guarded }, (_request, reply) => {
    reply.header('Content-Type', 'application/json').serializer(String).send('{"status":"ok"}');
  });
  app.get('/-/readiness', { onRequest: guarded }, async (_request, reply) => {
    const state = await check();
    reply.code(state.status === 'ok' ? 200 : 503).header('Content-Type', 'application/json');
    return reply.serializer(String).send(JSON.stringify(state));
  });
  app.get('/-/metrics', { onRequest: guarded }, async (_request, reply) => {
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
