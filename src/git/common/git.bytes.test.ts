import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes, decodeBytes, decodeText, encodeBytes } from './git.bytes.ts';

const bytes = fc.uint8Array({ maxLength: 24 }).map((array) => Buffer.from(array));

test('any bytes come back from their string, and no two give the same string', () => {
  fc.assert(
    fc.property(bytes, (a) => assert.deepEqual(encodeBytes(decodeBytes(a)), a)),
    { numRuns: 2_000 },
  );
});

test('strings compare as their bytes do', () => {
  const names = fc.oneof(bytes.map(decodeBytes), fc.string({ unit: 'binary', maxLength: 6 }));
  fc.assert(
    fc.property(names, names, (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(encodeBytes(a), encodeBytes(b)));
    }),
    { numRuns: 2_000 },
  );
});

test('valid UTF-8 stays as it is, byte order mark included', () => {
  for (const text of ['', 'é', '日本', '\ufeffx', '😀']) assert.equal(decodeBytes(Buffer.from(text)), text);
});

test('text of an unknown encoding is read as Latin-1, of a known one by its rules', () => {
  assert.equal(decodeText(Buffer.from([0x4a, 0xfc])), 'Jü');
  assert.equal(decodeText(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'Shift_JIS'), '日本');
  assert.equal(decodeText(Buffer.from('é'), 'no-such-encoding'), 'é');
});
