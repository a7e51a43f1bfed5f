import { SplitScore } from './indent.ts';
import type { Lines } from './line-diff.lines.ts';

/** Maximum number of positions of a group that are rated. */
const MAX_SLIDING = 100;

/** A group of consecutive changed lines; empty between two unchanged ones. */
class Group {
  readonly #lines: Lines;
  start: number;
  /** Index after the last line. */
  end: number;

  /** @param start index before which no line is changed */
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

  /** Moves to the group after the next unchanged line. @returns false if there is none */
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

  /** Slides the group up by a line if the line before it equals its last one. @returns whether it moved */
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
 * Moves groups of changed lines that could as well be placed elsewhere to the position that git shows: beside a change
 * of the other content, otherwise where the indentation fits best.
 * @param same number of common lines at the start
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
 * Slides a group up and then down as far as possible, merging with groups that it meets.
 * @returns its original size, its highest end, and whether it can be aligned with a change of the other content
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

/** Best end of a group, between the highest one and its own. */
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
