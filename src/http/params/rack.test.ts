import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQuery, queryError } from './query.ts';
import { ParamsError, parseUrlencoded } from './rack.ts';

type Value = string | Value[] | { [key: string]: Value };

/** Objects of the parser have no prototype and are compared by content. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Encodes a nested value like the platform's clients. */
function* encode(value: Value, name: string): Generator<string> {
  if (typeof value === 'string') yield `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  else if (Array.isArray(value)) for (const item of value) yield* encode(item, `${name}[]`);
  else for (const [key, item] of Object.entries(value)) yield* encode(item, `${name}[${key}]`);
}

const KEYS = ['a', 'name', 'file_path', 'x y', 'ä', '0', 'constructor', 'toString', 'env.scope'];
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const key = fc.constantFrom(...KEYS);
/** Every element of a list of hashes has the same keys: otherwise the start of the next one is ambiguous. */
const listOfHashes = fc
  .uniqueArray(key, { minLength: 1, maxLength: 3 })
  .chain((keys) =>
    fc.array(fc.record(Object.fromEntries(keys.map((each) => [each, text]))), { minLength: 1, maxLength: 4 }),
  );
const { value } = fc.letrec<{ value: Value; hash: { [key: string]: Value } }>((tie) => ({
  hash: fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    text,
    fc.array(text, { minLength: 1, maxLength: 4 }),
    listOfHashes,
    tie('hash'),
  ),
}));

test('what clients encode comes back as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (params) => {
      const encoded = Object.entries(params).flatMap(([name, item]) => [...encode(item, name)]);
      assert.deepEqual(plain(parseUrlencoded(encoded.join('&'))), plain(params));
    }),
    { numRuns: 500 },
  );
});

test('a list of hashes goes on to the next element at a key that it has already', () => {
  assert.deepEqual(plain(parseUrlencoded('a[][x]=1&a[][y]=2&a[][x]=3&a[][y]=4')), {
    a: [
      { x: '1', y: '2' },
      { x: '3', y: '4' },
    ],
  });
  const strategies =
    'strategies[][name]=d&strategies[][scopes][][environment_scope]=p&strategies[][scopes][][environment_scope]=q';
  assert.deepEqual(plain(parseUrlencoded(strategies)), {
    strategies: [{ name: 'd', scopes: [{ environment_scope: 'p' }, { environment_scope: 'q' }] }],
  });
});

for (const [query, params] of [
  ['', {}],
  ['&&', {}],
  ['a', { a: null }],
  ['a=', { a: '' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=1&a=2', { a: '2' }],
  ['a+b=c+d', { 'a b': 'c d' }],
  ['range%5Bstart%5D=1&range[end]=2', { range: { start: '1', end: '2' } }],
  ['a[b=1', { 'a[b': '1' }],
  ['a[b]c=1', { 'a[b]c': '1' }],
  ['[]=1', { '[]': '1' }],
  ['a[]=&a[]=1', { a: ['', '1'] }],
  ['=1', {}],
] as const) {
  test(`the query "${query}"`, () => {
    assert.deepEqual(plain(parseUrlencoded(query)), params);
  });
}

test('no text makes the parser throw anything but ParamsError', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '[',
    ']',
    '[]',
    '=',
    '&',
    '%',
    '%5B',
    '%00',
    '%ff',
    '+',
    '__proto__',
    'é',
    '\0',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (query) => {
        try {
          parseUrlencoded(query);
        } catch (error) {
          assert.ok(error instanceof ParamsError, String(error));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('names that contradict each other are refused', () => {
  for (const query of ['a=1&a[b]=2', 'a=1&a[]=2', 'a[]=1&a[b]=2', 'a[b]=1&a[]=2']) {
    assert.throws(() => parseUrlencoded(query), ParamsError, query);
  }
});

test('__proto__ and constructor are names like any other', () => {
  for (const query of ['__proto__[x]=1', 'a[__proto__][x]=1', 'constructor[prototype][x]=1', 'a[][__proto__][x]=1']) {
    parseUrlencoded(query);
    assert.equal(({} as { x?: string }).x, undefined, query);
  }
});

test('depth and number of parameters are bounded', () => {
  assert.throws(() => parseUrlencoded(`a${'[b]'.repeat(33)}=1`), /nested too deeply/);
  assert.doesNotThrow(() => parseUrlencoded(`a${'[b]'.repeat(31)}=1`));
  assert.throws(() => parseUrlencoded('a=1&'.repeat(20_001)), /too many parameters/);
  assert.doesNotThrow(() => parseUrlencoded('a=1&'.repeat(20_000)));
  const nested = (count: number) =>
    Array.from({ length: count }, (_, place) => `a${place}${'[b]'.repeat(29)}=1`).join('&');
  assert.doesNotThrow(() => parseUrlencoded(nested(2_000)));
  assert.throws(() => parseUrlencoded(nested(2_001)), /too many parameters/);
});

test('a query string that cannot be read is remembered, not thrown', () => {
  for (const query of ['a=%zz', 'a=%00', 'a=1&a[b]=1']) {
    const parsed = parseQuery(query);
    assert.deepEqual(Object.keys(parsed), []);
    assert.ok(queryError(parsed) instanceof ParamsError, query);
  }
  assert.equal(queryError(parseQuery('a=1')), undefined);
});
