import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { MAX_STORED_BYTES, storedStart, storedStream } from './stored-stream.ts';

test('zlib reads a stream that has its content as it is', () => {
  for (const length of [0, 1, 100, MAX_STORED_BYTES, 65_535]) {
    const content = randomBytes(length);
    const stream = storedStream(content);
    assert.deepEqual(inflateSync(stream), content);
    assert.deepEqual(storedStart(stream), content);
    assert.deepEqual(storedStart(stream.subarray(0, 20)), stream.subarray(7, 20).subarray(0, length));
  }
  assert.equal(storedStream(randomBytes(MAX_STORED_BYTES)).length, 4_096);
});

test('the beginning of any other stream is left to zlib', () => {
  const content = Buffer.from('text '.repeat(20));
  for (const level of [0, 1, 9]) {
    const stream = deflateSync(content, { level });
    const start = storedStart(stream);
    if (start !== null) assert.deepEqual(start, content);
    else assert.ok(level > 0 || stream[2] !== 1);
  }
  assert.equal(storedStart(Buffer.alloc(0)), null);
  assert.equal(storedStart(storedStream(content).subarray(0, 10)), null);
});
