/** Lines are folded at the first space after so many characters. */
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
  /** Where the text begins in its line. */
  column: number;
  /** Indentation of its further lines. */
  indent: number;
  /** A key stays on one line. */
  fold: boolean;
}

/** Writes words, going to a new line where one is long. Only single spaces are folded, and none at an end. */
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
  // A break is written as an empty line more, and what follows it is indented.
  const indentation = ' '.repeat(folding.indent);
  let result = "'";
  let started = false;
  for (const [place, line] of text.replaceAll("'", "''").split('\n').entries()) {
    // The first of several breaks is written twice: once it would be read as a space.
    if (place > 0) result += started ? '\n\n' : '\n';
    result += place === 0 || line === '' ? line : indentation + line;
    started = line !== '';
  }
  return `${result}${text.endsWith('\n') ? indentation : ''}'`;
}

/** In double quotes a line may be broken at any space: the next line begins with a backslash where it begins with one. */
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

/** `|` with its lines. */
export function literal(text: string, indent: number): string {
  const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : '';
  const chomping = !text.endsWith('\n') ? '-' : /(?:^|[\n\u2028\u2029])\n$/.test(text) ? '+' : '';
  const indentation = ' '.repeat(indent);
  // Every break begins a line, those of Unicode as well.
  const lines = text
    .split(/(?<=[\n\u2028\u2029])/)
    .map((line) => (/^[\n\u2028\u2029]/.test(line) ? line : indentation + line));
  return `|${hint}${chomping}\n${lines.join('').replace(/\n$/, '')}`;
}
