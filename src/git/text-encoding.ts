import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cjkEncodingOf } from './cjk-encoding.ts';

/** Bytes of one text that its encoding is guessed from. */
const MAX_SAMPLE = 4 * 1024;
/**
 * Bytes of all texts of one answer that encodings are guessed from. Sixteen full samples take the detector 15 to 40 ms of processor
 * time, by what is in them, and twice that in a process that has not guessed before; others have their turn between two of them.
 */
const MAX_SAMPLED = 64 * 1024;
/** The detector gives ten to any short text that an encoding could be of: `cjkEncodingOf` tells more of those. */
const MIN_CONFIDENCE = 30;
/** Short texts in Western languages are often taken for other encodings with Latin letters. */
const WESTERN_BONUS = 15;
/** Of fewer bytes than these it tells no language with Latin letters from another: most are Western. */
const SHORT = 32;
const OTHER_LATIN = /^(ISO-8859-[29]|windows-125[0478])$/;
const WESTERN = /^(ISO-8859-1|windows-1252)$/;
/** What text of a Western language has, however short: no control characters, and nothing that Windows-1252 leaves out. */
const WESTERN_TEXT = /^[^\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]*$/;
/** Told by a mark at their start, and in use in mails alone. */
const NEVER = /^(UTF|ISO-2022)/;
/** So much of a file is decoded at a time, and so many of such blocks are looked at for a sample. */
const BLOCK = 64 * 1024;
const BLOCKS = 8;
/** Lines that are decoded before others have their turn. */
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

/** Whether bytes are text of an encoding throughout; a character cut off at the end does not matter. */
function isValid(encoding: string, bytes: Buffer): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is UTF-8 but for a few bytes: more of its characters can be read than not. */
function isMostlyUtf8(sample: Buffer): boolean {
  const text = asUtf8(sample);
  const replaced = text.split('\ufffd').length - 1;
  const others = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return others > replaced;
}

/** The lines that are not ASCII, up to the size of a sample: the others tell nothing. */
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

/** Lines of the first blocks of a file that are not ASCII. */
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
 * Decodes the contents of files for one answer. What is valid UTF-8, or is but for a few bytes, is that; of other text the
 * encoding is guessed. Where it cannot be told, text is taken for Windows-1252, which holds ISO 8859-1, and of what could be no
 * text of that, bytes that are no UTF-8 become U+FFFD. Never throws for what the bytes are.
 */
export class TextDecoding {
  #sampleBudget = MAX_SAMPLED;
  /** What the text before was in: taken once there were too many for more guesses. */
  #previous: string = UTF_8;

  /**
   * The text of one file's patch. Each side has its own encoding, guessed from its lines in all hunks of the patch, so
   * that both are right where a commit converts the file; hunks by themselves are too short to tell. Lines of context
   * are the same bytes on both sides and are decoded as the new one.
   */
  async patch(bytes: Buffer): Promise<string> {
    if (isUtf8(bytes)) return bytes.toString('utf8');
    const lines = [...linesOf(bytes)];
    const side = (sign: number) => lines.filter((line) => line[0] === sign || line[0] === SPACE);
    const before = await this.#decoderOf(side(MINUS));
    const after = await this.#decoderOf(side(PLUS));
    let text = '';
    // Headings of hunks are lines of the old side, cut at any byte.
    for (const line of lines) {
      const first = line[0];
      text += (first === PLUS || first === SPACE ? after : before)(line);
    }
    return text;
  }

  /** The text of a file, of any length; a mark of byte order in units of two bytes is left out. */
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

  /** The lines of a file, without their line feeds, whose encoding is guessed from all of them. */
  async lines(lines: readonly Buffer[]): Promise<string[]> {
    const wide = utf16Encoding(lines[0]);
    if (wide !== null) {
      const text = decoder(wide)(Buffer.concat(lines.flatMap((line) => [line, Buffer.of(NEWLINE)])).subarray(0, -1));
      const found = text.split('\n');
      // Bytes of a character may look like a line feed.
      if (found.length === lines.length) return found;
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

/** The encoding of a sample that is no UTF-8. */
async function guessed(sample: Buffer): Promise<string> {
  const cjk = cjkEncodingOf(sample);
  // It may be mixed further on.
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

/** The encoding in units of two bytes that a mark at the start of a file names. */
function utf16Encoding(start: Buffer | undefined): string | null {
  if (start?.[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start?.[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}
