import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pathOf, RouteTable } from './route-table.ts';

/** A table of routes that are their own names. */
function tableOf(...routes: string[]): RouteTable<string> {
  const table = new RouteTable<string>();
  for (const route of routes) {
    const [method, path] = route.split(' ') as [string, string];
    table.add(method, path, () => path);
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
    const match = table.find(method, path);
    return match && { path: match.route, params: match.params };
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

  const mixed = tableOf(
    'GET /:id/-/raw/*rest',
    'GET /:id/-/raw/latest',
    'GET /:id/-/*page',
    'GET /:id/-/commit/:sha.diff',
    'POST /:id/-/commit/:sha',
    'GET /archive.:format',
    'HEAD /files/:file',
    'GET /files/:file',
    'PUT /files/:file',
    'GET /files/:file/blame',
  );
  const findMixed = (method: string, path: string) => {
    const match = mixed.find(method, path);
    return match && [match.route, match.params];
  };

  test('the rest of a path goes behind words and parameters, and is not empty', () => {
    assert.deepEqual(findMixed('GET', '/g%2Fp/-/raw/main/a%20b//c.txt/'), [
      '/:id/-/raw/*rest',
      { id: 'g/p', rest: 'main/a b/c.txt' },
    ]);
    assert.deepEqual(findMixed('GET', '/p/-/raw/latest'), ['/:id/-/raw/latest', { id: 'p' }]);
    assert.deepEqual(findMixed('GET', '/p/-/raw/'), ['/:id/-/*page', { id: 'p', page: 'raw' }]);
    assert.equal(findMixed('GET', '/p/-/'), undefined);
    assert.equal(findMixed('POST', '/p/-/raw/main/a'), undefined);
  });

  test('a parameter may have text before or behind it', () => {
    assert.deepEqual(findMixed('GET', '/p/-/commit/abc.diff'), ['/:id/-/commit/:sha.diff', { id: 'p', sha: 'abc' }]);
    assert.deepEqual(findMixed('GET', '/p/-/commit/abc.patch'), [
      '/:id/-/*page',
      { id: 'p', page: 'commit/abc.patch' },
    ]);
    assert.deepEqual(findMixed('GET', '/archive.tar.gz'), ['/archive.:format', { format: 'tar.gz' }]);
    assert.equal(findMixed('GET', '/archive'), undefined);
    assert.equal(findMixed('GET', `/archive.${'x'.repeat(16_385)}`), undefined);
  });

  test('HEAD is answered by GET where it has no route of its own', () => {
    const declared = new RouteTable<string>();
    declared.add('HEAD', '/files/:file', () => 'own');
    declared.add('GET', '/files/:file', () => 'of GET');
    declared.add('GET', '/files/:file/blame', () => 'blame');
    assert.equal(declared.find('HEAD', '/files/a')?.route, 'own');
    assert.equal(declared.find('HEAD', '/files/a/blame')?.route, 'blame');
  });

  test('an unknown method is told those of the path, however long its parameters are', () => {
    assert.deepEqual(mixed.methodsOf('/files/a')?.sort(), ['GET', 'HEAD', 'PUT']);
    assert.deepEqual(mixed.methodsOf('/p/-/commit/abc'), ['POST']);
    assert.deepEqual(mixed.methodsOf(`/files/${'x'.repeat(20_000)}/blame`), ['GET']);
    assert.equal(mixed.methodsOf('/archive'), undefined);
  });

  test('a route is made at its first request, once', () => {
    let made = 0;
    const lazy = new RouteTable<number>();
    lazy.add('GET', '/a', () => (made += 1));
    assert.equal(made, 0);
    assert.deepEqual([lazy.find('GET', '/a')?.route, lazy.find('HEAD', '/a')?.route, made], [1, 1, 1]);
  });

  test('query and fragment are no part of a path', () => {
    assert.deepEqual(['/a?b#c', '/a#b?c', '/a'].map(pathOf), ['/a', '/a', '/a']);
  });
});
