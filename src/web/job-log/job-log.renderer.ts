import { continuedSectionHtml, type LineOfLog, lineHtml, sectionEndHtml, sectionHtml } from './job-log.html.ts';
import { JobLogLine, type Layer, MAX_LINE } from './job-log.line.ts';
import {
  beginOfMarker,
  CONTROL,
  escapeAt,
  HEADER_LENGTH,
  headerAt,
  type Marker,
  markerAt,
} from './job-log.sequences.ts';
import { nextStyle, PLAIN } from './job-log.style.ts';

/** Sections in sections; those further in are lines. */
const MAX_SECTIONS = 16;
/** Column that a sequence moves to at most: what is before it becomes spaces. */
const MAX_COLUMN = 400;

interface Section {
  name: string;
  /** Unix time of its begin; null if its duration is not shown. */
  start: number | null;
  isOpen: boolean;
}

/** All that decides how a log goes on. It is plain data, of some 100 kB at most, and can be kept as JSON. */
export interface LogState {
  /** Number of the next line. */
  number: number;
  /** Bytes of a character, in hexadecimal, and characters of a sequence, whose end is not there yet. */
  bytes: string;
  text: string;
  style: number;
  layers: readonly Layer[];
  column: number;
  /** Open ones, the innermost last. */
  sections: readonly Section[];
  /** Whether the line is the header of the innermost section. */
  isHeader: boolean;
  /** Whether a section ended in this line, which is no line if it stays empty. */
  isEnd: boolean;
  /** Whether lines begin with their time; null before the first one. */
  hasTimes: boolean | null;
  isLineStart: boolean;
  /** Whether the line has ended, unless the next one continues it. */
  hasEnded: boolean;
  time: string | null;
  isError: boolean;
}

/** The state before the first byte of a log. */
export const LOG_START: LogState = {
  number: 1,
  bytes: '',
  text: '',
  style: PLAIN,
  layers: [],
  column: 0,
  sections: [],
  isHeader: false,
  isEnd: false,
  hasTimes: null,
  isLineStart: true,
  hasEnded: false,
  time: null,
  isError: false,
};

/** Renders a log from a state on. */
export class JobLogRenderer {
  readonly #state: Omit<LogState, 'layers' | 'column' | 'sections'>;
  readonly #line: JobLogLine;
  readonly #sections: Section[];
  #lines: string[] = [];

  constructor(state: LogState) {
    this.#state = { ...state };
    this.#line = new JobLogLine(state.layers, state.column);
    this.#sections = [...state.sections];
  }

