import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Tree } from '../loaded.ts';
import { dumpYaml } from './dump.ts';
import { readDocuments } from './yaml.compose.ts';
import { YamlError } from './yaml-error.ts';

const read = (text: string) => structuredClone(readDocuments(text, 9));
const errorOf = (text: string): string => {
  try {
    readDocuments(text, 9);
    return 'no error';
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return error.message;
  }
};

test('texts without anything of YAML 1.1 are read as any other reader does', () => {
  for (const text of [
    'a: 1\nb: [x, {c: d}, "e\\tf"]\n',
    'a:\n- b\n- - c\n  - d\n-\n  e: f\n',
    '? a\n: b\n? c\n',
    'a: |2-\n    b\n   c\n\nd: >+\n e\n f\n\n  g\n\n',
    "a: 'it''s'\nb: plain # comment\nc: a#b\nd: http://x:80/y?z=1\n",
    'a: &x {b: 1}\nc: *x\nd: [*x, *x]\n',
    '{a: b, "c": d, e: , f}\n',
    '[a: b, ? c : d, e]\n',
    'a: "b \\\n  c\n\n  d"\n',
    'a: b\n  c\n\n  d\ne: - x\n'.replace('- x', '-x'),
    '---\na\n...\n---\nb\n',
    '%YAML 1.1\n---\na: !!str 1\n',
  ]) {
    const [first] = read(text);
    const expected = text.includes('...') ? 'a' : parse(text, { version: '1.1', mapAsMap: false, uniqueKeys: false });
    assert.deepEqual(first, expected, text);
  }
});

test('texts are read as Ruby reads them', () => {
  for (const [text, value] of [
    ['yes', true],
    ['Off', false],
    ['y', 'y'],
    ['~', null],
    ['0755', 493],
    ['089', '089'],
    ['0b101', 5],
    ['-0x1f', -31],
    ['1_000', 1000],
    ['1,000', 1000],
    ['1:30', 5400],
    ['1.5', 1.5],
    ['1.0', '1.0'],
    ['-.inf', -Infinity],
    ['1e3', '1e3'],
    ['.5', 0.5],
    ['.', '.'],
    ['1.2.3', '1.2.3'],
    ['12345678901234567890', '12345678901234567890'],
    ['2024-13-01', '2024-13-01'],
    ['2024-02-30', '2024-02-30'],
    ['null and void', 'null and void'],
    ['"1"', '1'],
    ['!!str 1', '1'],
    ['! 1', '1'],
  ] as const)
    assert.deepEqual(read(`a: ${text}\n`), [{ a: value }], text);
});

test('errors have the words and places of libyaml', () => {
  for (const [text, error] of [
    ['a: b: c', 'mapping values are not allowed in this context at line 1 column 5'],
    ['a: [b', "did not find expected ',' or ']' while parsing a flow sequence at line 1 column 4"],
    ['a:\n  - b\n c', 'did not find expected key while parsing a block mapping at line 1 column 1'],
    ['a\nb: c', 'mapping values are not allowed in this context at line 2 column 2'],
    ['a: *', 'did not find expected alphabetic or numeric character while scanning an alias at line 1 column 4'],
    ['a: "\\z"', 'found unknown escape character while parsing a quoted scalar at line 1 column 4'],
    ['a: "\\xZZ"', 'did not find expected hexdecimal number while parsing a quoted scalar at line 1 column 4'],
    ['a: |0\n', 'found an indentation indicator equal to 0 while scanning a block scalar at line 1 column 4'],
    ['a: | b\n', 'did not find expected comment or line break while scanning a block scalar at line 1 column 4'],
    ['%FOO\n---\n', 'found unknown directive name while scanning a directive at line 1 column 1'],
    ['%YAML 2.0\n---\n', 'found incompatible YAML document at line 1 column 1'],
    ['a: {b, c: d', "did not find expected ',' or '}' while parsing a flow mapping at line 1 column 4"],
    ['- a\nb: c', "did not find expected '-' indicator while parsing a block collection at line 1 column 1"],
    ['a: "b" c', 'did not find expected key while parsing a block mapping at line 1 column 1'],
    ['a: b\n...\nc: d\n', 'did not find expected <document start> at line 1 column 1'],
  ] as const)
    assert.equal(errorOf(text), `(<unknown>): ${error}`, text);
});

test('what is written is read as what it was', () => {
  const words = fc.constantFrom(
    '$A',
    'a: b',
    ' #',
    "'",
    '"',
    '\n',
    '\u2028',
    '\x85',
    '\t',
    '- ',
    'true',
    '12',
    'é',
    '😀',
    '\\',
    ':',
    '? ',
  );
  const text = fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }).map((parts) => parts.join(' '));
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      text.filter((each) => each.isWellFormed()),
      fc.constantFrom<Tree>(null, true, false, 5, 1.5, [], {}),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(
        text.filter((each) => each.isWellFormed() && each !== '<<'),
        tie('tree'),
        { maxKeys: 4 },
      ),
    ),
  }));
  for (const first of ['\u2028 b\nc\n', '\u2029\nb\n', 'a\u2028\n b\n\u2028', '\n\u2028\n b', ' \x85\n b\n']) {
    assert.deepEqual(read(dumpYaml([first])), [[first]]);
  }
  fc.assert(
    fc.property(tree, (value) => {
      // Integer keys are reordered in JavaScript objects, but none is lost.
      assert.deepEqual(read(dumpYaml(value)), [structuredClone(value)]);
    }),
    { numRuns: 500 },
  );
});

test('the memory that a text takes does not grow with what its aliases repeat', () => {
  const lines = Array.from({ length: 60 }, (_, place) => `a${place}: &a${place} [${Array(9).fill(`*a${place - 1}`)}]`);
  lines[0] = 'a0: &a0 [x]';
  assert.equal(errorOf(lines.join('\n')), 'The parsed YAML is too big');
  assert.equal(errorOf('a: &a [*a]'), 'The parsed YAML is too big');
  assert.equal(errorOf(`a: ${'['.repeat(100)}${']'.repeat(100)}`), 'The parsed YAML is too big');
  assert.equal(errorOf(`a: ${'['.repeat(99)}${']'.repeat(99)}`), 'no error');
  // Quotation marks double for each nested key, which makes 64 MiB of 50 characters.
  assert.equal(errorOf('? '.repeat(25)), 'The parsed YAML is too big');
  assert.equal(errorOf(`- ${'? '.repeat(9)}a\n`.repeat(2_000)), 'The parsed YAML is too big');
  assert.equal(errorOf('['.repeat(500_000)), 'The parsed YAML is too big');
  assert.equal(errorOf('- '.repeat(500_000)), 'The parsed YAML is too big');
});
