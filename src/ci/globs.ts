import { PathGlobs } from '../core/path-globs.ts';

/** Limits of expanded alternatives, for all globs of a matcher together. */
const MAX_ALTERNATIVES = 4096;
const MAX_CHARACTERS = 262_144;

/**
 * Compiles globs to a test of whole paths from the root of the repository. `*`, `?` and `[a-z]` match within a name,
 * including a leading dot; `**` before a slash matches any number of folders; `{a,b}` alternatives (section 3.4 of the platform's
 * `rules:changes`). The work for a path does not multiply with the number of globs; more than 4096 alternatives match
 * nothing.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const all = new PathGlobs();
  const budget = { alternatives: MAX_ALTERNATIVES, characters: MAX_CHARACTERS };
  for (const glob of new Set(globs)) for (const pattern of alternatives(glob, budget)) all.add(pattern, 0);
  return (path) => all.match(path).length > 0;
}

/** Patterns of a glob with braces expanded; none if a brace is not closed. */
function* alternatives(glob: string, budget: { alternatives: number; characters: number }): Generator<string> {
  const waiting = [glob];
  for (let pattern = waiting.pop(); pattern !== undefined; pattern = waiting.pop()) {
    budget.characters -= pattern.length;
    if (budget.characters < 0) return;
    const braces = firstBraces(pattern);
    if (braces === 'none') {
      budget.alternatives -= 1;
      if (budget.alternatives < 0) return;
      yield pattern;
    } else if (braces !== 'open') {
      const before = pattern.slice(0, braces.open);
      const after = pattern.slice(braces.close + 1);
      // Each part is limited before it is expanded, because alternatives of long patterns multiply.
      const room = Math.floor(budget.characters / Math.max(1, before.length + after.length));
      for (const [from, to] of braces.parts.slice(0, room).reverse()) {
        waiting.push(before + pattern.slice(from, to) + after);
      }
    }
  }
}

interface Braces {
  open: number;
  close: number;
  /** Start and end of its alternatives. */
  parts: [number, number][];
}

function firstBraces(pattern: string): Braces | 'none' | 'open' {
  let open = -1;
  let depth = 0;
  let from = 0;
  const parts: [number, number][] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') {
      at += 1;
    } else if (char === '{') {
      depth += 1;
      if (depth > 1) continue;
      open = at;
      from = at + 1;
    } else if (depth > 0 && (char === '}' || (char === ',' && depth === 1))) {
      if (char === '}') depth -= 1;
      if (char === '}' && depth > 0) continue;
      parts.push([from, at]);
      from = at + 1;
      if (depth === 0) return { open, close: at, parts };
    }
  }
  return open === -1 ? 'none' : 'open';
}
