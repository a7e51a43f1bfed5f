import { type Lines, UNKNOWN } from './line-diff.lines.ts';

/** Git's penalties for the start or end of a group of changed lines; lower is better. */
const AT_START = 1;
const AT_END = 21;
const OF_BLANKS = -30;
const OF_BLANKS_BEHIND = 6;
const INDENTED = -4;
const INDENTED_AT_BLANKS = 10;
const OUTDENTED = 24;
const OUTDENTED_AT_BLANKS = 17;
const DEDENTED = 23;
const DEDENTED_AT_BLANKS = 17;
const OF_INDENT = 60;

const MAX_INDENT = 200;
const MAX_BLANKS = 20;
const TAB_WIDTH = 8;
const BLANK = -1;
const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32];

/** Quality of two split positions in a text, by the indentation of the surrounding lines. */
export class SplitScore {
  #indent = 0;
  #penalty = 0;

  /** Adds a position: before the line with this number. */
  add(lines: Lines, place: number): void {
    const isEnd = place >= lines.count;
    const own = isEnd ? BLANK : indentOf(lines, place);
    const above = look(lines, place - 1, -1);
    const below = look(lines, place + 1, 1);
    if (above.indent === BLANK && above.blanks === 0) this.#penalty += AT_START;
    if (isEnd) this.#penalty += AT_END;
    const blanksBehind = own === BLANK ? 1 + below.blanks : 0;
    const blanks = above.blanks + blanksBehind;
    this.#penalty += OF_BLANKS * blanks + OF_BLANKS_BEHIND * blanksBehind;
    const indent = own === BLANK ? below.indent : own;
    this.#indent += indent;
    if (indent === BLANK || above.indent === BLANK || indent === above.indent) return;
    if (indent > above.indent) this.#penalty += blanks > 0 ? INDENTED_AT_BLANKS : INDENTED;
    else if (below.indent > indent) this.#penalty += blanks > 0 ? OUTDENTED_AT_BLANKS : OUTDENTED;
    else this.#penalty += blanks > 0 ? DEDENTED_AT_BLANKS : DEDENTED;
  }

  /** Whether it is at least as good as another one. */
  isAsGoodAs(other: SplitScore): boolean {
    return OF_INDENT * Math.sign(this.#indent - other.#indent) + this.#penalty - other.#penalty <= 0;
  }
}

/**
 * Indentation of the next non-blank line, and number of blank lines before it; many blank lines count as a line without
 * indentation.
 */
function look(lines: Lines, from: number, step: 1 | -1): { indent: number; blanks: number } {
  let blanks = 0;
  for (let at = from; at >= 0 && at < lines.count; at += step) {
    const indent = indentOf(lines, at);
    if (indent !== BLANK) return { indent, blanks };
    blanks += 1;
    if (blanks === MAX_BLANKS) return { indent: 0, blanks };
  }
  return { indent: BLANK, blanks };
}

/** Indentation of a line in columns, cached. */
function indentOf(lines: Lines, line: number): number {
  const known = lines.indents[line]!;
  if (known !== UNKNOWN) return known;
  const indent = countColumns(lines, line);
  lines.indents[line] = indent;
  return indent;
}

function countColumns({ data, starts }: Lines, line: number): number {
  let columns = 0;
  for (let at = starts[line]!; at < starts[line + 1]!; at += 1) {
    const byte = data[at];
    if (byte === SPACE) columns += 1;
    else if (byte === TAB) columns += TAB_WIDTH - (columns % TAB_WIDTH);
    else if (byte !== LINE_FEED && byte !== RETURN) return columns;
    if (columns >= MAX_INDENT) return MAX_INDENT;
  }
  return BLANK;
}
