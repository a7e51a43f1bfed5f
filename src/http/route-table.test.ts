import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Method, type Route, route } from './http.route.ts';
import { RouteTable } from './route-table.ts';

const access = { description: 'Everybody', anonymous: true, params: {}, check: async () => ({}) };
const declared = (method: Method, path: string): Route =>
  route({ method, path, summary: path, access, success: { status: 204, empty: true }, handler: () => undefined });

function tableOf(...paths: string[]): RouteTable {
  const table = new RouteTable();
  for (const path of paths) {
    const [method, rest] = path.split(' ') as [Method, string];
    table.add(declared(method, rest), rest);
  }
  return table;
}

describe('the table of routes', () => {
  const table = tableOf(
    'GET /projects',
    'GET /projects/:id',
    'GET /projects/:id/issues/:issue_iid',
    'GET /projects/:id/issues/statistics',
    'POST /projects/:id/issues/statistics/more',
    'DELETE /:kind/:id',
    'GET /groups/:id/:kind/last',
  );
  const find = (method: string, path: string) => {
    const found = table.find(method, path);
    return found && { path: found.route.options.path, params: found.params };
  };

  test('a word goes before a parameter', () => {
    assert.deepEqual(find('GET', '/projects/7/issues/statistics'), {
      path: '/projects/:id/issues/statistics',
      params: { id: '7' },
    });
    assert.deepEqual(find('GET', '/projects/7/issues/8'), {
      path: '/projects/:id/issues/:issue_iid',
      params: { id: '7', issue_iid: '8' },
    });
  });

  test('a word that leads to no route of the method leaves it to a parameter', () => {
    assert.deepEqual(find('DELETE', '/projects/7'), { path: '/:kind/:id', params: { kind: 'projects', id: '7' } });
    assert.equal(find('PUT', '/projects/7'), undefined);
    assert.equal(find('GET', '/projects/7/issues'), undefined);
    assert.equal(find('GET', '/projects/7/issues/statistics/more'), undefined);
  });

  test('values are decoded, once, and slashes in them divide nothing', () => {
    assert.deepEqual(find('GET', '/projects/a%2Fb%2520c')?.params, { id: 'a/b%20c' });
    assert.deepEqual(find('GET', '/%70rojects')?.path, '/projects');
    assert.deepEqual(find('GET', '/projects/%zz')?.params, { id: '%zz' });
  });

  test('doubled slashes and one at the end count for nothing', () => {
    assert.deepEqual(find('GET', '//projects///7/')?.params, { id: '7' });
  });

  test('names of what objects have of themselves are words like others', () => {
    assert.equal(find('GET', '/constructor'), undefined);
    assert.deepEqual(find('GET', '/groups/__proto__/toString/last')?.params, { id: '__proto__', kind: 'toString' });
  });

  test('what is too long is no parameter', () => {
    assert.equal(find('GET', `/projects/${'x'.repeat(16_385)}`), undefined);
    assert.notEqual(find('GET', `/projects/${'x'.repeat(16_384)}`), undefined);
  });

  test('two routes for one address are a mistake', () => {
    assert.throws(() => tableOf('GET /a/:id', 'GET /a/:name'), /duplicate route GET \/a\/:name/);
  });

  test('it takes words and parameters, and leaves the rest to Fastify', () => {
    const takes = (path: string) => RouteTable.accepts({ path, method: 'GET' });
    assert.ok(takes('/projects/:id/members/all'));
    assert.ok(!takes('/projects/:id/archive.:format'));
    assert.ok(!takes('/projects/:id/raw/*rest'));
    assert.ok(!RouteTable.accepts({ path: '/projects', method: 'HEAD' }));
  });
});
