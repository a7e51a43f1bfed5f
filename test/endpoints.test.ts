import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { type Access, route } from '../src/http/http.route.ts';
import { openApiDocument } from '../src/http/openapi/openapi.document.ts';
import { routes } from '../src/routes.ts';
import { type Endpoint, missing, readEndpoints } from './support/endpoints.ts';

/** Sections of the specification whose endpoints must all be there: `1/4.1` is section 4.1 of its first part. */
const ACTIVE: readonly string[] = [
  '1/4.1',
  '1/4.2',
  '1/4.3',
  '1/4.4',
  '1/4.5',
  '1/4.6',
  '1/4.7',
  '1/4.8',
  '1/4.9',
  '1/4.10',
  '1/4.11',
  '1/4.12',
  '2/4.1',
  '2/4.2',
  '2/4.3',
  '2/4.4a',
  '2/4.4',
  '2/4.5',
  '2/4.6',
  '2/4.7',
  '2/4.8',
  '2/4.9',
  '2/4.10',
  '2/4.12',
  '2/4.11',
  '2/4.13',
  '2/4.14',
];

const document = openApiDocument(routes, 'http://127.0.0.1');

test('every endpoint of the active sections is described with its parameters and its success', () => {
  const problems = readEndpoints()
    .filter(({ section }) => ACTIVE.includes(section))
    .flatMap((endpoint) =>
      missing(document, endpoint).map((text) => `${endpoint.section} ${endpoint.method} ${endpoint.path} ${text}`),
    );
  assert.equal(problems.join('\n'), '');
});

test('active sections exist', () => {
  const sections = new Set(readEndpoints().map(({ section }) => section));
  assert.deepEqual(
    ACTIVE.filter((section) => !sections.has(section)),
    [],
  );
});

test('what an endpoint lacks is told', () => {
  const access: Access = { description: 'Anyone', anonymous: true, params: {}, check: async () => ({}) };
  const small = openApiDocument(
    [
      route({
        method: 'PUT',
        path: '/things/:thing_id',
        summary: 'Change',
        access,
        input: Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }),
        success: { status: 200, schema: Type.Object({}) },
        handler: () => ({}),
      }),
    ],
    'http://127.0.0.1',
  );
  const endpoint: Endpoint = {
    section: '1/1',
    method: 'PUT',
    path: '/things/{id}',
    status: '200',
    parameters: [{ name: 'name', required: true }],
  };
  assert.deepEqual(missing(small, endpoint), []);
  assert.deepEqual(missing(small, { ...endpoint, method: 'GET' }), ['is not there']);
  assert.deepEqual(missing(small, { ...endpoint, status: '202', parameters: [{ name: 'size', required: true }] }), [
    'does not require the parameter size',
    'answers with 200 instead of 202',
  ]);
  assert.deepEqual(missing(small, { ...endpoint, parameters: [{ name: 'colour', required: false }] }), [
    'lacks the parameter colour',
  ]);
});
