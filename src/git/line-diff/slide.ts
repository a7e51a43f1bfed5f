import { SplitScore } from './indent.ts';
import type { Lines } from './line-diff.lines.ts';

/** So many places of a group are looked at for the best one. */
const MAX_SLIDING = 100;

/** Changed lines that follow on each other; empty between two that stay. */
class Group {
  readonly #lines: Lines;
  start: number;
  /** Behind the last one. */
  end: number;

  /** @param start of its lines: no changed one comes before it */
  constructor(lines: Lines, start: number) {
    this.#lines = lines;
    this.start = start;
    this.end = start;
    this.#reachDown();
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  get size(): number {
    return this.end - this.start;
  }

  /** Goes to the next one, behind the line that stays. @returns false where there is none */
  next(): boolean {
    if (this.end === this.#lines.count) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#reachDown();
    return true;
  }

  previous(): void {
    this.end = this.start - 1;
    this.start = this.end;
    this.#reachUp();
  }

  /** Moves it by a line, where the one before it is its last one again. @returns whether it did */
  slideUp(): boolean {
    const { kinds, changed } = this.#lines;
    if (this.start === 0 || kinds[this.start - 1] !== kinds[this.end - 1]) return false;
    this.start -= 1;
    this.end -= 1;
    changed[this.start] = 1;
    changed[this.end] = 0;
    this.#reachUp();
    return true;
  }

  slideDown(): boolean {
    const { kinds, changed, count } = this.#lines;
    if (this.end === count || kinds[this.start] !== kinds[this.end]) return false;
    changed[this.start] = 0;
    changed[this.end] = 1;
    this.start += 1;
    this.end += 1;
    this.#reachDown();
    return true;
  }

  #reachDown(): void {
    const { changed } = this.#lines;
    while (changed[this.end] === 1) this.end += 1;
  }

  #reachUp(): void {
    const { changed } = this.#lines;
    while (this.start > 0 && changed[this.start - 1] === 1) this.start -= 1;
  }
}

/**
 * Moves the changed lines of one content that could as well be others before or behind them to where git shows them: where the other
 * content is changed, too, else where it reads best by how lines are indented.
 * @param same lines at the beginning of both that are the same
 */
export function slideChanges(lines: Lines, other: Lines, same: number): void {
  const group = new Group(lines, same);
  const there = new Group(other, same);
  do {
    if (group.isEmpty) continue;
    const { size, highest, matched } = slideAround(group, there);
    if (group.end === highest) continue;
    if (matched) {
      while (there.isEmpty) up(group, there);
    } else {
      const best = bestEnd(lines, group, size, highest);
      while (group.end > best) up(group, there);
    }
  } while (group.next() && there.next());
}

/**
 * Moves a group up and then down as far as it goes; it takes in those that it meets.
 * @returns the size that it had before, its end where it was highest, and whether the other content has a change that it may stand beside
 */
function slideAround(group: Group, there: Group): { size: number; highest: number; matched: boolean } {
  for (;;) {
    const { size } = group;
    while (group.slideUp()) there.previous();
    const highest = group.end;
    let matched = !there.isEmpty;
    while (group.slideDown()) {
      there.next();
      matched ||= !there.isEmpty;
    }
    if (group.size === size) return { size, highest, matched };
  }
}

function up(group: Group, there: Group): void {
  group.slideUp();
  there.previous();
}

/** Where a group ends best, of the places from the highest to its own. */
function bestEnd(lines: Lines, group: Group, size: number, highest: number): number {
  const first = Math.max(highest, group.end - size - 1, group.end - MAX_SLIDING);
  let best = first;
  let bestScore: SplitScore | undefined;
  for (let end = first; end <= group.end; end += 1) {
    const score = new SplitScore();
    score.add(lines, end);
    score.add(lines, end - size);
    if (bestScore !== undefined && !score.isAsGoodAs(bestScore)) continue;
    best = end;
    bestScore = score;
  }
  return best;
}
