import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import { Day, Enum, Filled, Instant, IntegerEnum, List, Nullable, Upload } from '../http.schema.ts';
import { compileParams, type ParamRules } from './coerce.ts';
import { parseUrlencoded } from './rack.ts';

/** The parsed parameters, or the text of the refusal. */
function read(properties: Record<string, TSchema>, source: Record<string, unknown>, rules?: ParamRules): unknown {
  try {
    return compileParams(Type.Object(properties), rules)(source);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, 400);
    assert.equal(error.body.error, error.message);
    return error.message;
  }
}
const optional = (schema: TSchema) => ({ p: Type.Optional(schema) });

const TEXTS: [what: string, properties: Record<string, TSchema>, source: Record<string, unknown>, text: string][] = [
  ['a required parameter that is absent', { p: Type.String() }, {}, 'p is missing'],
  ['one that must not be blank', { p: Filled() }, {}, 'p is missing, p is empty'],
  ['one given blank', { p: Filled() }, { p: '  ' }, 'p is empty'],
  ['null for a required one', { p: Type.Integer() }, { p: null }, 'p is empty'],
  ['a blank number that is required', { p: Type.Integer() }, { p: '' }, 'p is empty'],
  ['no integer', optional(Type.Integer()), { p: 'x' }, 'p is invalid'],
  ['a fraction for an integer', optional(Type.Integer()), { p: '1.5' }, 'p is invalid'],
  ['an integer past exactness', optional(Type.Integer()), { p: '99999999999999999999' }, 'p is invalid'],
  ['a list for an integer', optional(Type.Integer()), { p: ['1'] }, 'p is invalid'],
  ['no number', optional(Type.Number()), { p: '1..2' }, 'p is invalid'],
  ['no boolean', optional(Type.Boolean()), { p: 'maybe' }, 'p is invalid'],
  ['no date', optional(Instant()), { p: 'yesterday' }, 'p is invalid'],
  ['no day', optional(Day()), { p: '2026-02-30' }, 'p is invalid'],
  ['a hash for a text', optional(Type.String()), { p: { a: '1' } }, 'p is invalid'],
  ['a list for a text', optional(Type.String()), { p: ['a'] }, 'p is invalid'],
  ['a null byte in a text', optional(Type.String()), { p: 'a\0b' }, 'p is invalid'],
  ['a hash for a file', optional(Upload()), { p: { path: '/etc/hostname', size: 1 } }, 'p is invalid'],
  ['a text for a hash', optional(Type.Object({ a: Type.String() })), { p: 'x' }, 'p is invalid'],
  ['a text not allowed', optional(Enum(['a', 'b'])), { p: 'c' }, 'p does not have a valid value'],
  ['a number not allowed', optional(IntegerEnum([10, 20])), { p: '15' }, 'p does not have a valid value'],
  ['a number below the least', optional(Type.Integer({ minimum: 1 })), { p: '0' }, 'p does not have a valid value'],
  [
    'several failures, in order',
    { b: Filled(), a: Type.Integer() },
    { a: 'x' },
    'b is missing, b is empty, a is invalid',
  ],
  [
    'a member of a hash',
    optional(Type.Object({ start: Type.Integer() })),
    { p: { start: 'x' } },
    'p[start] is invalid',
  ],
  [
    'a member of a hash in a list',
    optional(Type.Array(Type.Object({ action: Enum(['create']), file_path: Filled() }))),
    { p: [{ action: 'create', file_path: 'a' }, { action: 'burn' }] },
    'p[1][action] does not have a valid value, p[1][file_path] is missing, p[1][file_path] is empty',
  ],
  [
    'a value that no alternative takes',
    optional(Type.Union([Type.Integer(), Type.String()])),
    { p: {} },
    'p is invalid',
  ],
  ['a value of a hash', optional(Type.Record(Type.String(), Type.String())), { p: { a: {} } }, 'p is invalid'],
];
for (const [what, properties, source, text] of TEXTS) {
  test(`refused: ${what}`, () => {
    assert.equal(read(properties, source), text);
  });
}

