/** Column after which lines are folded at the next space. */
const WIDTH = 80;

const ESCAPES: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  27: '\\e',
  34: '\\"',
  92: '\\\\',
  133: '\\N',
  160: '\\_',
  8232: '\\L',
  8233: '\\P',
};
const PRINTABLE = /^[\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u;

function escaped(char: string): string {
  const code = char.codePointAt(0)!;
  if (char !== '"' && char !== '\\' && code !== 8232 && code !== 8233 && PRINTABLE.test(char)) return char;
  if (ESCAPES[code] !== undefined) return ESCAPES[code];
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

interface Folding {
  /** Column of the text in its line. */
  column: number;
  /** Indentation of further lines. */
  indent: number;
  /** Whether lines may be folded; keys are not. */
  fold: boolean;
}

/** Writes a text with long lines folded. Only single inner spaces are folded. */
function folded(text: string, { column, indent, fold }: Folding, write: (char: string) => string): string {
  let line = column;
  let result = '';
  if (!fold || column + text.length <= WIDTH) {
    for (const char of text) result += write(char);
    return result;
  }
  const chars = [...text];
  let spaces = false;
  chars.forEach((char, place) => {
    const inside = place > 0 && place < chars.length - 1;
    if (char === ' ' && !spaces && line > WIDTH && inside && chars[place + 1] !== ' ') {
      result += `\n${' '.repeat(indent)}`;
      line = indent;
      spaces = true;
      return;
    }
    const written = write(char);
    result += written;
    line += written.length;
    spaces = char === ' ';
  });
  return result;
}

export const plainText = (text: string, folding: Folding): string => folded(text, folding, (char) => char);

export function singleQuoted(text: string, folding: Folding): string {
  const inside = { ...folding, column: folding.column + 1 };
  if (!text.includes('\n')) return `'${folded(text, inside, (char) => (char === "'" ? "''" : char))}'`;
  // A line break is written as an additional empty line, and the next line is indented.
  const indentation = ' '.repeat(folding.indent);
  let result = "'";
  let started = false;
  for (const [place, line] of text.replaceAll("'", "''").split('\n').entries()) {
    // The first of several breaks is written twice: a single one would be read as a space.
    if (place > 0) result += started ? '\n\n' : '\n';
    result += place === 0 || line === '' ? line : indentation + line;
    started = line !== '';
  }
  return `${result}${text.endsWith('\n') ? indentation : ''}'`;
}

/** In double quotes a line can be folded at any space: a next line that begins with a space gets a backslash. */
export function doubleQuoted(text: string, { column, indent, fold }: Folding): string {
  const chars = [...text];
  let line = column + 1;
  let result = '"';
  let spaces = false;
  chars.forEach((char, place) => {
    const inside = place > 0 && place < chars.length - 1;
    if (char === ' ' && fold && !spaces && line > WIDTH && inside) {
      const next = chars[place + 1] === ' ' ? '\\' : '';
      result += `\n${' '.repeat(indent)}${next}`;
      line = indent + next.length;
      spaces = true;
      return;
    }
    const written = escaped(char);
    result += written;
    line += written.length;
    spaces = char === ' ';
  });
  return `${result}"`;
}

/** A literal block (`|`). */
export function literal(text: string, indent: number): string {
  const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : '';
  const chomping = !text.endsWith('\n') ? '-' : /(?:^|[\n\u2028\u2029])\n$/.test(text) ? '+' : '';
  const indentation = ' '.repeat(indent);
  // All line breaks count, including Unicode ones.
  const lines = text
    .split(/(?<=[\n\u2028\u2029])/)
    .map((line) => (/^[\n\u2028\u2029]/.test(line) ? line : indentation + line));
  return `|${hint}${chomping}\n${lines.join('').replace(/\n$/, '')}`;
}
