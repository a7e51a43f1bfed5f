import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cjkEncodingOf } from './cjk-encoding.ts';

/** Maximum number of bytes of a text used for the detection. */
const MAX_SAMPLE = 4 * 1024;
/**
 * Maximum number of bytes of all texts of one answer used for the detection. Sixteen full samples take the detector 15
 * to 40 ms of processor time, and twice that in a fresh process; it yields between two of them.
 */
const MAX_SAMPLED = 64 * 1024;
/**
 * The detector returns 10 for any short text that an encoding could represent. `cjkEncodingOf` is more precise for
 * those.
 */
const MIN_CONFIDENCE = 30;
/** The detector often mistakes short Western texts for other Latin encodings. */
const WESTERN_BONUS = 15;
/** Below this size the detector cannot distinguish Latin encodings: most such texts are Western. */
const SHORT = 32;
const OTHER_LATIN = /^(ISO-8859-[29]|windows-125[0478])$/;
const WESTERN = /^(ISO-8859-1|windows-1252)$/;
/** Characters of Western text: no control characters, and no code points undefined in Windows-1252. */
const WESTERN_TEXT = /^[^\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]*$/;
/** Encodings with a byte order mark, and those used only in mails. */
const NEVER = /^(UTF|ISO-2022)/;
/** Size of the blocks in which a file is decoded, and number of blocks sampled. */
const BLOCK = 64 * 1024;
const BLOCKS = 8;
/** Number of lines decoded before yielding. */
const LINES_AT_ONCE = 10_000;
const UTF_8 = 'utf-8';
const NEWLINE = 0x0a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const SPACE = 0x20;

type Decode = (bytes: Buffer) => string;

const asUtf8: Decode = (bytes) => bytes.toString('utf8');

/** A decoder that never throws. */
function decoder(encoding: string): Decode {
  const text = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes) => text.decode(bytes);
}

/** Whether bytes are valid in an encoding; a truncated character at the end is allowed. */
function isValid(encoding: string, bytes: Buffer): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is UTF-8 except for a few bytes: most of its characters are valid. */
function isMostlyUtf8(sample: Buffer): boolean {
  const text = asUtf8(sample);
  const replaced = text.split('\ufffd').length - 1;
  const others = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return others > replaced;
}

/** Non-ASCII lines up to the size of a sample; ASCII lines carry no information. */
function sampleOf(lines: Iterable<Buffer>): Buffer {
  const sample: Buffer[] = [];
  let length = 0;
  for (const line of lines) {
    if (length >= MAX_SAMPLE) break;
    if (isAscii(line)) continue;
    const first = line.findIndex((byte) => byte >= 0x80);
    const start = first > MAX_SAMPLE / 2 ? first : 0;
    const part = line.subarray(start, start + MAX_SAMPLE - length);
    sample.push(part);
    length += part.length;
  }
  return Buffer.concat(sample);
}

/** Non-ASCII lines in the first blocks of a file. */
function* someLinesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0, taken = 0; at < bytes.length && taken < BLOCKS; ) {
    const block = bytes.subarray(at, at + BLOCK);
    const end = at + block.length < bytes.length ? block.lastIndexOf(NEWLINE) + 1 || block.length : block.length;
    at += end;
    const part = block.subarray(0, end);
    if (isAscii(part)) continue;
    taken += 1;
    yield* linesOf(part);
  }
}

/** Lines with their line feeds. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length;
    yield bytes.subarray(at, end);
    at = end;
  }
}

/**
 * Decodes file contents for one answer. Valid or mostly valid UTF-8 is decoded as such; for other text the encoding is
 * detected. If it is unknown, text is decoded as Windows-1252, a superset of ISO 8859-1, and bytes that cannot be such
 * text become U+FFFD where they are not UTF-8. Never throws because of the content.
 */
export class TextDecoding {
  #sampleBudget = MAX_SAMPLED;
  /** Encoding of the previous text, used once the sample limit is reached. */
  #previous: string = UTF_8;