const VALUES: [what: string, schema: TSchema, input: unknown, value: unknown][] = [
  ['a boolean in the words of forms', Type.Boolean(), 'Yes', true],
  ['0 as a boolean', Type.Boolean(), 0, false],
  ['a padded integer', Type.Integer(), ' 7 ', 7],
  ['an integer as a text', Type.String(), 7, '7'],
  ['an instant with a zone', Instant(), '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'],
  ['a list with commas', List(Type.String()), 'a, b', ['a', 'b']],
  ['a list of integers with commas', Type.Array(Type.Integer()), '1,2', [1, 2]],
  ['a lone text for a list of texts', Type.Array(Type.String()), 'a,b', ['a,b']],
  ['a hash of positions for a list', Type.Array(Type.Integer()), { 1: 'x', 0: '4' }, 'p is invalid'],
  ['positions in order', Type.Array(Type.String()), { 10: 'c', 2: 'b', 0: 'a' }, ['a', 'b', 'c']],
  ['the empty list of forms', Type.Array(Type.Integer()), [''], []],
  ['a blank integer', Type.Integer(), '', undefined],
  ['a blank text', Type.String(), '', ''],
  ['null for a nullable integer', Nullable(Type.Integer()), null, null],
  ['a blank nullable integer', Nullable(Type.Integer()), '', null],
  ['a blank nullable day', Nullable(Day()), '', null],
  ['the integer of a union', Type.Union([Type.Integer(), Type.String()]), '5', 5],
  ['the text of a union', Type.Union([Type.Integer(), Type.String()]), 'a/b', 'a/b'],
  ['a null byte in the content of a file', Upload(), 'a\0b', 'a\0b'],
];
for (const [what, schema, sent, value] of VALUES) {
  test(`taken: ${what}`, () => {
    const result = read(optional(schema), { p: sent });
    if (typeof result === 'string') assert.equal(result, value);
    else assert.deepEqual(result, value === undefined ? {} : { p: value });
  });
}

test('what is absent gets its default, and each reader its own', () => {
  const readParams = compileParams(Type.Object({ p: Type.Array(Type.String(), { default: ['x'] }) }));
  const first = readParams({ p: ['y'] });
  assert.deepEqual(first, { p: ['y'] });
  const schema = { p: Type.Optional(Type.Array(Type.String(), { default: ['x'] })) };
  const readOptional = compileParams(Type.Object(schema));
  (readOptional({}).p as string[]).push('changed');
  assert.deepEqual(readOptional({}), { p: ['x'] });
});

test('what is not declared is dropped, inside hashes too', () => {
  const schema = optional(Type.Object({ a: Type.Optional(Type.String()) }));
  assert.deepEqual(read(schema, { p: { a: '1', id: '2' }, creator_id: '3' }), { p: { a: '1' } });
});

test('rules over several parameters', () => {
  const properties = { a: Type.Optional(Type.String()), b: Type.Optional(Type.String()) };
  const names = [['a', 'b']];
  assert.equal(read(properties, { a: '1', b: '2' }, { mutuallyExclusive: names }), 'a, b are mutually exclusive');
  assert.equal(
    read(properties, {}, { atLeastOne: names }),
    'a, b are missing, at least one parameter must be provided',
  );
  assert.equal(read(properties, {}, { exactlyOne: names }), 'a, b are missing, exactly one parameter must be provided');
  assert.equal(read(properties, { a: '1', b: '2' }, { exactlyOne: names }), 'a, b are mutually exclusive');
  assert.deepEqual(read(properties, { a: '1' }, { mutuallyExclusive: names, atLeastOne: names, exactlyOne: names }), {
    a: '1',
  });
});

