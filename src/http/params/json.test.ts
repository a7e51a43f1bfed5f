import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonBounds, parseJsonBody } from './json.ts';

test('every JSON object is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })),
      fc.constantFrom(undefined, 2),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(parseJsonBody(text), JSON.parse(text));
      },
    ),
  );
});

test('an empty body stands for no parameters', () => {
  assert.deepEqual(parseJsonBody(''), {});
  assert.deepEqual(parseJsonBody(' \n'), {});
});

for (const text of [
  '{',
  '[]',
  '1',
  '"a"',
  '{"a":1}x',
  "{'a':1}",
  '{"a":"',
  '{"a":"\\"}',
  'undefined',
  '}',
  '{"a":1,}',
]) {
  test(`the body ${text} is refused`, () => {
    assert.throws(() => parseJsonBody(text), { status: 400, message: 'Invalid json' });
  });
}

test('null stands for no parameters, as an empty body does', () => {
  assert.deepEqual(parseJsonBody('null'), {});
});

test('nesting is bounded', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  assert.doesNotThrow(() => parseJsonBody(nested(99)));
  assert.throws(() => parseJsonBody(nested(100)), { status: 400 });
  assert.throws(() => parseJsonBody(nested(100_000)), { status: 400 });
});

test('values in all are bounded, fewer of them for whoever is nobody; their brackets in texts do not count', () => {
  const list = (count: number) => `{"a":[${'1,'.repeat(count - 2)}1]}`;
  for (const [known, maxValues] of [
    [true, 100_000],
    [false, 20_000],
  ] as const) {
    const bounds = jsonBounds(known);
    assert.doesNotThrow(() => parseJsonBody(list(maxValues), bounds));
    const message = `413 Request Entity Too Large - a JSON body has at most ${maxValues} values, and an object in it 5000 keys`;
    assert.throws(() => parseJsonBody(list(maxValues + 1), bounds), { status: 413, message });
  }
  assert.doesNotThrow(() => parseJsonBody(JSON.stringify({ a: ',[{:'.repeat(500_001) })));
});

test('keys of one object are bounded, those of several are not summed', () => {
  const object = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`k${place}`, 1]));
  assert.doesNotThrow(() => parseJsonBody(JSON.stringify(object(5_000))));
  assert.throws(() => parseJsonBody(JSON.stringify(object(5_001))), { status: 413 });
  assert.throws(() => parseJsonBody(JSON.stringify({ a: [{ b: object(5_001) }] })), { status: 413 });
  // A key of an inner object comes before the last ones of the outer.
  const around = `{${'"a":1,'.repeat(4_998)}"b":{"c":1},"d":{"e":[{"f":1}]}}`;
  assert.doesNotThrow(() => parseJsonBody(around));
  assert.throws(() => parseJsonBody(around.replace('{', '{"g":1,')), { status: 413 });
  assert.doesNotThrow(() => parseJsonBody(JSON.stringify({ list: Array.from({ length: 10_000 }, () => object(4)) })));
});

test('what passes a bound is not read any further', () => {
  const end = `${'"k":1,'.repeat(5_001)}`;
  assert.throws(() => parseJsonBody(`{${end}"a": no JSON any more`), { status: 413 });
});

test('__proto__ is a key like any other', () => {
  const body = parseJsonBody('{"__proto__":{"x":1}}');
  assert.equal(Object.getPrototypeOf(body), Object.prototype);
  assert.equal(({} as { x?: number }).x, undefined);
});
