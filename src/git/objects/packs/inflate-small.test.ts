import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync, deflateSync, inflateSync } from 'node:zlib';
import { Random } from '../../../../test/support/random-objects.ts';
import { inflateSmall } from './inflate-small.ts';

const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FILTERED, Z_DEFAULT_STRATEGY, Z_FULL_FLUSH, Z_FINISH } = constants;
const STRATEGIES = [Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FILTERED, Z_DEFAULT_STRATEGY];

/** Bytes as deltas have them: some by chance, some again and again. */
function someBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const different = random.pick([2, 16, 256]);
  for (let at = 0; at < length; ) {
    const again = Math.min(random.below(40), length - at, at);
    if (random.below(3) === 0 && again > 0) {
      const from = random.below(at);
      for (const end = at + again; at < end; at += 1) bytes[at] = bytes[from + ((at - from) % (at - from || 1))]!;
    } else bytes[at++] = random.below(different);
  }
  return bytes;
}

/** What it says of a stream that lies between other bytes; undefined where it leaves the stream to zlib. */
function short(stream: Buffer, size: number, random: Random): Buffer | undefined {
  const before = random.below(5);
  const memory = Buffer.alloc(before + stream.length + random.below(9), random.below(256));
  stream.copy(memory, before);
  const out = Buffer.alloc(size + random.below(3));
  return inflateSmall(memory, before, memory.length, out, size) ? out.subarray(0, size) : undefined;
}

function sound(stream: Buffer): Buffer | undefined {
  try {
    return inflateSync(stream);
  } catch {
    return undefined;
  }
}

test('what zlib compresses comes out again, or is left to zlib', () => {
  const random = new Random(1);
  const count = { done: 0, left: 0 };
  for (let round = 0; round < 4_000; round += 1) {
    const data = someBytes(random, random.below(random.pick([4, 60, 300, 1_000, 5_000])));
    const strategy = random.pick(STRATEGIES);
    const level = random.below(10);
    const stream = deflateSync(data, { level, strategy, memLevel: 1 + random.below(9) });
    const found = short(stream, data.length, random);
    count[found === undefined ? 'left' : 'done'] += 1;
    if (found !== undefined) assert.deepEqual(found, data);
    if (level === 0) assert.ok(found, `${data.length} stored bytes`);
    if (strategy === Z_FIXED && level > 0 && data.length <= 1_024)
      assert.ok(found, `${data.length} bytes of the fixed code`);
    for (const other of [data.length + 1, data.length - 1].filter((size) => size >= 0)) {
      assert.equal(short(stream, other, random), undefined);
    }
  }
  assert.ok(count.done > 1_000 && count.left > 500, JSON.stringify(count));
});

test('streams of several blocks of all kinds come out again, or are left to zlib', () => {
  const random = new Random(2);
  const count = { done: 0, left: 0 };
  for (let round = 0; round < 2_000; round += 1) {
    const parts = Array.from({ length: 1 + random.below(4) }, () => someBytes(random, random.below(200)));
    const data = Buffer.concat(parts);
    const kinds = random.pick([[Z_FIXED], [Z_FIXED, Z_DEFAULT_STRATEGY]]);
    const blocks = parts.map((part, n) =>
      deflateRawSync(part, {
        level: random.pick([0, 1, 6, 9]),
        strategy: random.pick(kinds),
        finishFlush: n === parts.length - 1 ? Z_FINISH : Z_FULL_FLUSH,
      }),
    );
    const whole = deflateSync(data);
    const stream = Buffer.concat([whole.subarray(0, 2), ...blocks, whole.subarray(-4)]);
    assert.deepEqual(inflateSync(stream), data);
    const found = short(stream, data.length, random);
    count[found === undefined ? 'left' : 'done'] += 1;
    if (found !== undefined) assert.deepEqual(found, data);
  }
  assert.ok(count.done > 500, JSON.stringify(count));
});

test('of damaged and of cut streams nothing comes out that zlib would not give', () => {
  const random = new Random(3);
  let accepted = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const data = someBytes(random, random.below(80));
    const stream = deflateSync(data, { level: random.pick([0, 6]), strategy: Z_FIXED });
    const damaged = random.below(4) === 0 ? stream.subarray(0, random.below(stream.length)) : Buffer.from(stream);
    for (let flips = random.below(3); flips > 0 && damaged.length > 0; flips -= 1) {
      damaged[random.below(damaged.length)]! ^= 1 << random.below(8);
    }
    const out = Buffer.alloc(data.length);
    if (!inflateSmall(damaged, 0, damaged.length, out, data.length)) continue;
    accepted += 1;
    assert.deepEqual(out, sound(damaged));
  }
  assert.ok(accepted > 1_000, String(accepted));
});
