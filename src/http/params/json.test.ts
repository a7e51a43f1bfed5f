import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonBody } from './json.ts';

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

test('the number of values is bounded, their brackets in texts do not count', () => {
  assert.throws(() => parseJsonBody(`{"a":[${'1,'.repeat(500_001)}1]}`), { status: 413 });
  assert.doesNotThrow(() => parseJsonBody(JSON.stringify({ a: ',[{'.repeat(500_001) })));
});

test('__proto__ is a key like any other', () => {
  const body = parseJsonBody('{"__proto__":{"x":1}}');
  assert.equal(Object.getPrototypeOf(body), Object.prototype);
  assert.equal(({} as { x?: number }).x, undefined);
});
