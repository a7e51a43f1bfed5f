/** Size of an atom; Unicode classes and case folding take a few instructions more. */
const ATOM = 2;
const REPEAT = /\{(\d+)(,(\d*))?\}/y;

/**
 * Estimated number of instructions of a pattern, at least half the real number: counted repetitions are unrolled, and
 * nested ones multiply. One pass for any text.
 */
export function patternSize(source: string): number {
  /** Sizes of the open groups before their inner group. */
  const outer: number[] = [];
  let size = 0;
  /** Size of the last atom, to which a repetition applies. */
  let last = 0;
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]!;
    if (char === '(') {
      outer.push(size);
      size = 0;
      last = 0;
    } else if (char === ')') {
      last = size + ATOM;
      size = (outer.pop() ?? 0) + last;
    } else if (char === '{') {
      REPEAT.lastIndex = at;
      const match = REPEAT.exec(source);
      if (match === null) continue;
      const times = Math.max(1, Number(match[1]), Number(match[3] || 0));
      size += last * (times - 1);
      last *= times;
      at = REPEAT.lastIndex - 1;
    } else {
      if (char === '\\') at += 1;
      if (char === '[') at = endOfClass(source, at);
      last = ATOM;
      size += ATOM;
    }
  }
  return outer.reduce((sum, each) => sum + each, size);
}

function endOfClass(source: string, from: number): number {
  let at = from + 1;
  if (source[at] === '^') at += 1;
  if (source[at] === ']') at += 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at;
}
