import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GitFixture, gitFixture } from '../../../test/support/git-fixture.ts';
import { Random } from '../../../test/support/random-objects.ts';
import { DiffBudget } from './line-diff.changes.ts';
import { countLines, lineDiff } from './line-diff.ts';

type Pair = readonly [before: Buffer, after: Buffer];

/** The hunks that git prints for pairs of contents, each as bytes. */
function gitHunks({ git, bytes }: GitFixture, pairs: readonly Pair[]): Buffer[] {
  const input: Buffer[] = [];
  for (const side of [0, 1] as const) {
    input.push(Buffer.from(`commit refs/heads/side${side}\ncommitter A <a@example.com> 1 +0000\ndata 0\n`));
    for (const [at, pair] of pairs.entries()) {
      const data = pair[side];
      input.push(
        Buffer.from(`M 100644 inline f${String(at).padStart(4, '0')}\ndata ${data.length}\n`),
        data,
        Buffer.from('\n'),
      );
    }
  }
  git(['fast-import', '--quiet', '--force'], Buffer.concat(input));
  const args = ['diff-tree', '-p', '-r', '--no-renames', '--full-index', 'side0', 'side1'];
  const text = bytes(args).toString('latin1');
  const hunks = pairs.map(() => Buffer.alloc(0));
  for (const patch of text.split(/^diff --git a\/f/m).slice(1)) {
    const start = patch.indexOf('\n@@ ') + 1;
    if (start > 0) hunks[Number(patch.slice(0, 4))] = Buffer.from(patch.slice(start), 'latin1');
  }
  return hunks;
}

function mustBeAsGitsOf(fixture: GitFixture, pairs: readonly Pair[]): void {
  for (const [at, expectedHunks] of gitHunks(fixture, pairs).entries()) {
    const [before, after] = pairs[at]!;
    const diff = lineDiff(before, after, new DiffBudget());
    const text = expectedHunks.toString('latin1');
    assert.equal(
      diff?.bytes.toString('latin1'),
      text,
      `${JSON.stringify(before.toString('latin1'))} ${JSON.stringify(after.toString('latin1'))}`,
    );
    const lines = text.split('\n').slice(0, -1);
    const counts = {
      additions: lines.filter((line) => line.startsWith('+')).length,
      deletions: lines.filter((line) => line.startsWith('-')).length,
    };
    assert.deepEqual({ additions: diff!.additions, deletions: diff!.deletions }, counts);
    assert.equal(diff!.lines, lines.length);
    assert.deepEqual(countLines(before, after, new DiffBudget()), counts);
  }
}

const KINDS: readonly (readonly string[])[] = [
  ['a', 'b'],
  ['', '}', '\tif (x) {', '\t}', '\t\treturn;', 'static int f(void)', '{'],
  ['', ' ', '  deep', '    deeper', '\t', 'top', '$cash', '_line'],
  ['x', 'grüße', 'naïve\r', '\u{1f600} face', '', '  \r'],
];

function textOf(random: Random, kind: readonly string[], length: number): string[] {
  return Array.from({ length }, () =>
    random.below(3) === 0
      ? `line ${random.below(40)}`
      : random.below(40) === 0
        ? `fn ${random.text(120)} é`
        : random.pick(kind),
  );
}

function edited(random: Random, kind: readonly string[], lines: readonly string[]): string[] {
  const made = [...lines];
  for (let edits = random.below(6); edits >= 0; edits -= 1) {
    const at = random.below(made.length + 1);
    const coming = random.below(3) === 0 ? made.slice(at, at + random.below(9)) : textOf(random, kind, random.below(6));
    made.splice(at, random.below(6), ...coming);
  }
  return made;
}

const bytesOf = (random: Random, lines: readonly string[]): Buffer =>
  Buffer.from(`${lines.join('\n')}${random.below(4) === 0 ? '' : '\n'}`);

for (const seed of [1, 2, 3, 4]) {
  test(`texts that are edited differ as git prints it, ${seed}`, (t) => {
    const random = new Random(seed);
    const pairs = Array.from({ length: 150 }, (): Pair => {
      const kind = random.pick(KINDS);
      const lines = textOf(random, kind, random.below(random.pick([8, 40, 200])));
      return [bytesOf(random, lines), bytesOf(random, edited(random, kind, lines))];
    });
    mustBeAsGitsOf(gitFixture(t), pairs);
  });
}

