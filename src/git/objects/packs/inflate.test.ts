import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync, deflateSync, inflateSync } from 'node:zlib';
import { Random } from '../../../../test/support/random-objects.ts';
import { GitError } from '../../common/index.ts';
import { allocateScratch } from './buffer-pool.ts';
import { inflateBytesSync, inflatePrefix } from './inflate.ts';

const buffer = allocateScratch(4_096);

/** Lines that zlib makes codes of their own for. */
function someText(random: Random, length: number): Buffer {
  const words = Array.from({ length: 50 }, () => 'x'.repeat(random.below(8)) + random.below(1_000));
  let text = '';
  while (text.length < length) text += `${random.pick(words)} `;
  return Buffer.from(text.slice(0, length));
}

function soundness(stream: Buffer, size: number): Buffer | 'corrupt' {
  try {
    const data = inflateSync(stream);
    return data.length === size ? data : 'corrupt';
  } catch {
    return 'corrupt';
  }
}

function inflate(stream: Buffer, from: number, to: number, size: number, memory?: Buffer): Buffer | 'corrupt' {
  try {
    return Buffer.from(inflateBytesSync(stream, from, to, size, memory));
  } catch (error) {
    assert.ok(error instanceof GitError && error.code === 'corrupt', String(error));
    return 'corrupt';
  }
}

test('one stream after another comes out, sound, damaged, cut, or of another length than stated', () => {
  const random = new Random(4);
  const count = { sound: 0, corrupt: 0 };
  for (let round = 0; round < 5_000; round += 1) {
    const data = someText(random, random.below(random.pick([10, 300, 4_096, 4_097, 9_000])));
    const stream = deflateSync(data, { level: random.below(10) });
    const wrong = random.below(4);
    const size = data.length + (wrong === 0 ? random.pick([-1, 1]) : 0);
    if (size < 0) continue;
    if (wrong === 1) stream[random.below(stream.length)]! ^= 1 << random.below(8);
    const cut = wrong === 2 ? stream.subarray(0, random.below(stream.length)) : stream;
    const between = Buffer.concat([Buffer.alloc(random.below(9), 255), cut]);
    // What follows is that of other objects, where nothing is cut off.
    const bytes = wrong === 2 ? between : Buffer.concat([between, Buffer.alloc(random.below(50), 120)]);
    const expected = soundness(cut, size);
    const outcome = inflate(bytes, between.length - cut.length, bytes.length, size, random.pick([buffer, undefined]));
    assert.deepEqual(outcome, expected, `round ${round}`);
    count[expected === 'corrupt' ? 'corrupt' : 'sound'] += 1;
  }
  assert.ok(count.sound > 1_000 && count.corrupt > 1_000, JSON.stringify(count));
});

test('streams of several blocks of all kinds come out', () => {
  const { Z_FIXED, Z_DEFAULT_STRATEGY, Z_FULL_FLUSH, Z_FINISH } = constants;
  const random = new Random(2);
  for (let round = 0; round < 2_000; round += 1) {
    const parts = Array.from({ length: 1 + random.below(4) }, () => someText(random, random.below(200)));
    const data = Buffer.concat(parts);
    const blocks = parts.map((part, n) =>
      deflateRawSync(part, {
        level: random.pick([0, 1, 6, 9]),
        strategy: random.pick([Z_FIXED, Z_DEFAULT_STRATEGY]),
        finishFlush: n === parts.length - 1 ? Z_FINISH : Z_FULL_FLUSH,
      }),
    );
    const whole = deflateSync(data);
    const stream = Buffer.concat([whole.subarray(0, 2), ...blocks, whole.subarray(-4)]);
    assert.deepEqual(inflate(stream, 0, stream.length, data.length, buffer), data, `round ${round}`);
    const damaged = Buffer.from(stream);
    damaged[random.below(stream.length)]! ^= 1 << random.below(8);
    assert.deepEqual(inflate(damaged, 0, damaged.length, data.length, buffer), soundness(damaged, data.length));
  }
});

test('what comes out lies in the memory that was given, or in memory of its own', () => {
  const data = someText(new Random(5), 2_000);
  const stream = deflateSync(data);
  assert.equal(inflateBytesSync(stream, 0, stream.length, data.length, buffer).buffer, buffer.buffer);
  const own = inflateBytesSync(stream, 0, stream.length, data.length);
  const sevens = deflateSync(Buffer.alloc(2_000, 7));
  const other = inflateBytesSync(sevens, 0, sevens.length, 2_000);
  assert.notEqual(own.buffer, other.buffer);
  assert.deepEqual(own, data);
});

test('where a damaged file leaves nothing, or less than that, it is corrupt', () => {
  const data = someText(new Random(8), 2_000);
  const stream = deflateSync(data);
  for (const [from, to] of [
    [5, 5],
    [9, 3],
    [stream.length, stream.length + 20],
  ] as const)
    assert.equal(inflate(stream, from, to, data.length, buffer), 'corrupt', `${from} to ${to}`);
  assert.deepEqual(inflate(stream, 0, stream.length + 20, data.length, buffer), data);
  assert.deepEqual(inflatePrefix(Buffer.alloc(0)), Buffer.alloc(0));
});

test('the start of a stream is told without the rest of it', () => {
  const data = someText(new Random(6), 5_000);
  const stream = deflateSync(data);
  for (const length of [512, stream.length]) {
    const start = inflatePrefix(stream.subarray(0, length));
    assert.ok(start.length >= 64);
    assert.deepEqual(start, data.subarray(0, start.length));
  }
  assert.deepEqual(inflatePrefix(deflateSync(Buffer.from('ab'))), Buffer.from('ab'));
  assert.throws(() => inflatePrefix(Buffer.from('no stream of zlib')), GitError);
  assert.deepEqual(inflatePrefix(deflateSync(Buffer.from('abc'))), Buffer.from('abc'));
});