  /**
   * Decodes the patch of one file. The encoding of each side is detected from its lines in all hunks, so that both are
   * right if a commit converts the file; single hunks are too short. Context lines are identical on both sides and
   * decoded as the new side.
   */
  async patch(bytes: Buffer): Promise<string> {
    if (isUtf8(bytes)) return bytes.toString('utf8');
    const lines = [...linesOf(bytes)];
    const side = (sign: number) => lines.filter((line) => line[0] === sign || line[0] === SPACE);
    const before = await this.#decoderOf(side(MINUS));
    const after = await this.#decoderOf(side(PLUS));
    let text = '';
    // Hunk headings are lines of the old side, truncated at any byte.
    for (const line of lines) {
      const first = line[0];
      text += (first === PLUS || first === SPACE ? after : before)(line);
    }
    return text;
  }

  /** Decodes a file of any length, without a UTF-16 byte order mark. */
  async text(bytes: Buffer): Promise<string> {
    if (isUtf8(bytes)) return bytes.toString('utf8');
    const wide = utf16Encoding(bytes);
    const decoding = new TextDecoder(wide ?? (await this.#encodingOf(sampleOf(someLinesOf(bytes)))), {
      ignoreBOM: wide === null,
    });
    let text = '';
    for (let at = 0; at < bytes.length; at += BLOCK) {
      if (at > 0) await nextTurn();
      text += decoding.decode(bytes.subarray(at, at + BLOCK), { stream: true });
    }
    return text + decoding.decode();
  }

  /** Decodes the lines of a file, without line feeds; the encoding is detected from all of them. */
  async lines(lines: readonly Buffer[]): Promise<string[]> {
    const wide = utf16Encoding(lines[0]);
    if (wide !== null) {
      const text = decoder(wide)(Buffer.concat(lines.flatMap((line) => [line, Buffer.of(NEWLINE)])).subarray(0, -1));
      const textLines = text.split('\n');
      // Bytes of a character may look like a line feed.
      if (textLines.length === lines.length) return textLines;
    }
    const decode = await this.#decoderOf(lines);
    const texts: string[] = [];
    for (const line of lines) {
      if (texts.length % LINES_AT_ONCE === LINES_AT_ONCE - 1) await nextTurn();
      texts.push(decode(line));
    }
    return texts;
  }

  async #decoderOf(lines: readonly Buffer[]): Promise<Decode> {
    if (lines.every((line) => isUtf8(line))) return asUtf8;
    return decoder(await this.#encodingOf(sampleOf(lines)));
  }

  async #encodingOf(sample: Buffer): Promise<string> {
    if (isMostlyUtf8(sample)) return UTF_8;
    if (this.#sampleBudget < sample.length) return this.#previous;
    this.#sampleBudget -= sample.length;
    this.#previous = await guessed(sample);
    return this.#previous;
  }
}

/** Detects the encoding of a sample that is not UTF-8. */
async function guessed(sample: Buffer): Promise<string> {
  const cjk = cjkEncodingOf(sample);
  // The rest may be mixed.
  if (cjk !== null && isValid(cjk, sample)) return cjk;
  const { analyse } = await import('chardet');
  await nextTurn();
  const guesses = analyse(sample)
    .map(({ name, confidence }) => ({ name, confidence: confidence + (WESTERN.test(name) ? WESTERN_BONUS : 0) }))
    .toSorted((a, b) => b.confidence - a.confidence);
  const isShort = sample.length < SHORT;
  const guess = guesses.find(
    ({ name, confidence }) =>
      confidence >= MIN_CONFIDENCE &&
      !NEVER.test(name) &&
      !(isShort && OTHER_LATIN.test(name)) &&
      isValid(name, sample),
  );
  const otherwise = WESTERN_TEXT.test(sample.toString('latin1')) ? 'windows-1252' : UTF_8;
  return guess?.name ?? otherwise;
}

/** UTF-16 encoding according to the byte order mark at the start of a file. */
function utf16Encoding(start: Buffer | undefined): string | null {
  if (start?.[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start?.[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}
