import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detachedCopy, encodeUtf8 } from './detached-copy.ts';

test('takes bytes out of memory that others share, and leaves those alone that have their own', () => {
  const shared = Buffer.from('a small text');
  assert.ok(shared.buffer.byteLength > 1_000, 'the test knows how small buffers are made');
  const own = detachedCopy(shared);
  assert.equal(own.toString(), 'a small text');
  assert.equal(own.buffer.byteLength, own.length);
  assert.equal(detachedCopy(own), own);
});

test('writes a text into memory of its own', () => {
  for (const text of ['', 'plain', 'Grüße', '€ and 😀', 'x'.repeat(100_000)]) {
    const bytes = encodeUtf8(text);
    assert.equal(bytes.toString(), text);
    assert.equal(bytes.buffer.byteLength, bytes.length);
  }
});
