import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from 'typebox';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { anyone } from '../../../test/support/http-server.ts';
import { vocabulary } from '../../api/index.ts';
import { routes } from '../../routes.ts';
import { type Access, route } from '../http.route.ts';
import { Instant, List, Nullable, pagination, Upload } from '../http.schema.ts';
import { type OpenApiDocument, type OperationObject, openApiDocument } from './openapi.document.ts';

const BASE = 'https://forge.example';
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const document = (routes: Parameters<typeof openApiDocument>[0]): OpenApiDocument =>
  plain(openApiDocument(routes, BASE));

const inProject: Access = {
  description: 'Whoever may read the project',
  anonymous: false,
  params: { id: Type.String({ description: 'Id or path.' }) },
  check: async () => ({}),
};
const Person = Type.Object({ id: Type.Integer(), name: Type.String(), seen_at: Nullable(Instant()) });
const handler = () => undefined;

/** The operation of a single route. */
function operationOf(declaredRoute: Parameters<typeof openApiDocument>[0][number], method?: string): OperationObject {
  const [item] = Object.values(document([declaredRoute]).paths);
  const operation = item?.[method ?? declaredRoute.options.method.toLowerCase()];
  assert.ok(operation !== undefined);
  return operation;
}

describe('all routes of the server', async () => {
  const made = plain(openApiDocument(routes, BASE, await vocabulary()));
  const operations = Object.entries(made.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

  test('make a valid document of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...made });
    assert.deepEqual(errors, undefined);
    assert.equal(valid, true);
  });

  test('each say who may call, what for, what comes back and what they belong to', () => {
    for (const { options } of routes) {
      const name = `${options.method} ${options.path}`;
      assert.ok(options.access.description.length > 0, `${name}: access`);
      assert.match(options.summary, /^[A-Z].*[^.]$/, `${name}: summary`);
      const { success } = options;
      assert.ok('schema' in success || 'empty' in success || 'contentType' in success, `${name}: success`);
    }
    for (const { path, method, operation } of operations) {
      assert.equal(operation.tags.length, 1, `${method} ${path}: tag`);
      assert.ok(
        Object.keys(operation.responses).some((status) => /^(?:2|302)/.test(status)),
        `${method} ${path}: success`,
      );
    }
  });

  test('have names of their own', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });

  test('name every parameter of their path, and each parameter once', () => {
    for (const { path, method, operation } of operations) {
      const parameters = operation.parameters as { in: string; name: string }[];
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(
        inPath,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        `${method} ${path}`,
      );
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(keys).size, keys.length, `${method} ${path}`);
    }
  });

  test('refer only to what the document holds', () => {
    const text = JSON.stringify(made);
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      const held = made.components[kind as 'schemas'] as Record<string, unknown> | undefined;
      assert.ok(held !== undefined && name! in held, `${kind}/${name}`);
    }
  });

  test('show nothing of how parameters are read', () => {
    assert.doesNotMatch(JSON.stringify(made), /x-message|x-comma-separated|~kind/);
  });
});

test('parameters of a GET are written as they are sent', () => {
  const { parameters } = operationOf(
    route({
      method: 'GET',
      path: '/projects/:id/things/*path',
      summary: 'List',
      access: inProject,
      input: Type.Object({
        range: Type.Optional(Type.Object({ start: Type.Integer(), end: Type.Optional(Type.Integer()) })),
        ids: Type.Optional(Type.Array(Type.Integer())),
        words: List(Type.String({ description: 'A word.' })),
        custom: Type.Optional(Type.Record(Type.String(), Type.String())),
        old: Type.Optional(Type.String({ deprecated: true, description: 'Use words.' })),
      }),
      success: { status: 200, schema: Person },
      handler,
    }),
  );
  const names = (parameters as { name: string; required?: boolean }[]).map(
    ({ name, required }) => `${name}${required ? '*' : ''}`,
  );
  assert.deepEqual(names, ['id*', 'path*', 'range[start]', 'range[end]', 'ids[]', 'words*', 'custom', 'old']);
  assert.deepEqual(parameters.at(-1), {
    name: 'old',
    in: 'query',
    description: 'Use words.',
    deprecated: true,
    example: 'old',
    schema: { type: 'string' },
  });
  assert.deepEqual(parameters[5], {
    name: 'words',
    in: 'query',
    required: true,
    example: ['word'],
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', description: 'A word.' } },
  });
});

test('parameters of a POST are a body in three encodings', () => {
  const made = document([
    route({
      method: 'POST',
      path: '/projects/:id/things',
      summary: 'Make',
      access: inProject,
      input: Type.Object({ name: Type.String(), file: Type.Optional(Upload()), size: Type.Optional(Type.Integer()) }),
      success: { status: 201, schema: Person },
      errors: [409],
      handler,
    }),
  ]);
  const operation = made.paths['/api/v4/projects/{id}/things']!.post!;
  const body = operation.requestBody as { required: boolean; content: Record<string, { schema: { $ref: string } }> };
  assert.equal(body.required, true);
  assert.deepEqual(Object.keys(body.content), [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]);
  const fileIn = (type: string) =>
    made.components.schemas[body.content[type]!.schema.$ref.split('/').at(-1)!]!.properties!.file;
  assert.deepEqual(fileIn('application/json'), { type: 'string', examples: ['file'] });
  assert.deepEqual(fileIn('multipart/form-data'), { type: 'string', format: 'binary' });
  assert.deepEqual(Object.keys(operation.responses), ['201', '400', '401', '403', '404', '409', '413', '415', '429']);
  assert.deepEqual(operation.security, [
    { privateToken: [] },
    { privateTokenQuery: [] },
    { bearer: [] },
    { accessTokenQuery: [] },
  ]);
});