test('long texts that have little in common differ as git prints it, which gives up on the fewest edits', (t) => {
  const random = new Random(5);
  const texts = (words: number, length: number) =>
    Buffer.from(Array.from({ length }, () => `${random.below(words)}\n`).join(''));
  const pairs: Pair[] = [];
  for (const words of [60, 200, 600, 1_500]) {
    for (const length of [300, 900, 1_500])
      pairs.push([texts(words, length), texts(words, length + random.below(200))]);
  }
  mustBeAsGitsOf(gitFixture(t), pairs);
});

test('a line that one of them has very often is passed over as git does it', (t) => {
  const random = new Random(6);
  const pairs = Array.from({ length: 40 }, (): Pair => {
    const some = (name: string) =>
      Array.from({ length: 400 }, () =>
        random.pick(['', '', '}', `${name} ${random.below(90)}`, `both ${random.below(9)}`]),
      );
    return [bytesOf(random, some('old')), bytesOf(random, some('new'))];
  });
  mustBeAsGitsOf(gitFixture(t), pairs);
});

test('what has no line, or no end of one, or letters that are none, differs as git prints it', (t) => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const body = (line: string) => latin1(`${line}\n${'same\n'.repeat(3)} one\n two\n three\n four\n`);
  const heading = (line: string): Pair => [body(line), Buffer.concat([body(line), latin1(' five\n')])];
  const pairs: Pair[] = [
    [latin1(''), latin1('a')],
    [latin1('a'), latin1('')],
    [latin1('a'), latin1('a\n')],
    [latin1('a\n'), latin1('a')],
    [latin1('a\nb'), latin1('a\nc')],
    [latin1('x\n'), latin1('y\nx\n')],
    [latin1('\n\n\n'), latin1('\n\n')],
    [latin1(`${'a\n'.repeat(4_000)}\0b\n`), latin1(`${'a\n'.repeat(4_000)}\0c\n`)],
    heading('Gr\xfc\xdfe aus Latin-1'),
    heading('x'.repeat(79) + Buffer.from('é').toString('latin1')),
    heading(`${'x'.repeat(70)}${' '.repeat(20)}`),
    heading(`a${Buffer.from('\ufffe').toString('latin1')}b`),
    heading(`a${Buffer.from('\ufffd').toString('latin1')}b`),
    heading('f() \v\f'),
  ];
  mustBeAsGitsOf(gitFixture(t), pairs);
});

test('git is asked where there are very many lines, or it would take long', () => {
  const random = new Random(8);
  const lines = (count: number, words: number) =>
    Buffer.from(Array.from({ length: count }, () => `${random.below(words)}\n`).join(''));
  assert.equal(lineDiff(lines(20_001, 9), lines(9, 9), new DiffBudget()), null);
  assert.equal(lineDiff(lines(9, 9), lines(20_001, 9), new DiffBudget()), null);
  assert.notEqual(lineDiff(Buffer.alloc(0), Buffer.from('x\n'.repeat(20_000)), new DiffBudget()), null);
  const budget = new DiffBudget();
  let diffs = 0;
  while (lineDiff(lines(4_000, 3_000), lines(4_000, 3_000), budget) !== null) diffs += 1;
  assert.ok(diffs < 20, `${diffs} were told`);
  assert.notEqual(lineDiff(lines(40, 30), lines(40, 30), new DiffBudget()), null);
});

test('contents of very many different short lines are read', (t) => {
  const letters = Array.from({ length: 255 }, (_, n) => (n < 10 ? n : n + 1));
  const short = (count: number, size: number, shift: number) =>
    Buffer.concat(
      Array.from({ length: count }, (_, n) =>
        Buffer.from([
          ...Array.from({ length: size }, (_one, at) => letters[Math.floor((n + shift) / 255 ** at) % 255]!),
          10,
        ]),
      ),
    );
  const text = Buffer.from('a\n'.repeat(4_000));
  const pairs = [
    [short(255, 1, 0), short(255, 1, 1)],
    [short(700, 2, 0), short(700, 2, 350)],
  ] as const;
  mustBeAsGitsOf(
    gitFixture(t),
    pairs.map(([one, other]): Pair => [Buffer.concat([text, one]), Buffer.concat([text, other])]),
  );
  assert.equal(lineDiff(short(20_000, 2, 0), short(20_000, 2, 20_000), new DiffBudget())?.additions, 20_000);
});
