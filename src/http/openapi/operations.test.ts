import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { anyone } from '../../../test/support/http-server.ts';
import { type Access, route } from '../http.route.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.document.ts';

const BASE = 'https://forge.example';
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const document = (routes: Parameters<typeof openApiDocument>[0]): OpenApiDocument =>
  plain(openApiDocument(routes, BASE));

const inProject: Access = { ...anyone, params: { id: Type.String({ description: 'Id or path.' }) } };
const Person = Type.Object({ id: Type.Integer(), name: Type.String() });
const handler = () => undefined;

test('HEAD is listed where it is declared, and has no bodies', () => {
  const at = (method: 'GET' | 'HEAD', path: string) =>
    route({
      method,
      path,
      summary: 'It',
      access: anyone,
      success: { status: 200, schema: Person },
      errors: [409],
      handler,
    });
  const made = document([at('GET', '/a'), at('GET', '/b'), at('HEAD', '/b')]);
  assert.deepEqual(Object.keys(made.paths['/api/v4/a']!), ['get']);
  assert.deepEqual(Object.keys(made.paths['/api/v4/b']!), ['get', 'head']);
  assert.doesNotMatch(JSON.stringify(made.paths['/api/v4/b']!.head!.responses), /"content"|responses\//);
});

test('what has moved is 301 for reads and 405 for all else', () => {
  const moving: Access = { ...inProject, moves: true };
  const at = (method: 'GET' | 'HEAD' | 'PUT') =>
    route({
      method,
      path: '/things/:id',
      summary: 'It',
      access: moving,
      success: { status: 200, schema: Person },
      handler,
    });
  const item = document([at('GET'), at('HEAD'), at('PUT')]).paths['/api/v4/things/{id}']!;
  assert.ok('301' in item.get!.responses && !('405' in item.get!.responses));
  assert.match(JSON.stringify(item.get!.responses['301']), /Location.*text\/plain/);
  assert.doesNotMatch(JSON.stringify(item.head!.responses), /"content"/);
  assert.ok('405' in item.put!.responses && !('301' in item.put!.responses));
});

test('bytes are declared in each of their media types', () => {
  const success = { status: 200, contentType: ['text/plain', 'application/octet-stream'] } as const;
  const raw = route({ method: 'GET', path: '/raw', summary: 'It', access: anyone, success, handler });
  const made = document([raw]).paths['/api/v4/raw']!.get!;
  const { content } = made.responses['200'] as { content: object };
  assert.deepEqual(Object.keys(content), success.contentType);
});

test('rules over several parameters are constraints of the body and sentences', () => {
  const body = (rules: Parameters<typeof route>[0]['rules']) => {
    const text = Type.Optional(Type.String());
    const made = document([
      route({
        method: 'POST',
        path: '/a',
        summary: 'Make a thing',
        access: anyone,
        input: Type.Object({ a: text, b: text, c: text }),
        ...(rules === undefined ? {} : { rules }),
        success: { status: 201, schema: Person },
        handler,
      }),
    ]);
    const { properties: _, type: __, ...constraints } = made.components.schemas.CreateA!;
    return { constraints, text: String(made.paths['/api/v4/a']!.post!.description) };
  };
  const [a, b] = [{ required: ['a'] }, { required: ['b'] }];
  assert.deepEqual(body({ atLeastOne: [['a', 'b']] }).constraints, { anyOf: [a, b] });
  assert.deepEqual(body({ atLeastOne: [['a', 'b', 'c']] }).constraints, { minProperties: 1 });
  assert.deepEqual(body({ exactlyOne: [['a', 'b']] }).constraints, { oneOf: [a, b] });
  assert.deepEqual(body({ mutuallyExclusive: [['a', 'b']] }).constraints, { not: { required: ['a', 'b'] } });
  const both = body({ exactlyOne: [['a', 'b']], mutuallyExclusive: [['b', 'c']] });
  assert.deepEqual(both.constraints, { allOf: [{ oneOf: [a, b] }, { not: { required: ['b', 'c'] } }] });
  assert.match(both.text, /Exactly one of `a`, `b` must be given\.[\s\S]*Only one of `b`, `c` can be given\./);
});

test('a vocabulary says what declarations leave unsaid, and names objects', () => {
  const Thing = Type.Object({ id: Type.Integer(), colour: Type.String(), size: Type.String({ description: 'Own.' }) });
  const words = {
    id: ['Its id.', 9],
    colour: ['A colour.', 'red'],
    'Thing.id': ["The thing's id.", 7],
    size: ['Not said.'],
  } as const;
  const list = route({
    method: 'GET',
    path: '/things/:id',
    summary: 'It',
    access: anyone,
    input: Type.Object({ colour: Type.Optional(Type.String()) }),
    success: { status: 200, schema: Thing },
    handler,
  });
  const made = plain(openApiDocument([list], BASE, { entries: words, objects: { Thing } }));
  const { id, colour, size } = made.components.schemas.Thing!.properties!;
  assert.deepEqual([id?.description, id?.examples], ["The thing's id.", [7]]);
  assert.deepEqual([colour?.description, colour?.examples], ['A colour.', ['red']]);
  assert.deepEqual(size?.description, 'Own.');
  const parameters = made.paths['/api/v4/things/{id}']!.get!.parameters as { description: string; example: unknown }[];
  assert.deepEqual(
    parameters.map(({ description, example }) => [description, example]),
    [
      ['Its id.', '42'],
      ['A colour.', 'red'],
    ],
  );
});

test('one base address serves every path, and the document begins with a first call', () => {
  const root = route({
    method: 'GET',
    root: true,
    path: '/oauth/x',
    summary: 'It',
    access: anyone,
    success: { status: 200, schema: Person },
    handler,
  });
  const made = document([root]);
  assert.deepEqual(made.servers, [{ url: BASE }]);
  assert.deepEqual(Object.keys(made.paths), ['/oauth/x']);
  assert.match(
    (made.info as { description: string }).description,
    /curl --header "PRIVATE-TOKEN: \$TOKEN" "https:\/\/forge\.example\/api\/v4\/user"/,
  );
});

test('the four routes of artifacts name the token of a job among their parameters, and ends of ranges have a name', async () => {
  const { routes } = await import('../../routes.ts');
  const { vocabulary } = await import('../../api/index.ts');
  const made = openApiDocument(routes, 'https://forge.example', await vocabulary()) as unknown as {
    paths: Record<string, { get: { parameters: { name: string; in: string }[] } }>;
    components: { schemas: Record<string, unknown> };
  };
  const of = '/api/v4/projects/{id}/jobs';
  for (const path of [
    `${of}/{job_id}/artifacts`,
    `${of}/{job_id}/artifacts/{artifact_path}`,
    `${of}/artifacts/{ref_name}/download`,
    `${of}/artifacts/{ref_name}/raw/{artifact_path}`,
  ]) {
    const { parameters } = made.paths[path]!.get;
    assert.equal(parameters.find(({ name }) => name === 'job_token')?.in, 'query', path);
  }
  assert.ok('PositionRangeEnd' in made.components.schemas);
  assert.ok(!('Start' in made.components.schemas));
});
