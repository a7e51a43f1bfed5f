import { setImmediate as nextTurn } from 'node:timers/promises';
import { RE2JS, RE2JSException } from 're2js';
import { refused } from '../core/core.errors.ts';
import { threadTime } from '../core/thread-time.ts';
import { asciiLower } from '../db/like.ts';
import { GitError } from '../git/common/index.ts';

export interface MatchingLimits {
  /** Milliseconds of matching before yielding. */
  sliceMs: number;
  /** Processor time in milliseconds after which matching is aborted. */
  budgetMs: number;
}

const LIMITS: MatchingLimits = { sliceMs: 5, budgetMs: 800 };

/**
 * Compiles the `search` parameter of branches and tags (part 1, section 4.3): the name contains the text, starts with
 * it (`^text`) or ends with it (`text$`), case-insensitive for ASCII; `*` matches any text. Makes one pass over the
 * name for each part between stars.
 */
export function searchTest(search: string): (name: string) => boolean {
  const fromStart = search.startsWith('^');
  const toEnd = search.length > (fromStart ? 1 : 0) && search.endsWith('$');
  const text = asciiLower(search.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined));
  const parts = text.split('*');
  const first = fromStart ? parts.shift()! : '';
  const last = toEnd ? (parts.pop() ?? null) : '';
  return (input) => {
    const name = asciiLower(input);
    // `^text$` without a star is an exact match.
    if (last === null) return name === first;
    if (!name.startsWith(first) || !name.endsWith(last)) return false;
    const end = name.length - last.length;
    let at = first.length;
    for (const part of parts) {
      const index = name.indexOf(part, at);
      if (index === -1) return false;
      at = index + part.length;
    }
    return at <= end;
  };
}

/**
 * Filters items by a user's pattern on their name. The engine takes linear time, the work is sliced and limited: no
 * pattern can block the server.
 * @param pattern RE2
 * @param cpuMs returns the processor time of this thread
 * @throws ApiError 400 `Regex is invalid`; GitError `timeout`
 */
export async function matchingRegex<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  pattern: string,
  { sliceMs, budgetMs }: MatchingLimits = LIMITS,
  cpuMs: () => number = threadTime,
): Promise<readonly T[]> {
  const expression = compile(pattern);
  const matches: T[] = [];
  let spent = 0;
  let taken = cpuMs();
  let started = performance.now();
  for (const item of items) {
    if (expression.test(nameOf(item))) matches.push(item);
    const elapsed = performance.now() - started;
    if (elapsed < sliceMs) continue;
    spent += cpuMs() - taken;
    if (spent > budgetMs) throw new GitError('timeout', 'matching a pattern took too much time');
    await nextTurn();
    started = performance.now();
    taken = cpuMs();
  }
  return matches;
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw refused('Regex is invalid');
    throw error;
  }
}