test('null is no choice among several, unless it is a value', () => {
  const properties = { a: Type.Optional(Type.String()), b: Type.Optional(Nullable(Type.Integer())) };
  const exactlyOne = [['a', 'b']];
  assert.match(String(read(properties, { a: null }, { exactlyOne })), /^a, b are missing/);
  assert.deepEqual(read(properties, { a: null, b: 1 }, { exactlyOne, mutuallyExclusive: exactlyOne }), { b: 1 });
  assert.deepEqual(read(properties, { b: null }, { exactlyOne }), { b: null });
  assert.match(String(read(properties, { a: 'x', b: null }, { exactlyOne })), /mutually exclusive/);
  assert.deepEqual(read(properties, { a: null }, { atLeastOne: exactlyOne }), {});
});

test('a hash has no more keys than it may', () => {
  const properties = optional(Type.Record(Type.String(), Type.String(), { maxProperties: 1 }));
  assert.deepEqual(read(properties, { p: { a: '1' } }), { p: { a: '1' } });
  assert.equal(read(properties, { p: { a: '1', b: '2' } }), 'p has too many elements (maximum is 1)');
  assert.equal(read(properties, { p: { a: { b: '1' } } }), 'p is invalid');
});

test('nothing but ApiError 400 comes of any value', () => {
  const properties = {
    i: Type.Optional(Type.Integer({ minimum: 1 })),
    n: Type.Optional(Nullable(Type.Number())),
    s: Type.Optional(Type.String({ maxLength: 5 })),
    b: Type.Optional(Type.Boolean()),
    d: Type.Optional(Instant()),
    l: Type.Optional(List(Type.Integer())),
    o: Type.Optional(Type.Array(Type.Object({ x: Type.String(), y: Type.Optional(Type.Array(Type.String())) }))),
    r: Type.Optional(Type.Record(Type.String(), Type.String())),
    u: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
  };
  const source = fc.dictionary(fc.constantFrom(...Object.keys(properties), '__proto__'), fc.anything({ maxDepth: 3 }));
  fc.assert(
    fc.property(source, (parameters) => {
      const result = read(properties, parameters);
      if (typeof result === 'string') return;
      for (const key of Object.keys(result as object)) assert.ok(key in properties, key);
      assert.equal(Object.getPrototypeOf(result), Object.prototype);
    }),
    { numRuns: 1_000 },
  );
});

test('long numbers are refused at once', () => {
  assert.equal(read(optional(Type.Number()), { p: `${'1'.repeat(1_000_000)}x` }), 'p is invalid');
  assert.equal(read(optional(Type.Integer()), { p: `${' '.repeat(1_000_000)}x` }), 'p is invalid');
});

test('a bare number is a list of one', () => {
  for (const list of [List(Type.Integer()), Type.Array(Type.Integer()), Nullable(List(Type.Integer()))]) {
    assert.deepEqual(read(optional(list), { p: 5 }), { p: [5] });
    assert.deepEqual(read(optional(list), { p: 0 }), { p: [0] });
    assert.equal(read(optional(list), { p: 1.5 }), 'p is invalid');
    assert.equal(read(optional(list), { p: true }), 'p is invalid');
  }
  assert.deepEqual(read(optional(List(Type.String())), { p: 5 }), { p: ['5'] });
  assert.equal(read(optional(Type.Array(Type.Object({ x: Type.Integer() }))), { p: 5 }), 'p is invalid');
  assert.equal(read(optional(List(Type.Integer(), { minItems: 2 })), { p: 5 }), 'p is empty');
});

test('a query string reaches the declared shape', () => {
  const schema = Type.Object({ range: Type.Optional(Type.Object({ start: Type.Integer(), end: Type.Integer() })) });
  const result = compileParams(schema)(parseUrlencoded('range[start]=1&range[end]=20'));
  assert.deepEqual(result, { range: { start: 1, end: 20 } });
});

test('what may be anything holds no null byte, however deep', () => {
  const readAny = compileParams(Type.Object({ p: Type.Optional(Type.Unsafe<unknown>({})) }));
  assert.deepEqual(readAny({ p: { a: [1, 'text', null] } }), { p: { a: [1, 'text', null] } });
  for (const p of ['x\0', { a: ['x\0'] }, { 'x\0': 1 }]) assert.throws(() => readAny({ p }), /p is invalid/);
});
