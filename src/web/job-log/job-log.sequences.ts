/** A character that is not shown as it is, or what may be a marker of a section. */
export const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]|section_(?=start:|end:)/g;

const MARKER = /section_(start|end):(\d{1,12}):([\w.-]{1,200})(?:\[([\w=,.-]{0,200})\])?\r\x1b\[0?K/y;
const MARKER_BEGIN =
  /section_(?:start|end):(?:\d{0,12}|\d{1,12}:(?:[\w.-]{0,200}|[\w.-]{1,200}(?:\[[\w=,.-]{0,200}\]?)?|[\w.-]{1,200}(?:\[[\w=,.-]{0,200}\])?\r(?:\x1b(?:\[0?)?)?))$/y;
const WORDS = ['section_start:', 'section_end:'];

const CSI = /\x1b\[([0-?]{0,64})[ -/]{0,8}([@-~])/y;
/** Titles of windows, links, and the like. */
const STRING = /\x1b[\]PX^_][^\x07\x1b\x9c]{0,1024}(?:\x07|\x1b\\|\x9c)/y;
const OTHER = /\x1b[ -/]{0,4}[0-~]?/y;
const ESCAPE_BEGIN = /\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|[\]PX^_][^\x07\x1b\x9c]{0,1024}\x1b?|[ -/]{0,4})$/y;

/** `2026-01-01T00:00:00.000000Z 00O `: d is a digit, h a hexadecimal one, s the stream, c whether it continues a line. */
const HEADER = 'dddd-dd-ddTdd:dd:dd.ddddddZ hhsc';
const KINDS: Readonly<Record<string, RegExp>> = { d: /\d/, h: /[0-9a-f]/, s: /[EO]/, c: /[ +]/ };
/** Length of what a runner writes before each line. */
export const HEADER_LENGTH: number = HEADER.length;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Something at a place of a text: its length; `more`: that its end is not there yet. */
export interface Marker {
  kind: 'start' | 'end';
  time: number;
  name: string;
  options: string[];
  length: number;
}

/** The marker of a section; null if there is none. */
export function markerAt(text: string, at: number): Marker | 'more' | null {
  const match = matchAt(MARKER, text, at);
  if (match === null) return matchAt(MARKER_BEGIN, text, at) === null ? null : 'more';
  const [{ length }, kind, time, name = '', options = ''] = match;
  return { kind: kind as Marker['kind'], time: Number(time), name, options: options.split(','), length };
}

export interface Escape {
  length: number;
  /** Letter and parameters of a control sequence; empty for others, which are not followed. */
  command: string;
  parameters: string;
}

/** The escape sequence at an ESC. */
export function escapeAt(text: string, at: number): Escape | 'more' {
  const csi = matchAt(CSI, text, at);
  if (csi !== null) return { length: csi[0].length, command: csi[2]!, parameters: csi[1]! };
  const skipped = matchAt(STRING, text, at);
  if (skipped === null && matchAt(ESCAPE_BEGIN, text, at) !== null) return 'more';
  return { length: (skipped ?? matchAt(OTHER, text, at)!)[0].length, command: '', parameters: '' };
}

/** Whether a line begins with time and stream. */
export function headerAt(text: string, at: number): boolean | 'more' {
  for (let i = 0; i < HEADER.length; i += 1) {
    const char = text[at + i];
    if (char === undefined) return 'more';
    const expected = HEADER[i]!;
    if (!(KINDS[expected]?.test(char) ?? char === expected)) return false;
  }
  return true;
}

/** Length of the end of a text that may be the begin of a marker. */
export function beginOfMarker(text: string): number {
  const from = text.lastIndexOf('s', text.length - 1);
  for (const start of [text.lastIndexOf('s', from - 1), from]) {
    const end = text.slice(Math.max(start, 0));
    if (start >= 0 && WORDS.some((word) => end.length < word.length && word.startsWith(end))) return end.length;
  }
  return 0;
}
