import { maskCode } from '../../../core/reference-mask.ts';

/** A parsed quick action: `/label ~bug` is `{ name: 'label', argument: '~bug' }`. */
export interface Command {
  /** Lowercase name. */
  name: string;
  /** Rest of its line, trimmed. */
  argument: string;
}

/** A parsed text. */
export interface ParsedText {
  /** The text without its quick actions. */
  text: string;
  /** The quick actions in order, at most `MAX_COMMANDS`. */
  commands: Command[];
  /** Number of further quick actions. */
  dropped: number;
}

/** Maximum number of quick actions of a text. */
export const MAX_COMMANDS = 100;
/** Maximum length of a line with a quick action. */
const MAX_LINE = 10_000;
/** Maximum length of an HTML tag. */
const MAX_TAG = 1_000;
const COMMAND = /^\/([a-z][a-z_]{0,39})(?:[ \t]+(.*))?$/i;

/** Lines that begin an HTML block: up to a blank line, or up to its closing tag. */
const HTML =
  /^ {0,3}<\/?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$)/i;
const RAW_HTML = /^ {0,3}<(pre|script|style|textarea)(?:[\s>]|$)/i;
/** A tag at the start of a line, and the rest of the line. */
const TAG = /^ {0,3}<([a-z][a-z0-9-]{0,40})(?:\s[^<>]*)?>(.*)/i;
/** A closing tag at the start of a line. */
const CLOSING_TAG = /^ {0,3}<\/([a-z][a-z0-9-]{0,40})>/gim;
const QUOTE = '>>>';

const SUBSTITUTIONS: Readonly<Record<string, string>> = { shrug: '¯\\＿(ツ)＿/¯', tableflip: '(╯°□°)╯︵ ┻━┻' };

/**
 * Extracts the quick actions from a Markdown text: lines that begin with a slash and a known name. In code, comments,
 * HTML and quotations they are text, like unknown ones. Replaces `/shrug` and `/tableflip`. Runs in linear time.
 * @param known whether a lowercase name is a quick action
 */
export function parseQuickActions(text: string, known: (name: string) => boolean): ParsedText {
  if (!text.startsWith('/') && !text.includes('\n/')) return { text, commands: [], dropped: 0 };
  const normal = text.replaceAll('\r', '');
  const remaining: string[] = [];
  const commands: Command[] = [];
  let [dropped, changed, afterCommand] = [0, false, false];
  for (const { line, prose } of linesOf(normal)) {
    // As on the platform, blank lines after a quick action are removed with it.
    if (afterCommand && line.trim() === '') continue;
    afterCommand = false;
    const match = prose && line.startsWith('/') && line.length <= MAX_LINE ? COMMAND.exec(line.trimEnd()) : null;
    const name = match?.[1]?.toLowerCase() ?? '';
    const argument = match?.[2]?.trim() ?? '';
    if (match !== null && Object.hasOwn(SUBSTITUTIONS, name)) {
      remaining.push(`${argument} ${SUBSTITUTIONS[name]}`.trimStart());
      changed = true;
    } else if (match !== null && known(name)) {
      if (commands.length < MAX_COMMANDS) commands.push({ name, argument });
      else dropped += 1;
      [changed, afterCommand] = [true, true];
    } else remaining.push(line);
  }
  return changed
    ? { text: remaining.join('\n').trimEnd(), commands: commands, dropped }
    : { text, commands: commands, dropped };
}

/** The lines of a text, and whether they may contain a quick action. */
function* linesOf(text: string): Generator<{ line: string; prose: boolean }> {
  const masked = maskCode(text);
  const quoted = quotedLines(text);
  const closings = lastClosings(text);
  let [start, number] = [0, 0];
  /** End of the current HTML block: a lowercase tag, or '' for a blank line. */
  let html: string | null = null;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const code = masked[start] === '\0' && end > start;
    if (html === null && !code) html = htmlOpenedBy(line, (tag) => closings(tag) > end);
    const prose = html === null && !code && !quoted(number);
    if (html !== null && (html === '' ? line.trim() === '' : line.toLowerCase().includes(html))) html = null;
    yield { line, prose };
    start = end + 1;
    number += 1;
  }
}

/**
 * End of the HTML block that a line begins: a tag that is closed further down, else '' for a blank line; null if it
 * begins none.
 * @param closedLater whether a tag is closed after the line
 */
function htmlOpenedBy(line: string, closedLater: (tag: string) => boolean): string | null {
  if (!/^ {0,3}</.test(line)) return null;
  const head = line.slice(0, MAX_TAG);
  const raw = RAW_HTML.exec(head);
  if (raw !== null) return `</${raw[1]!.toLowerCase()}>`;
  const block = HTML.test(head);
  const [, tag, rest = ''] = TAG.exec(head) ?? [];
  if (tag !== undefined && (block || rest.trim() === '') && closedLater(tag.toLowerCase())) {
    const closing = `</${tag.toLowerCase()}>`;
    if (!line.toLowerCase().includes(closing)) return closing;
  }
  return block ? '' : null;
}

/** Returns the position of the last line that begins with the closing tag of a lowercase tag; -1 for none. */
function lastClosings(text: string): (tag: string) => number {
  if (!text.includes('</')) return () => -1;
  const last = new Map<string, number>();
  for (const { 1: tag, index } of text.matchAll(CLOSING_TAG)) last.set(tag!.toLowerCase(), index);
  return (tag) => last.get(tag) ?? -1;
}

/** Returns whether a line is between two `>>>` lines. */
function quotedLines(text: string): (number: number) => boolean {
  if (!text.includes(QUOTE)) return () => false;
  const marks = text.split('\n').flatMap((line, number) => (line.trimEnd() === QUOTE ? [number] : []));
  let at = 0;
  return (number) => {
    while (at + 1 < marks.length && marks[at + 1]! < number) at += 2;
    return at + 1 < marks.length && marks[at]! <= number;
  };
}