test('a list has page headers, and says who may call', () => {
  const list = route({
    method: 'GET',
    path: '/things',
    summary: 'List',
    access: anyone,
    input: Type.Object({ ...pagination }),
    scopes: ['read_user'],
    success: { status: 200, schema: Type.Array(Person), headers: { 'x-own': Type.Integer() } },
    handler,
  });
  const get = operationOf(list).responses['200'] as { headers: object; content?: object };
  for (const name of ['Link', 'X-Total', 'X-Next-Page', 'ETag', 'x-own', 'X-Request-Id'])
    assert.ok(name in get.headers, name);
  assert.ok(get.content !== undefined);
  const whole = operationOf(list);
  assert.deepEqual(whole['x-access'], { who: 'Anyone', anonymous: true, scopes: ['api', 'read_api', 'read_user'] });
  assert.deepEqual((whole.security as object[])[0], {});
  assert.match(String(whole.description), /\*\*Who:\*\* Anyone\.[\s\S]*`read_user`/);
  assert.equal(JSON.stringify(whole.responses['304']).includes('content'), false);
});

test('objects of several places are written once, with null beside where they may be', () => {
  const thing = (path: string, schema: typeof Person | ReturnType<typeof Nullable>) =>
    route({
      method: 'GET',
      path,
      summary: 'Get',
      access: anyone,
      success: { status: 200, schema: Type.Object({ author: schema }) },
      handler,
    });
  const made = document([thing('/a', Person), thing('/b', Nullable(Person))]);
  assert.deepEqual(Object.keys(made.components.schemas), ['Error', 'Author']);
  assert.deepEqual(made.components.schemas.Author?.properties?.seen_at, {
    type: ['string', 'null'],
    format: 'date-time',
    examples: ['2026-03-01T09:30:00.000Z'],
  });
  const text = JSON.stringify(made.paths['/api/v4/b']);
  assert.match(text, /"author":\{"anyOf":\[\{"\$ref":"#\/components\/schemas\/Author"\},\{"type":"null"\}\]\}/);
});

test('a second kind of success stands beside the first', () => {
  const success = { status: 201, schema: Person } as const;
  const otherSuccess = { status: 200, schema: Type.Object({ dry_run: Type.String() }) } as const;
  const made = document([
    route({ method: 'POST', path: '/a', summary: 'It', access: anyone, success, otherSuccess, handler }),
  ]);
  const { responses } = made.paths['/api/v4/a']!.post!;
  assert.match(JSON.stringify(responses['200']), /dry_run/);
  assert.match(JSON.stringify(responses['201']), /schema/);
  assert.doesNotMatch(JSON.stringify(responses['201']), /dry_run/);
});

test('paths that differ only in the names of their parameters are one', () => {
  const at = (method: 'GET' | 'DELETE', path: string) =>
    route({ method, path, summary: 'It', access: anyone, success: { status: 200, schema: Person }, handler });
  const made = document([at('GET', '/things/:id'), at('DELETE', '/things/:thing_id')]);
  assert.deepEqual(Object.keys(made.paths), ['/api/v4/things/{id}']);
  assert.deepEqual(Object.keys(made.paths['/api/v4/things/{id}']!), ['get', 'delete']);
  assert.equal((made.paths['/api/v4/things/{id}']!.delete!.parameters[0] as { name: string }).name, 'id');
});

describe('served', () => {
  let app: TestApp;
  before(async () => {
    app = await buildTestApp();
  });
  after(() => app.close());
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.instance.server.app.inject({ method: 'GET', url, headers });

  for (const url of ['/api/v4/openapi.json', '/api/openapi.json']) {
    test(`${url} is for anyone, with a tag`, async () => {
      const response = await get(url);
      assert.equal(response.statusCode, 200);
      assert.equal(response.json<OpenApiDocument>().openapi, '3.1.0');
      const again = await get(url, { 'if-none-match': String(response.headers.etag) });
      assert.equal(again.statusCode, 304);
    });
  }

  test('/-/api is a page that loads nothing from elsewhere', async () => {
    const page = await get('/-/api');
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.doesNotMatch(page.body, /https?:|\/\/\w/);
    const csp = String(page.headers['content-security-policy']);
    assert.match(csp, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(csp, /https?:|\*|unsafe-eval|sandbox/);
    assert.equal((await get('/-/api/')).statusCode, 200);
  });

  test('the script of the page comes packed or plain, as the client asks', async () => {
    const plainScript = await get('/-/api/rapidoc.js');
    assert.equal(plainScript.statusCode, 200);
    assert.match(String(plainScript.headers['content-type']), /^text\/javascript/);
    assert.equal(plainScript.headers['content-encoding'], undefined);
    assert.match(plainScript.body, /RapiDoc/);
    const packed = await get('/-/api/rapidoc.js', { 'accept-encoding': 'br, gzip' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(packed.rawPayload.length < plainScript.rawPayload.length / 3);
  });
});
