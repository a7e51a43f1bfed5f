import { InvalidImportObject } from './coerce-import.ts';

/** Maximum nesting of lists and objects, which bounds recursion. */
const MAX_DEPTH = 100;
/** Maximum number of values of an object at any depth, which bounds memory and rows per transaction. */
const MAX_VALUES = 500_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN, OPEN_LIST, CLOSE, CLOSE_LIST] = [0x7b, 0x5b, 0x7d, 0x5d];

/** Checks a line of JSON before it is parsed. @throws InvalidImportObject if it has too many values, or is too deep */
export function checkShape(line: Buffer): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) {
      at = endOfText(line, at);
    } else if (byte === OPEN || byte === OPEN_LIST) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw new InvalidImportObject(`the object is more than ${MAX_DEPTH} levels deep`);
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth -= 1;
    } else if (byte === COMMA) {
      values += 1;
    }
    if (values > MAX_VALUES) throw new InvalidImportObject(`the object has more than ${MAX_VALUES} values`);
  }
}

/** Position of the end of the string that begins at `start`. */
function endOfText(line: Buffer, start: number): number {
  for (let end = line.indexOf(QUOTE, start + 1); end !== -1; end = line.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (line[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return line.length;
}
