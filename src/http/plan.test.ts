import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { ROOT_TOKEN } from '../../test/support/app.ts';
import { type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import type { Plan } from '../config/config.ts';
import { notFound, unauthorized } from '../core/core.errors.ts';
import { type Access, route } from './http.route.ts';
import { openApiDocument } from './openapi/openapi.document.ts';

let reads = 0;
const known: Access = {
  description: 'Whoever knows the name',
  anonymous: false,
  params: { name: Type.String() },
  check: async ({ caller, params }) => {
    if (caller.user === null) throw unauthorized();
    if (params.name === 'hidden') throw notFound();
    return {};
  },
};
const thing = { access: known, success: { status: 200, schema: Type.Object({}) } } as const;
const routes = [
  route({ ...thing, method: 'GET', path: '/free/:name', summary: 'See it', handler: () => ({}) }),
  route({ ...thing, method: 'GET', path: '/premium/:name', plan: 'premium', summary: 'See it', handler: () => ({}) }),
  route({
    ...thing,
    method: 'POST',
    path: '/ultimate/:name',
    plan: 'ultimate',
    summary: 'Fill it',
    body: {
      contentType: 'text/plain',
      description: 'A text.',
      limit: () => {
        reads += 1;
        return 10;
      },
    },
    handler: () => ({}),
  }),
];

let server: RouteServer;
before(async () => {
  server = await serveRoutes(routes);
});
after(() => server.close());

const headers = { 'private-token': ROOT_TOKEN };
const statuses = (name = 'it') =>
  Promise.all(
    [
      ['GET', 'free'],
      ['GET', 'premium'],
      ['POST', 'ultimate'],
    ].map(async ([method, path]) => {
      const response = await server.send(method!, `/api/v4/${path}/${name}`, { headers });
      return response.statusCode;
    }),
  );

test('a route of a higher plan than the one in force is refused, those below stay', async () => {
  const { config } = server.app.deps;
  const expected: Record<Plan, number[]> = {
    ultimate: [200, 200, 200],
    premium: [200, 200, 403],
    free: [200, 403, 403],
  };
  for (const plan of ['ultimate', 'premium', 'free'] as const) {
    config.plan = plan;
    assert.deepEqual(await statuses(), expected[plan], plan);
  }
  const refusal = await server.send('GET', '/api/v4/premium/it', { headers });
  assert.deepEqual(refusal.json(), {
    message: '403 Forbidden - This needs the plan Premium or Ultimate; the server has the plan free',
  });
});

test('what the caller may not see stays hidden, and nothing of a body is asked for, where the plan lacks it', async () => {
  server.app.deps.config.plan = 'free';
  assert.deepEqual(await statuses('hidden'), [404, 404, 404]);
  assert.equal((await server.send('GET', '/api/v4/premium/it')).statusCode, 401);
  const before = reads;
  const refused = await server.send('POST', '/api/v4/ultimate/it', { headers, payload: 'x'.repeat(20) });
  assert.deepEqual([refused.statusCode, reads], [403, before]);
});

test('the document says which plan it takes', () => {
  const { paths } = openApiDocument(routes, 'https://forge.example');
  const free = paths['/api/v4/free/{name}']!.get!;
  assert.ok(!('x-plan' in free));
  assert.doesNotMatch(String(free.description), /Plan/);
  const premium = paths['/api/v4/premium/{name}']!.get!;
  assert.equal(premium['x-plan'], 'premium');
  assert.match(String(premium.description), /\*\*Plan:\*\* Premium or Ultimate\./);
  assert.match(String(paths['/api/v4/ultimate/{name}']!.post!.description), /\*\*Plan:\*\* Ultimate\./);
});
