import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/support/random-objects.ts';
import { countInterned } from './count-interned.ts';
import { type InternedContent, InternedLines } from './interned-lines.ts';
import { DiffBudget } from './line-diff.changes.ts';
import { countLines } from './line-diff.ts';

const WORDS = ['', '}', 'a', 'ab', 'abc\r', 'x'.repeat(127), 'x'.repeat(128), 'y'.repeat(3_000)];

const textOf = (random: Random, lines: readonly string[]): Buffer =>
  Buffer.from(`${lines.join('\n')}${random.below(3) === 0 ? '' : '\n'}`);

function edited(random: Random, lines: readonly string[]): string[] {
  const made = [...lines];
  for (let edits = random.below(5); edits >= 0; edits -= 1) {
    const at = random.below(made.length + 1);
    const coming =
      random.below(3) === 0
        ? made.slice(at, at + random.below(30))
        : Array.from({ length: random.below(6) }, () =>
            random.below(2) === 0 ? random.pick(WORDS) : `line ${random.below(300)}`,
          );
    made.splice(at, random.below(8), ...coming);
  }
  return made;
}

test('versions that are read one after the other have the numbers of their lines, and as many changed as both alone', () => {
  const random = new Random(11);
  const interned = new InternedLines();
  for (let file = 0; file < 30; file += 1) {
    interned.clear();
    let lines = Array.from({ length: random.below(200) }, () => `line ${random.below(150)}`);
    let last: InternedContent | null = null;
    const known: InternedContent[] = [];
    for (let version = 0; version < 25; version += 1) {
      lines = edited(random, version > 2 && random.below(5) === 0 ? [] : lines);
      const content = textOf(random, lines);
      const numbers = interned.read(content, last)!.slice();
      const texts = content.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
      assert.equal(numbers.length, texts.length);
      last = { content, lines: numbers };
      for (const other of known) {
        const expected = countLines(other.content, content, new DiffBudget());
        assert.deepEqual(countInterned(other.lines, numbers, interned.size, new DiffBudget()), expected);
      }
      known.push(last);
    }
  }
});

test('there is room for so many different lines, and bytes of them', () => {
  const interned = new InternedLines();
  const numbered = (count: number) => Buffer.from(Array.from({ length: count }, (_, n) => `${n}\n`).join(''));
  assert.equal(interned.read(numbered(100_000), null)?.length, 100_000);
  assert.equal(interned.read(numbered(140_000), null), null);
  interned.clear();
  assert.equal(interned.read(Buffer.from(`${'x'.repeat(5_000_000)}\n`), null), null);
  interned.clear();
  assert.deepEqual([...interned.read(Buffer.from('a\nb\na\nc'), null)!], [0, 1, 0, 2]);
});
