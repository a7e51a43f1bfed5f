import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { anyone, type RouteServer, serveRoutes } from '../../test/support/http-server.ts';
import { type BaseContext, route } from './http.route.ts';
import { pagination } from './http.schema.ts';
import { byKeyset, type PageLimits, uncounted } from './listing.ts';

const success = { status: 200, schema: Type.Unsafe<unknown>({}) } as const;
const NUMBERS = Array.from({ length: 45 }, (_, index) => index + 1);

const list = (path: string, handler: (c: BaseContext) => unknown) =>
  route({ method: 'GET', path, summary: 's', access: anyone, input: Type.Object(pagination), success, handler });

/** The keys of twelve rows, in order. */
const query = ({ deps }: BaseContext) =>
  deps.db.selectFrom('instance_values').select('key').where('key', 'like', 'listing-%').orderBy('key');

const keys = (rows: readonly { key: string }[]) => rows.map(({ key }) => Number(key.slice(-2)));
const limited = (path: string, limits: PageLimits) => list(path, (c) => c.page(NUMBERS, undefined, limits));

let http: RouteServer;
before(async () => {
  http = await serveRoutes([
    list('/whole', (c) => c.page(NUMBERS, (rows) => rows.map((row) => -row))),
    list('/query', (c) => c.page(query(c), async (rows) => keys(rows))),
    list('/read', (c) => c.page(({ offset, size }) => ({ rows: { offset, size }, total: null, more: true }))),
    list('/uncounted', (c) => c.page(uncounted(query(c)), keys)),
    list('/keyset', (c) =>
      c.page(
        byKeyset(query(c), ({ key }, size) => ({ after: key, per_page: size })),
        keys,
      ),
    ),
    limited('/sizes', { size: 30, maxSize: 40 }),
    limited('/deep', { offsetsOf: 'Issue' }),
  ]);
  await http.app.deps.db
    .insertInto('instance_values')
    .values(NUMBERS.slice(0, 12).map((n) => ({ key: `listing-${String(n).padStart(2, '0')}`, value: '1' })))
    .execute();
});
after(() => http.close());

async function ask(path: string) {
  const response = await http.send('GET', `/api/v4${path}`);
  const { link, 'x-page': page, 'x-next-page': next, 'x-total': total } = response.headers;
  return { status: response.statusCode, json: response.json() as unknown, link: String(link ?? ''), page, next, total };
}

test('all rows, and the rows of a query, are cut to the page and counted', async () => {
  const whole = await ask('/whole?page=3&per_page=20');
  assert.deepEqual([whole.json, whole.page, whole.next, whole.total], [[-41, -42, -43, -44, -45], '3', '', '45']);
  const rows = await ask('/query?page=2&per_page=5');
  assert.deepEqual([rows.json, rows.page, rows.next, rows.total], [[6, 7, 8, 9, 10], '2', '3', '12']);
  assert.match(rows.link, /page=1&per_page=5>; rel="prev".*page=3&per_page=5>; rel="last"/);
});

test('a function reads the page, whose rows are presented as they are by default', async () => {
  const { json, next, total } = await ask('/read?page=4&per_page=7');
  assert.deepEqual([json, next, total], [{ offset: 21, size: 7 }, '5', undefined]);
});

test('rows that are not counted have no total, and a next page only if there is one', async () => {
  const first = await ask('/uncounted?per_page=6');
  assert.deepEqual([first.json, first.next, first.total], [[1, 2, 3, 4, 5, 6], '2', undefined]);
  const last = await ask('/uncounted?per_page=6&page=2');
  assert.deepEqual([last.json, last.next], [[7, 8, 9, 10, 11, 12], '']);
});

test('a keyset page links to what comes after its last row, and to nothing at the end', async () => {
  const first = await ask('/keyset?per_page=11');
  assert.deepEqual([(first.json as number[]).length, first.page, first.total], [11, undefined, undefined]);
  assert.match(first.link, /^<[^>]*\/keyset\?per_page=11&after=listing-11>; rel="next"$/);
  assert.equal((await ask('/keyset?per_page=12')).link, '');
});

test('sizes and offsets are limited as the list says', async () => {
  const sizeOf = async (path: string) => ((await ask(path)).json as number[]).length;
  assert.deepEqual([await sizeOf('/sizes'), await sizeOf('/sizes?per_page=100')], [30, 40]);
  assert.equal((await ask('/deep?page=501&per_page=100')).status, 200);
  const refused = await ask('/deep?page=502&per_page=100');
  assert.equal(refused.status, 405);
  assert.match(JSON.stringify(refused.json), /maximum allowed offset of 50000 .* objects of type Issue\. Remaining/);
});
