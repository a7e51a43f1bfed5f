import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes of one text that its encoding is guessed from. */
const MAX_SAMPLE = 4 * 1024;
/** Bytes of all texts of one answer that encodings are guessed from: some tens of milliseconds. */
const MAX_SAMPLED = 64 * 1024;
/** The detector gives ten to any short text that an encoding could be of. */
const MIN_CONFIDENCE = 30;
/** Short texts in Western languages are often taken for other encodings with Latin letters. */
const WESTERN_BONUS = 15;
const WESTERN = /^(ISO-8859-1|windows-1252)$/;
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

/** The lines that are not ASCII, up to the size of a sample: the others tell nothing. */
function sampleOf(lines: Iterable<Buffer>): Buffer {
  const sample: Buffer[] = [];
  let length = 0;
  for (const line of lines) {
    if (length >= MAX_SAMPLE) break;
    if (line.every((byte) => byte < 0x80)) continue;
    const part = line.subarray(0, MAX_SAMPLE - length);
    sample.push(part);
    length += part.length;
  }
  return Buffer.concat(sample);
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
 * Decodes the contents of files for one answer. What is valid UTF-8 is that; of other text the encoding is guessed, and
 * where it cannot be told, bytes that are no UTF-8 become U+FFFD. Never throws for what the bytes are.
 */
export class TextDecoding {
  #sampleBudget = MAX_SAMPLED;
  /** That of the text before: used once the budget for samples is spent. */
  #previous: Decode = asUtf8;

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
    return lines.map(decode);
  }

  async #decoderOf(lines: readonly Buffer[]): Promise<Decode> {
    if (lines.every((line) => isUtf8(line))) return asUtf8;
    const sample = sampleOf(lines);
    if (this.#sampleBudget < sample.length) return this.#previous;
    this.#sampleBudget -= sample.length;
    const { analyse } = await import('chardet');
    await nextTurn();
    const guesses = analyse(sample)
      .map(({ name, confidence }) => ({ name, confidence: confidence + (WESTERN.test(name) ? WESTERN_BONUS : 0) }))
      .toSorted((a, b) => b.confidence - a.confidence);
    const guess = guesses.find(
      ({ name, confidence }) => confidence >= MIN_CONFIDENCE && !/^(UTF|ISO-2022)/.test(name) && isValid(name, sample),
    );
    this.#previous = guess === undefined ? asUtf8 : decoder(guess.name);
    return this.#previous;
  }
}

/** The encoding in units of two bytes that a mark at the start of a file names. */
function utf16Encoding(start: Buffer | undefined): string | null {
  if (start?.[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start?.[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}
