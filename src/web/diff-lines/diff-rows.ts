import { changedWords, type Range } from './changed-words.ts';

/** A row of a diff that is shown line by line. */
export interface DiffRow {
  kind: 'hunk' | 'context' | 'delete' | 'add';
  /** Numbers of the line in the old and the new file; null where it is not part of that file. */
  old: number | null;
  new: number | null;
  /** The line without its mark and its end; of a hunk what follows its second `@@`. */
  text: string;
  /** Parts that differ from the line that it replaces, or is replaced by; none where all of it does. */
  changed: readonly Range[];
  /** Whether the file ends with this line, and without the end of a line. */
  isWithoutEnd: boolean;
}

/** Two rows that stand beside each other; null where one has no counterpart. */
export interface DiffRowPair {
  left: DiffRow | null;
  right: DiffRow | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;
/** Work for changed words of one diff, in pairs of words; further lines have no such parts. */
const MAX_WORD_PAIRS = 2_000_000;

/**
 * Rows of a diff.
 * @param diff hunks, as the `diff` of the API has them; what precedes the first is left out
 */
export function diffRows(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const mark = line[0];
    const text = line.slice(1).replace(/\r$/, '');
    const hunk = mark === '@' ? HUNK.exec(line) : null;
    const plain = { text, changed: [], isWithoutEnd: false };
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      rows.push({ kind: 'hunk', old: before, new: after, text: hunk[3]!, changed: [], isWithoutEnd: false });
    } else if (rows.length === 0) continue;
    else if (mark === '-') rows.push({ kind: 'delete', old: before++, new: null, ...plain });
    else if (mark === '+') rows.push({ kind: 'add', old: null, new: after++, ...plain });
    else if (mark === '\\') rows.at(-1)!.isWithoutEnd = true;
    else rows.push({ kind: 'context', old: before++, new: after++, ...plain });
  }
  markWords(rows);
  return rows;
}

/** Rows side by side: the lines of a replaced block stand beside those that replace it. */
export function diffRowPairs(rows: readonly DiffRow[]): DiffRowPair[] {
  const pairs: DiffRowPair[] = [];
  for (const { from, deleted, added } of blocksOf(rows)) {
    if (deleted + added === 0) {
      pairs.push({ left: rows[from]!, right: rows[from]! });
      continue;
    }
    for (let at = 0; at < Math.max(deleted, added); at += 1) {
      pairs.push({
        left: at < deleted ? rows[from + at]! : null,
        right: at < added ? rows[from + deleted + at]! : null,
      });
    }
  }
  return pairs;
}

function markWords(rows: readonly DiffRow[]): void {
  let left = MAX_WORD_PAIRS;
  for (const { from, deleted, added } of blocksOf(rows)) {
    // Of blocks of different lengths it is not known which line replaces which.
    if (deleted !== added) continue;
    for (let at = from; at < from + deleted && left > 0; at += 1) {
      const [one, other] = [rows[at]!, rows[at + deleted]!];
      const words = changedWords(one.text, other.text, left);
      left -= words.pairs;
      one.changed = words.before;
      other.changed = words.after;
    }
  }
}

/** Deleted lines with the added ones that follow; other rows one by one. */
function* blocksOf(rows: readonly DiffRow[]): Generator<{ from: number; deleted: number; added: number }> {
  for (let from = 0; from < rows.length; ) {
    let at = from;
    while (rows[at]?.kind === 'delete') at += 1;
    const deleted = at - from;
    while (rows[at]?.kind === 'add') at += 1;
    const added = at - from - deleted;
    yield { from, deleted, added };
    from += Math.max(1, deleted + added);
  }
}
