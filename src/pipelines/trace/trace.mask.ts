/** What stands in a log for a secret, filled up with `x` to its length: offsets stay what they were. */
const MASK = Buffer.from('[MASKED]');

/** Secrets that logs hide, ready to be looked for. */
export interface SecretBytes {
  /** Each once, in the order of their bytes. */
  readonly sorted: readonly Buffer[];
  /** Of each the place of the longest other one that it begins with; -1 for none. */
  readonly shorter: readonly number[];
  /** Bit by bit which pairs of bytes begin one. */
  readonly pairs: Uint8Array;
  /** Which bytes begin one. */
  readonly firsts: Uint8Array;
  /** Bytes of the longest. */
  readonly longest: number;
}

/** Shorter ones would hide what is no secret, and have no room for the mask. */
const MIN_BYTES = MASK.length;

const beginsWith = (bytes: Buffer, start: Buffer): boolean =>
  bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0;

/** @param secrets those shorter than 8 bytes are left out */
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

/** How many secrets come before the text that begins at `at`, in the order of their bytes. */
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

/** Whether the rest of a text is the beginning of a secret that could go on in what comes next. */
function mayGoOn(secrets: SecretBytes, bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  const place = placeOf(secrets, bytes, at);
  const isLonger = (secret: Buffer | undefined) =>
    secret !== undefined && secret.length > rest.length && beginsWith(secret, rest);
  return isLonger(secrets.sorted[place]) || isLonger(secrets.sorted[place + 1]);
}

/** Bytes of the longest secret that stands at `at`; 0 for none. */
function lengthAt(secrets: SecretBytes, bytes: Buffer, at: number): number {
  const { sorted, shorter } = secrets;
  const place = placeOf(secrets, bytes, at);
  const rest = bytes.subarray(at);
  const same = sorted[place];
  if (same !== undefined && beginsWith(rest, same)) return same.length;
  // Whatever the text begins with, the one before it in the order begins with, too.
  let index = place - 1;
  while (index >= 0 && !beginsWith(rest, sorted[index]!)) index = shorter[index]!;
  return index < 0 ? 0 : sorted[index]!.length;
}

/**
 * Hides secrets in a piece of a log.
 * @param bytes the piece, after what was held back of the one before; it is changed
 * @returns how many bytes, from the beginning, are as they stay: those after them may begin a secret and are to be held
 * back until more is known
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