  get state(): LogState {
    const layers = this.#line.layers();
    return { ...this.#state, layers, column: this.#line.column, sections: this.#sections };
  }

  /** HTML of what was completed since the last time. */
  takeHtml(): string {
    const html = this.#lines.join('');
    this.#lines = [];
    return html;
  }

  /** Takes characters, which follow those before. */
  add(added: string): void {
    const text = this.#state.text + added;
    const rest = this.#process(text, false);
    this.#state.text = text.slice(rest);
  }

  /** Ends the last line and all sections. */
  finish(): void {
    const { text } = this.#state;
    this.#state.text = '';
    this.#process(text, true);
    const { isLineStart, hasEnded, isHeader } = this.#state;
    if (hasEnded) this.#newLine();
    else if (isHeader || !(isLineStart || this.#line.isEmpty)) this.#endLine();
    while (this.#sections.length > 0) this.#closeSection(null);
  }

  /** The begins of the sections that are open, for a page that begins here. */
  reopened(): string {
    const begun = this.#state.isHeader ? this.#sections.slice(0, -1) : this.#sections;
    return begun.map(({ name }) => continuedSectionHtml(name)).join('');
  }

  /** @param isLast whether nothing follows @returns up to where the text is done: the rest waits for more */
  #process(text: string, isLast: boolean): number {
    const end = isLast ? text.length : text.length - beginOfMarker(text);
    for (let at = 0; at < text.length; ) {
      if (this.#state.isLineStart) {
        const begun = this.#beginLine(text, at, isLast);
        if (begun === 'more') return at;
        at += begun;
        if (at >= text.length) return at;
      }
      CONTROL.lastIndex = at;
      const match = CONTROL.exec(text);
      const index = match?.index ?? end;
      // What begins a marker is part of the text only when it is known to be none.
      if (index > at) this.#write(text.slice(at, index));
      if (match === null) return Math.max(index, at);
      const length = this.#control(text, index, match[0], isLast);
      if (length === 'more') return index;
      at = index + length;
    }
    return text.length;
  }

  /** @returns length of what stands before the line */
  #beginLine(text: string, at: number, isLast: boolean): number | 'more' {
    const state = this.#state;
    let header = state.hasTimes === false ? false : headerAt(text, at);
    if (header === 'more') {
      if (!isLast) return 'more';
      header = false;
    }
    state.hasTimes ??= header;
    state.isLineStart = false;
    const isContinued = header && text[at + HEADER_LENGTH - 1] === '+';
    if (state.hasEnded && !isContinued) this.#newLine();
    state.hasEnded = false;
    if (!header) state.time = null;
    else if (!isContinued || state.time === null) {
      state.time = text.slice(at, at + 27);
      state.isError = text[at + HEADER_LENGTH - 2] === 'E';
    }
    return header ? HEADER_LENGTH : 0;
  }

  /** Does what a control character, or a sequence that it begins, means. @returns its length */
  #control(text: string, at: number, char: string, isLast: boolean): number | 'more' {
    const line = this.#line;
    if (char === '\n') {
      this.#state.isLineStart = true;
      if (this.#state.hasTimes) this.#state.hasEnded = true;
      else this.#newLine();
    } else if (char === '\r') line.column = 0;
    else if (char === '\b') line.column = Math.max(0, line.column - 1);
    else if (char === '\x1b') {
      const sequence = escapeAt(text, at);
      if (sequence === 'more') return isLast ? text.length - at : 'more';
      this.#command(sequence.command, sequence.parameters);
      return sequence.length;
    } else if (char.length > 1) {
      const marker = markerAt(text, at);
      if (marker === 'more' && !isLast) return 'more';
      if (marker !== null && marker !== 'more') {
        this.#mark(marker);
        return marker.length;
      }
      this.#write(char);
      return char.length;
    }
    return 1;
  }

  #command(command: string, parameters: string): void {
    const state = this.#state;
    const line = this.#line;
    if (command === 'm') {
      if (/^[\d;:]*$/.test(parameters)) state.style = nextStyle(state.style, parameters);
    } else if (command === 'K') {
      if (parameters === '2') line.eraseFrom(0);
      else if (parameters === '' || parameters === '0') line.eraseFrom(line.column);
    } else if (command === 'G') line.column = Math.min(MAX_COLUMN, Math.max(1, Number(parameters) || 1) - 1);
    else if (command === 'C')
      line.column = Math.max(line.column, Math.min(MAX_COLUMN, line.column + (Number(parameters) || 1)));
    else if (command === 'D') line.column = Math.max(0, line.column - (Number(parameters) || 1));
  }

  #write(text: string): void {
    let rest = text;
    for (;;) {
      const room = MAX_LINE - this.#line.column;
      if (rest.length <= room) break;
      // Characters of two units stay whole.
      const isPair = room > 0 && (rest.charCodeAt(room - 1) & 0xfc00) === 0xd800;
      const length = isPair ? room - 1 : room;
      if (length > 0) this.#line.write(rest.slice(0, length), this.#state.style);
      this.#endLine();
      rest = rest.slice(length);
    }
    if (rest !== '') this.#line.write(rest, this.#state.style);
  }

  #mark({ kind, name, time, options }: Marker): void {
    const state = this.#state;
    const inner = this.#sections.findLastIndex((section) => section.name === name);
    const isKnown = kind === 'start' ? this.#sections.length < MAX_SECTIONS : inner >= 0;
    if (!isKnown) {
      if (state.isHeader) this.#line.column = 0;
      else if (this.#line.isEmpty) state.isEnd = true;
      else this.#endLine();
      return;
    }
    if (state.isHeader || !this.#line.isEmpty) this.#endLine();
    if (kind === 'start') {
      const start = options.includes('hide_duration=true') ? null : time;
      this.#sections.push({ name, start, isOpen: !options.includes('collapsed=true') });
      state.isHeader = true;
    } else {
      while (this.#sections.length > inner + 1) this.#closeSection(null);
      this.#closeSection(time);
      state.isEnd = true;
    }
    this.#line.clear();
  }

  #closeSection(time: number | null): void {
    const { start } = this.#sections.pop()!;
    const seconds = start === null || time === null || time < start ? null : time - start;
    this.#lines.push(sectionEndHtml(seconds));
  }

  /** Ends a line, unless it holds nothing but the end of a section. */
  #newLine(): void {
    if (this.#state.isEnd && !this.#state.isHeader && this.#line.isEmpty) {
      this.#state.isEnd = false;
      this.#line.clear();
    } else this.#endLine();
  }

  #endLine(): void {
    const state = this.#state;
    const { number, time, isError } = state;
    const line: LineOfLog = { number, layers: this.#line.layers(), time, isError };
    this.#lines.push(state.isHeader ? sectionHtml(line, this.#sections.at(-1)!.isOpen) : lineHtml(line));
    state.number += 1;
    state.isHeader = false;
    state.isEnd = false;
    this.#line.clear();
  }
}
