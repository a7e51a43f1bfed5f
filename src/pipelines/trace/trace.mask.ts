/** Replacement of a secret in a log, padded with `x` to its length, so that offsets stay the same. */
const MASK = Buffer.from('[MASKED]');

/** Secrets to mask, prepared for searching. */
export interface SecretBytes {
  /** Distinct secrets in byte order. */
  readonly sorted: readonly Buffer[];
  /** For each the index of the longest other one that is its prefix; -1 for none. */
  readonly shorter: readonly number[];
  /** Bitmap of the pairs of bytes that start a secret. */
  readonly pairs: Uint8Array;
  /** Bytes that start a secret. */
  readonly firsts: Uint8Array;
  /** Length of the longest secret in bytes. */
  readonly longest: number;
}

/** Minimum length in bytes. Shorter values would match too often, and have no room for the mask. */
const MIN_BYTES = MASK.length;

const beginsWith = (bytes: Buffer, start: Buffer): boolean =>
  bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0;

/** Prepares secrets for searching. @param secrets shorter than 8 bytes are ignored */
export function secretBytes(secrets: Iterable<string>): SecretBytes {
  const sorted = [...new Set(secrets)]
    .map((text) => Buffer.from(text))
    .filter(({ length }) => length >= MIN_BYTES)
    .sort((a, b) => a.compare(b));
  const shorter: number[] = [];
  const pairs = new Uint8Array(8_192);
  const firsts = new Uint8Array(256);
  let longest = 0;
  for (const [index, bytes] of sorted.entries()) {
    let start = index - 1;
    while (start >= 0 && !beginsWith(bytes, sorted[start]!)) start = shorter[start]!;
    shorter.push(start);
    const pair = bytes.readUInt16BE(0);
    pairs[pair >> 3]! |= 1 << (pair & 7);
    firsts[bytes[0]!] = 1;
    longest = Math.max(longest, bytes.length);
  }
  return { sorted, shorter, pairs, firsts, longest };
}

/** Number of secrets that sort before the text at `at`. */
function placeOf({ sorted, longest }: SecretBytes, bytes: Buffer, at: number): number {
  const end = Math.min(bytes.length, at + longest);
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const secret = sorted[middle]!;
    if (bytes.compare(secret, 0, secret.length, at, end) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether the rest of a text is a proper prefix of a secret, which may continue in the next chunk. */
function mayGoOn(secrets: SecretBytes, bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  const place = placeOf(secrets, bytes, at);
  const isLonger = (secret: Buffer | undefined) =>
    secret !== undefined && secret.length > rest.length && beginsWith(secret, rest);
  return isLonger(secrets.sorted[place]) || isLonger(secrets.sorted[place + 1]);
}

/** Length in bytes of the longest secret at `at`; 0 for none. */
function lengthAt(secrets: SecretBytes, bytes: Buffer, at: number): number {
  const { sorted, shorter } = secrets;
  const place = placeOf(secrets, bytes, at);
  const rest = bytes.subarray(at);
  const same = sorted[place];
  if (same !== undefined && beginsWith(rest, same)) return same.length;
  // Every secret that is a prefix of the text is also a prefix of its predecessor in the order.
  let index = place - 1;
  while (index >= 0 && !beginsWith(rest, sorted[index]!)) index = shorter[index]!;
  return index < 0 ? 0 : sorted[index]!.length;
}

/**
 * Masks secrets in a chunk of a log in place.
 * @param bytes the chunk, preceded by the bytes held back from the previous one
 * @returns number of leading bytes that are final: later ones may start a secret and must be held back
 */
export function maskSecrets(secrets: SecretBytes, bytes: Buffer): number {
  const { pairs, firsts, longest } = secrets;
  const end = bytes.length;
  let at = 0;
  while (at < end) {
    if (at + 1 === end) return firsts[bytes[at]!] === 1 ? at : end;
    const pair = (bytes[at]! << 8) | bytes[at + 1]!;
    if ((pairs[pair >> 3]! & (1 << (pair & 7))) === 0) {
      at += 1;
      continue;
    }
    if (end - at < longest && mayGoOn(secrets, bytes, at)) return at;
    const length = lengthAt(secrets, bytes, at);
    if (length > 0) {
      bytes.fill('x', at, at + length);
      MASK.copy(bytes, at);
    }
    at += Math.max(1, length);
  }
  return end;
}
