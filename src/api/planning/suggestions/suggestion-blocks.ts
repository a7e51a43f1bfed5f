/** A block `suggestion` of a text. */
export interface SuggestionBlock {
  /** Number of lines above and below the commented one that it replaces, too. */
  above: number;
  below: number;
  /** The new lines, each with its line feed; empty to remove the lines. */
  content: string;
}

/** Maximum number of lines above, and below, the commented one. */
export const MAX_CONTEXT = 100;
/** Maximum number of suggestions of a text; further blocks are only text. */
const MAX_BLOCKS = 100;

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const INFO = /^[ \t]*suggestion(?::(\S*))?(?:\s|$)/;
const OFFSETS = /^-(\d{1,9})\+(\d{1,9})$/;

interface OpenFence {
  indent: number;
  mark: string;
  /** Null for a block of another kind. */
  block: { above: number; below: number } | null;
  lines: string[];
}

/**
 * Finds the suggestions of a Markdown text: fenced blocks outside HTML comments, in their order. Linear time for any
 * text.
 */
export function suggestionBlocks(text: string): SuggestionBlock[] {
  const blocks: SuggestionBlock[] = [];
  if (!text.includes('suggestion')) return blocks;
  let open: OpenFence | null = null;
  let inComment = false;
  for (const line of linesOf(text)) {
    if (open !== null) {
      if (!closes(open, line)) {
        if (open.block !== null) open.lines.push(unindent(line, open.indent));
        continue;
      }
      if (open.block !== null) blocks.push(blockOf(open.block, open.lines));
      open = null;
      if (blocks.length === MAX_BLOCKS) return blocks;
    } else if (inComment) {
      inComment = !line.includes('-->');
    } else if (/^ {0,3}<!--/.test(line)) {
      inComment = !line.includes('-->');
    } else {
      open = fenceOf(line);
    }
  }
  // A block without end lasts to the end of the text.
  if (open?.block) blocks.push(blockOf(open.block, open.lines));
  return blocks;
}

/** The lines of a text, without their ends, and without the last one if it is empty. */
function* linesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    yield text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    start = end + 1;
  }
}

function fenceOf(line: string): OpenFence | null {
  const match = FENCE.exec(line);
  if (match === null) return null;
  const [, indent, mark, info] = match as unknown as [string, string, string, string];
  if (mark.startsWith('`') && info.includes('`')) return null;
  const named = INFO.exec(info);
  const [, above = 0, below = 0] = OFFSETS.exec(named?.[1] ?? '') ?? [];
  const offset = (count: string | number) => Math.min(Number(count), MAX_CONTEXT);
  const block = named === null ? null : { above: offset(above), below: offset(below) };
  return { indent: indent.length, mark, block, lines: [] };
}

function closes({ mark }: OpenFence, line: string): boolean {
  const match = FENCE.exec(line);
  return match !== null && match[2]!.startsWith(mark) && match[3]!.trim() === '';
}

/** Removes as many spaces as the fence has before it, at most. */
function unindent(line: string, indent: number): string {
  let spaces = 0;
  while (spaces < indent && line[spaces] === ' ') spaces += 1;
  return line.slice(spaces);
}

const blockOf = (offsets: { above: number; below: number }, lines: readonly string[]): SuggestionBlock => ({
  ...offsets,
  content: lines.map((line) => `${line}\n`).join(''),
});
