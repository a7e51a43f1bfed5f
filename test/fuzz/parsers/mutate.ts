import type { Random } from '../../crash/random.ts';

/** Numbers at which lengths and counts go wrong. */
const NUMBERS = [0, 1, 2, 4, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
const MAX_MUTATIONS = 6;

/** Bytes that look random. */
export function randomBytesOf(random: Random, max: number): Buffer {
  const bytes = Buffer.allocUnsafe(random.below(max + 1));
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = random.below(256);
  return bytes;
}

type Mutation = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

const at = (bytes: Buffer, random: Random) => random.below(bytes.length + 1);

/** Puts bytes in the place of others. */
const spliced = (bytes: Buffer, from: number, length: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), more, bytes.subarray(from + length)]);

const flipBit: Mutation = (bytes, random) => {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  changed[random.below(bytes.length)]! ^= 1 << random.below(8);
  return changed;
};

const setByte: Mutation = (bytes, random) => {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  changed[random.below(bytes.length)] = random.below(256);
  return changed;
};

const setNumber: Mutation = (bytes, random) => {
  if (bytes.length < 4) return setByte(bytes, random, []);
  const changed = Buffer.from(bytes);
  const place = random.below(bytes.length - 3);
  const number = random.below(3) === 0 ? random.below(2 * bytes.length) : random.pick(NUMBERS);
  if (random.below(2) === 0) changed.writeUInt32BE(number, place);
  else changed.writeUInt32LE(number, place);
  return changed;
};

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  flipBit,
  setByte,
  setNumber,
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  (bytes, random) => spliced(bytes, at(bytes, random), 0, randomBytesOf(random, 16)),
  (bytes, random) => spliced(bytes, at(bytes, random), 1 + random.below(16), Buffer.alloc(0)),
  (bytes, random) => {
    const from = at(bytes, random);
    return spliced(bytes, at(bytes, random), 0, bytes.subarray(from, from + 1 + random.below(64)));
  },
  (bytes, random, others) => {
    if (others.length === 0) return bytes;
    const other = random.pick(others);
    const from = at(other, random);
    return spliced(bytes, at(bytes, random), random.below(16), other.subarray(from, from + 1 + random.below(128)));
  },
];

/** Damages bytes in one place or several. @param others of which pieces are put in */
export function mutated(bytes: Buffer, random: Random, others: readonly Buffer[] = []): Buffer {
  let changed = bytes;
  const times = random.below(2) === 0 ? 1 : 1 + random.below(MAX_MUTATIONS);
  for (let left = times; left > 0; left -= 1) changed = random.pick(MUTATIONS)(changed, random, others);
  return changed;
}

/** Pieces of bytes as they may come over a network. */
export function pieces(bytes: Buffer, random: Random): Buffer[] {
  const max = random.pick([1, 3, 16, 200, 4_096, Number.MAX_SAFE_INTEGER]);
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const length = Math.min(bytes.length - from, 1 + random.below(max));
    parts.push(bytes.subarray(from, from + length));
    from += length;
  }
  return parts;
}
