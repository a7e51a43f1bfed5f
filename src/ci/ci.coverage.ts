import { RE2JS } from 're2js';
import { compilePattern } from './expressions/expressions.pattern.ts';

/** Before each line of a log with times: time, stream, and whether the line goes on. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z [\da-f]{2}[OE][ +]/;

/** The last group of the last match in a line, or the whole of it where there are no groups. */
function lastMatch(program: RE2JS, line: string): string | null {
  const matcher = program.matcher(line);
  let found: string | null = null;
  while (matcher.find()) found = matcher.group(program.groupCount()) ?? '';
  return found;
}

/**
 * The coverage that a log tells, in percent: the number in the last line that the pattern finds one in.
 * @param lines from the last to the first, with or without their ends
 * @param pattern as `coverage` of a job has it, without slashes
 * @returns null where no line tells any
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
