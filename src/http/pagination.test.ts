import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Page, readPage, setListHeaders } from './pagination.ts';

const BASE = 'https://forge.example';

/** Pagination headers for a list at the address. */
async function headersOf(
  url: string,
  set: (request: FastifyRequest, reply: FastifyReply) => void,
): Promise<Record<string, unknown>> {
  const app = fastify();
  app.get('/*', (request, reply) => {
    set(request, reply);
    reply.send([]);
  });
  const { headers } = await app.inject({ method: 'GET', url });
  await app.close();
  return headers;
}

const pageOf = (number: number, size: number): Page => ({ number, size, offset: (number - 1) * size });
const offset = (url: string, page: Page, totals: { total: number | null; more?: boolean }) =>
  headersOf(url, (request, reply) => setListHeaders(BASE, request, reply, page, { rows: [], ...totals }));

test('a page in the middle names its neighbours and the ends', async () => {
  const headers = await offset('/api/v4/things?search=a%26b&page=2&per_page=20', pageOf(2, 20), { total: 50 });
  const link = (page: number, rel: string) =>
    `<${BASE}/api/v4/things?search=a%26b&page=${page}&per_page=20>; rel="${rel}"`;
  assert.equal(headers.link, [link(1, 'prev'), link(3, 'next'), link(1, 'first'), link(3, 'last')].join(', '));
  assert.deepEqual(
    ['x-page', 'x-per-page', 'x-prev-page', 'x-next-page', 'x-total', 'x-total-pages'].map((name) => headers[name]),
    ['2', '20', '1', '3', '50', '3'],
  );
});

test('an empty list has one page', async () => {
  const headers = await offset('/api/v4/things', pageOf(1, 20), { total: 0 });
  assert.deepEqual(
    ['x-total', 'x-total-pages', 'x-next-page', 'x-prev-page'].map((name) => headers[name]),
    ['0', '1', '', ''],
  );
  assert.doesNotMatch(String(headers.link), /rel="(next|prev)"/);
  assert.match(String(headers.link), /rel="first".*rel="last"/);
});

test('totals are left out past 10,000 rows and where nothing was counted', async () => {
  for (const total of [10_001, null]) {
    const headers = await offset('/api/v4/things', pageOf(1, 20), { total, more: true });
    assert.equal(headers['x-total'], undefined);
    assert.equal(headers['x-total-pages'], undefined);
    assert.equal(headers['x-next-page'], '2');
    assert.doesNotMatch(String(headers.link), /rel="last"/);
  }
  assert.equal((await offset('/api/v4/things', pageOf(1, 20), { total: 10_000 }))['x-total'], '10000');
});

test('links stand on the configured address, whatever the request says', async () => {
  for (const url of ['/api/v4/things', 'http://evil.example/api/v4/things']) {
    const headers = await offset(url, pageOf(1, 20), { total: 0 });
    assert.ok(String(headers.link).startsWith(`<${BASE}/`), String(headers.link));
  }
});

test('no token is repeated in a link', async () => {
  const url = '/api/v4/things?private_token=secret&access_token=secret&job_token=secret&a=1';
  assert.doesNotMatch(String((await offset(url, pageOf(1, 20), { total: 30 })).link), /secret/);
});

test('nothing in an address breaks out of the link', async () => {
  const nasty = '/api/v4/th>;rel="evil"<ings?a=%0d%0aSet-Cookie:%20x&b=">;"<';
  const link = String((await offset(nasty, pageOf(1, 20), { total: 0 })).link);
  assert.doesNotMatch(link, /[\r\n]/);
  assert.equal(link.split('<').length, 3);
  assert.equal(link.match(/rel="/g)?.length, 2);
});

test('a keyset page links to the next one only', async () => {
  const keyset = (next: Record<string, string> | null) =>
    headersOf('/api/v4/things?pagination=keyset&id_after=1', (request, reply) =>
      setListHeaders(BASE, request, reply, pageOf(1, 20), { rows: [], next }),
    );
  const headers = await keyset({ id_after: '21' });
  assert.equal(headers.link, `<${BASE}/api/v4/things?pagination=keyset&id_after=21>; rel="next"`);
  assert.equal(headers['x-page'], undefined);
  assert.equal((await keyset(null)).link, undefined);
});

test('a page is read as the client sent it, within bounds', () => {
  assert.deepEqual(readPage({}), pageOf(1, 20));
  assert.deepEqual(readPage({ page: '', per_page: null }), pageOf(1, 20));
  assert.deepEqual(readPage({ page: '3', per_page: '1000000000' }), pageOf(3, 100));
  assert.deepEqual(readPage({ page: 3, per_page: 5 }), pageOf(3, 5));
});

for (const [query, text] of [
  [{ page: '0' }, 'page does not have a valid value'],
  [{ page: '-1' }, 'page does not have a valid value'],
  [{ per_page: '0' }, 'per_page does not have a valid value'],
  [{ page: 'x' }, 'page is invalid'],
  [{ page: '1.5' }, 'page is invalid'],
  [{ page: 1.5 }, 'page is invalid'],
  [{ page: ['1'] }, 'page is invalid'],
  [{ per_page: { a: '1' } }, 'per_page is invalid'],
  [{ page: '999999999999999999' }, 'page does not have a valid value'],
  [{ page: '9'.repeat(30) }, 'page is invalid'],
] as const) {
  test(`${JSON.stringify(query)} is no page`, () => {
    assert.throws(() => readPage(query), { status: 400, message: text });
  });
}

test('whatever is sent, a page has an exact offset or is refused with 400', () => {
  fc.assert(
    fc.property(fc.record({ page: fc.anything(), per_page: fc.anything() }, { requiredKeys: [] }), (query) => {
      try {
        const { number, size, offset } = readPage(query);
        assert.ok(number >= 1 && size >= 1 && size <= 100 && Number.isSafeInteger(offset));
      } catch (error) {
        assert.equal((error as { status?: number }).status, 400);
      }
    }),
  );
});
