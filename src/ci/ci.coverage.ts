import { RE2JS } from 're2js';
import { compilePattern } from './expressions/expressions.pattern.ts';

/** Prefix of log lines with timestamps: time, stream, and whether the line continues. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z [\da-f]{2}[OE][ +]/;

/** The last group of the last match in a line, or the whole match without groups. */
function lastMatch(program: RE2JS, line: string): string | null {
  const matcher = program.matcher(line);
  let last: string | null = null;
  while (matcher.find()) last = matcher.group(program.groupCount()) ?? '';
  return last;
}

/**
 * Extracts the coverage in percent from a log: the number in the last line that matches.
 * @param lines from the last to the first, with or without line ends
 * @param pattern `coverage` of the job, without slashes
 * @returns null if no line matches
 */
export function coverageIn(lines: Iterable<string>, pattern: string): number | null {
  const bounded = compilePattern(pattern, '');
  if (bounded === null) return null;
  const program = RE2JS.compile(pattern);
  for (const line of lines) {
    const text = line.replace(TIMESTAMP, '').replace(/[\r\n]+$/, '');
    if (!bounded.test(text)) continue;
    const number = /\d+(\.\d+)?/.exec(lastMatch(program, text) ?? '');
    if (number !== null) return Number(number[0]);
  }
  return null;
}
