import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { escapeHtml } from '../../core/html.ts';
import { changedWords } from './changed-words.ts';
import { type DiffRow, diffRowPairs, diffRows, markRanges, type Range } from './index.ts';

/** `-3 old text`, `+4 new text`, ` 3 4 both`, `@ 1 1 what`. */
const brief = ({ kind, old, new: added, text, isWithoutEnd }: DiffRow) => {
  const mark = { hunk: '@', context: ' ', delete: '-', add: '+' }[kind];
  const numbers = [old, added].filter((number) => number !== null).join(' ');
  return `${mark}${numbers} ${text}${isWithoutEnd ? ' \\' : ''}`;
};

const DIFF = `--- a/x
+++ b/x
@@ -1,3 +1,4 @@ function f() {
 one
-two
+two and a half
+--more
 three
@@ -10 +11 @@
-ten
\\ No newline at end of file
+++ten
\\ No newline at end of file
`;

test('a diff becomes rows with numbers', () => {
  assert.deepEqual(diffRows(DIFF).map(brief), [
    '@1 1 function f() {',
    ' 1 1 one',
    '-2 two',
    '+2 two and a half',
    '+3 --more',
    ' 3 4 three',
    '@10 11 ',
    '-10 ten \\',
    '+11 ++ten \\',
  ]);
  assert.deepEqual(diffRows(''), []);
  assert.deepEqual(diffRows('@@ -0,0 +1 @@\n+a\r\n').map(brief), ['@0 1 ', '+1 a']);
  assert.deepEqual(diffRows('@@ -1,2 +1,1 @@\n \n-\n').map(brief), ['@1 1 ', ' 1 1 ', '-2 ']);
});

test('rows stand beside those that they replace', () => {
  const pairs = diffRowPairs(diffRows(DIFF)).map(({ left, right }) => [
    left === null ? null : brief(left),
    right === null ? null : brief(right),
  ]);
  assert.deepEqual(pairs, [
    ['@1 1 function f() {', '@1 1 function f() {'],
    [' 1 1 one', ' 1 1 one'],
    ['-2 two', '+2 two and a half'],
    [null, '+3 --more'],
    [' 3 4 three', ' 3 4 three'],
    ['@10 11 ', '@10 11 '],
    ['-10 ten \\', '+11 ++ten \\'],
  ]);
});

const partsOf = (text: string, ranges: readonly Range[]) => ranges.map(([from, to]) => text.slice(from, to));

describe('changed words', () => {
  const cases: readonly (readonly [before: string, after: string, deleted: string[], added: string[]])[] = [
    ['const a = 1;', 'const b = 1;', ['a'], ['b']],
    ['return f(x, y) + 1', 'return f(y) + 2', ['x, ', '1'], ['2']],
    ['same', 'same', [], []],
    ['a long line of words', 'x', [], []],
    ['nothing is alike here', 'totally other words', [], []],
    ['Größe', 'Größen', [], []],
    ['die Größe ist 1', 'die Größen ist 1', ['Größe'], ['Größen']],
    ['see \u{1f600} here', 'see \u{1f601} here', ['\u{1f600}'], ['\u{1f601}']],
  ];
  for (const [before, after, deleted, added] of cases) {
    test(`of ${before} and ${after}`, () => {
      const words = changedWords(before, after, 1_000);
      assert.deepEqual([partsOf(before, words.before), partsOf(after, words.after)], [deleted, added]);
    });
  }

  test('are marked where as many lines are added as deleted', () => {
    const rows = diffRows('@@ -1,2 +1,2 @@\n-const a = 1;\n-const b = 2;\n+const c = 1;\n+const b = 3;\n');
    assert.deepEqual(
      rows.map(({ text, changed }) => partsOf(text, changed)),
      [[], ['a'], ['2'], ['c'], ['3']],
    );
    assert.ok(diffRows('@@ -1 +1,2 @@\n-a b c\n+a b d\n+a\n').every(({ changed }) => changed.length === 0));
  });

  test('leave what the lines have in common', () => {
    const line = fc.array(fc.constantFrom('a', 'b', ' ', '.', 'word', '<', '\u{1f600}'), { maxLength: 20 });
    fc.assert(
      fc.property(line, line, (one, other) => {
        const [before, after] = [one.join(''), other.join('')];
        const words = changedWords(before, after, 1_000);
        if (words.before.length + words.after.length === 0) return;
        const rest = (text: string, ranges: readonly Range[]) => {
          const cuts = [0, ...ranges.flat(), text.length];
          return cuts.flatMap((cut, at) => (at % 2 === 1 ? text.slice(cuts[at - 1], cut) : [])).join('');
        };
        assert.equal(rest(before, words.before), rest(after, words.after));
      }),
    );
  });

  test('of large diffs take bounded time', () => {
    const lines = (mark: string, word: string) => `${mark}${`a ${word} `.repeat(90)}\n`.repeat(5_000);
    const before = process.cpuUsage();
    const rows = diffRows(`@@ -1,5000 +1,5000 @@\n${lines('-', 'b')}${lines('+', 'c')}`);
    const { user, system } = process.cpuUsage(before);
    assert.equal(rows.length, 10_001);
    assert.ok(rows[1]!.changed.length > 0);
    assert.equal(rows[5_000]!.changed.length, 0);
    assert.ok(user + system < 3_000_000, `${user + system}`);
  });
});

describe('marks', () => {
  test('stand in highlighted lines without breaking their tags', () => {
    const html = 'a <span class="x">b&amp;c</span> d';
    assert.equal(
      markRanges(html, [
        [0, 1],
        [3, 6],
      ]),
      '<mark class="diff-word">a</mark> <span class="x">b<mark class="diff-word">&amp;c</mark></span><mark class="diff-word"> </mark>d',
    );
    assert.equal(markRanges(html, []), html);
  });

  test('surround exactly the parts that are meant', () => {
    const range = fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const);
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), range, (text, [from, to]) => {
        const html = markRanges(escapeHtml(text), [[from, to]]);
        const [, marked = ''] = /<mark class="diff-word">(.*?)<\/mark>/s.exec(html) ?? [];
        assert.equal(marked, escapeHtml(text.slice(from, to)));
        assert.equal(html.replaceAll(/<[^>]*>/g, ''), escapeHtml(text));
      }),
    );
  });
});
