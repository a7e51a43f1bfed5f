export interface Trailers {
  /** The last value of each key, in order of the keys. */
  trailers: Record<string, string>;
  /** All values of each key. */
  extended: Record<string, string[]>;
}

const SCISSORS = '# ------------------------ >8 ------------------------\n';
const COMMENT = '#';
/** Lines written by git: one of them makes a mixed paragraph a trailer block. */
const GENERATED = /^(?:Signed-off-by: |\(cherry picked from commit )/;
/** A key of letters, digits and hyphens, then optional whitespace, then the colon. */
const KEY = /^([A-Za-z0-9-]+[ \t]*):/;
/** Git's definition of whitespace, which is narrower than `\s`. */
const BLANK = /^[ \t\r\n]/;
const BLANK_LINE = /^[ \t\r]*(?:\n|$)/;

function trim(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
}

/** Lines of a text with their newlines. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/**
 * Removes the text after the scissors line, and trailing comments, blank lines and old conflict lists. As in git, a tail
 * never begins with the first line: a conflict list that does stays open.
 */
function withoutTail(lines: readonly string[]): readonly string[] {
  const scissors = lines.indexOf(SCISSORS);
  const all = scissors < 0 ? lines : lines.slice(0, scissors);
  let end = 0;
  let inConflicts = false;
  for (const [index, line] of all.entries()) {
    if (line.startsWith(COMMENT) || line === '\n') {
      end ||= index;
    } else if (line === 'Conflicts:\n') {
      inConflicts = true;
      end ||= index;
    } else if (!(inConflicts && line.startsWith('\t')) && end > 0) {
      end = 0;
      inConflicts = false;
    }
  }
  return end > 0 ? all.slice(0, end) : all;
}

/** Index after the first paragraph, which is the title and never contains trailers. */
function endOfTitle(lines: readonly string[]): number {
  const index = lines.findIndex((line) => !line.startsWith(COMMENT) && BLANK_LINE.test(line));
  return index < 0 ? lines.length : index;
}

/**
 * The last paragraph if it is a trailer block: only trailers, or at least one line written by git and no more than
 * three other lines for each trailer.
 */
function trailerBlock(lines: readonly string[]): readonly string[] {
  const title = endOfTitle(lines);
  let generated = false;
  let trailers = 0;
  let others = 0;
  let continuations = 0;
  let onlyBlank = true;
  for (let index = lines.length - 1; index >= title; index -= 1) {
    const line = lines[index]!;
    if (line.startsWith(COMMENT)) {
      others += continuations;
      continuations = 0;
    } else if (BLANK_LINE.test(line)) {
      if (onlyBlank) continue;
      others += continuations;
      const isBlock = (generated && trailers * 3 >= others) || (trailers > 0 && others === 0);
      return isBlock ? lines.slice(index + 1) : [];
    } else {
      onlyBlank = false;
      if (GENERATED.test(line) || KEY.test(line)) {
        generated ||= GENERATED.test(line);
        trailers += 1;
        continuations = 0;
      } else if (BLANK.test(line)) {
        continuations += 1;
      } else {
        others += 1 + continuations;
        continuations = 0;
      }
    }
  }
  return [];
}

/** Joins each trailer with its indented continuation lines. */
function unfold(block: readonly string[]): string[] {
  const joined: string[] = [];
  let open = false;
  for (const line of block) {
    if (open && BLANK.test(line)) {
      joined.push(joined.pop()! + line);
    } else {
      joined.push(line);
      open = KEY.test(line);
    }
  }
  return joined;
}

/**
 * Parses the trailers at the end of a commit message, like `git interpret-trailers --parse --no-divider`.
 * @param message the whole message, including the title
 * @returns objects without a prototype, so that no key is special; serves `trailers` and `extended_trailers` of a
 *   commit
 */
export function parseTrailers(message: string): Trailers {
  const trailers: Record<string, string> = Object.create(null);
  const extended: Record<string, string[]> = Object.create(null);
  for (const text of unfold(trailerBlock(withoutTail(linesOf(message))))) {
    const key = KEY.exec(text);
    if (key === null || text.startsWith(COMMENT)) continue;
    const value = trim(trim(text.slice(key[0].length)).replace(/\n[ \t\r\n]*/g, ' '));
    const name = trim(key[1]!);
    trailers[name] = value;
    extended[name] ??= [];
    extended[name].push(value);
  }
  return { trailers, extended };
}
