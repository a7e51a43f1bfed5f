import assert from 'node:assert/strict';
import { test } from 'node:test';
import { variableValues } from '../variables/variable.ts';
import { evaluateExpression } from './expressions.evaluate.ts';
import { ExpressionError } from './lexer.ts';
import { parseExpression } from './parser.ts';

const VALUES = variableValues(
  Object.entries({
    PRESENT: 'some words',
    OTHER: 'main',
    EMPTY: '',
    BLANK: '  ',
    PATH: 'a/b/c.ts',
    PATTERN: '/^SOME/i',
    BROKEN: '/(/',
    LINES: 'one\ntwo',
    YES: 'true',
  }).map(([key, value]) => ({ key, value })),
);

const truth = (text: string) => evaluateExpression(parseExpression(text), VALUES);

for (const [text, expected] of Object.entries({
  $PRESENT: true,
  $EMPTY: false,
  $BLANK: false,
  $UNDEFINED: false,
  '"text"': true,
  '""': false,
  null: false,
  '/x/': true,
  '$PRESENT == "some words"': true,
  '"some words"==$PRESENT': true,
  "$PRESENT == 'it\"s'": false,
  '$PRESENT != "some words"': false,
  '$PRESENT == $PRESENT': true,
  '$EMPTY == ""': true,
  '$EMPTY == null': false,
  '$EMPTY != null': true,
  '$UNDEFINED == null': true,
  '$UNDEFINED != null': false,
  '$UNDEFINED == ""': false,
  'null == null': true,
  'true == "true"': true,
  '$YES == true': true,
  '$YES == false': false,
  '$PRESENT =~ /word/': true,
  '$PRESENT =~ /^word/': false,
  '$PRESENT =~ /WORD/': false,
  '$PRESENT =~ /WORD/i': true,
  '$PRESENT !~ /word/': false,
  '$PRESENT !~ /nothing/': true,
  '$PATH =~ /^a\\/b\\//': true,
  '$LINES =~ /^two$/': false,
  '$LINES =~ /^two$/m': true,
  '$LINES =~ /one.two/': false,
  '$LINES =~ /one.two/s': true,
  '$PRESENT =~ /s.*?/U': true,
  '$PRESENT =~ $PATTERN': true,
  '$OTHER =~ $PATTERN': false,
  '$PRESENT =~ $BROKEN': false,
  '$PRESENT !~ $BROKEN': true,
  '$PRESENT =~ $UNDEFINED': false,
  '$PRESENT !~ $UNDEFINED': true,
  '$PRESENT =~ null': false,
  '$UNDEFINED =~ /^$/': true,
  '$UNDEFINED =~ /x/': false,
  '$OTHER =~ "main and more"': true,
  '$OTHER =~ "elsewhere"': false,
  '$PRESENT =~ "$OTHER"': false,
  '/x/ == /x/': true,
  '/x/ == "x"': false,
  '$PRESENT && $OTHER': true,
  '$PRESENT && $EMPTY': false,
  '$PRESENT && $UNDEFINED': false,
  '$EMPTY && $PRESENT': true,
  '$UNDEFINED || $PRESENT': true,
  '$EMPTY || $PRESENT': false,
  '$UNDEFINED || $EMPTY': false,
  '$UNDEFINED && $PRESENT || $OTHER': true,
  '$OTHER || $UNDEFINED && $UNDEFINED': true,
  '($OTHER || $UNDEFINED) && $UNDEFINED': false,
  '$OTHER == "main" && $PRESENT =~ /some/ || $UNDEFINED': true,
  '((($OTHER)))': true,
  '$OTHER == ("main")': true,
  '($OTHER == "main") == ("a" == "a")': true,
  '\t$OTHER\n==\n"main" ': true,
})) {
  test(`${text} is ${expected}`, () => assert.equal(truth(text), expected));
}

for (const text of [
  '',
  '   ',
  '$A $B',
  '$A ==',
  '== $A',
  '$A == == $B',
  '$A &&',
  '($A',
  '$A)',
  '()',
  '${A}',
  '$A = "x"',
  'A == "x"',
  '"unfinished',
  '$A =~ /unfinished',
  '$A =~ //',
  '$A =~ /x/q',
  '$A =~ /(/',
  '$A =~ /(?=x)/',
  '$A =~ /((x{1000}){1000}){1000}/',
  `$A =~ /${'x{1000}'.repeat(200)}/`,
  '$A & $B',
  '1 == 1',
]) {
  test(`${JSON.stringify(text.slice(0, 40))} is no expression`, () => {
    assert.throws(() => parseExpression(text), ExpressionError);
  });
}

test('an expression has at most 99 tokens', () => {
  const of = (count: number) => Array.from({ length: count }, () => '$PRESENT').join(' && ');
  assert.equal(truth(of(50)), true);
  assert.throws(() => parseExpression(`${of(50)} && $OTHER`), { message: 'Too many tokens!' });
  assert.throws(() => parseExpression('('.repeat(1_000_000)), { message: 'Too many tokens!' });
});

test('a pattern that would take long on a long text does not fit it', () => {
  const values = variableValues([{ key: 'LONG', value: 'a'.repeat(100_000) }]);
  const pattern = `/${'(a|a)*?'.repeat(100)}b{5}$/`;
  assert.equal(evaluateExpression(parseExpression(`$LONG =~ ${pattern}`), values), false);
  assert.equal(evaluateExpression(parseExpression('$LONG =~ /^a+$/'), values), true);
});
