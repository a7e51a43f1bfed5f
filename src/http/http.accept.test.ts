import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { anyone, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { acceptableType, preferredType } from './http.accept.ts';
import { route } from './http.route.ts';
import { openApiDocument } from './openapi/openapi.document.ts';

const INDEX = 'application/vnd.things.index+json';
const routes = [
  route({
    method: 'GET',
    path: '/things/:name',
    summary: 'See a thing',
    access: anyone,
    params: Type.Object({ name: Type.String() }),
    success: { status: 200, schema: Type.Object({ name: Type.String() }), alternatives: ['text/html', INDEX] },
    handler: ({ accepted, params: { name } }) => {
      if (accepted === 'text/html') return `<a>${name}</a>`;
      return accepted === INDEX ? { index: [name] } : { name };
    },
  }),
];

let server: RouteServer;
before(async () => {
  server = await serveRoutes(routes);
});
after(() => server.close());

test('where a client wants none of the types, none is chosen', () => {
  const types = ['application/json', 'text/html'] as const;
  for (const header of ['image/png', 'text/html;q=0', '*/*;q=0'])
    assert.equal(acceptableType(header, types), undefined);
  for (const header of [undefined, '', ' ', '*/*', 'application/*']) {
    assert.equal(acceptableType(header, types), 'application/json');
  }
});

test('the type that a client likes best is chosen, and the first where it does not say', () => {
  const types = ['application/json', 'text/html', INDEX] as const;
  for (const [header, chosen] of [
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['image/png', 'application/json'],
    ['text/html', 'text/html'],
    ['TEXT/HTML; charset=utf-8', 'text/html'],
    ['text/*, application/json;q=0.5', 'text/html'],
    ['text/html;q=0.2, */*;q=0.1', 'text/html'],
    [`${INDEX}, text/html;q=0.9`, INDEX],
    ['application/json;q=0, */*', 'text/html'],
    ['text/html;q=9', 'application/json'],
    [`text/html${','.repeat(3_000)}`, 'application/json'],
  ] as const) {
    assert.equal(preferredType(header, types), chosen, String(header));
  }
});

test('Accept decides between the types that a route declares', async () => {
  const get = async (headers: Record<string, string>) => {
    const response = await server.send('GET', '/api/v4/things/one', { headers });
    assert.match(String(response.headers.vary), /Accept/);
    return [response.statusCode, response.headers['content-type'], response.body];
  };
  assert.deepEqual(await get({}), [200, 'application/json', '{"name":"one"}']);
  assert.deepEqual(await get({ accept: 'text/html' }), [200, 'text/html; charset=utf-8', '<a>one</a>']);
  assert.deepEqual(await get({ accept: INDEX }), [200, INDEX, '{"index":["one"]}']);
});

test('a refusal is JSON, whatever was asked for', async () => {
  const response = await server.send('GET', '/api/v4/things/%00', { headers: { accept: 'text/html' } });
  assert.deepEqual([response.statusCode, response.headers['content-type']], [404, 'application/json']);
});

test('the document has all of them', () => {
  const { responses } = openApiDocument(routes, 'https://forge.example').paths['/api/v4/things/{name}']!.get!;
  assert.deepEqual(Object.keys((responses['200'] as { content: object }).content), [
    'application/json',
    'text/html',
    INDEX,
  ]);
});
