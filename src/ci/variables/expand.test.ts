import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpansionError, expandText, expandVariables, referencesIn } from './expand.ts';
import { type Variable, variableValues } from './variable.ts';

const of = (values: Record<string, string | Omit<Variable, 'key'>>): Variable[] =>
  Object.entries(values).map(([key, value]) => (typeof value === 'string' ? { key, value } : { key, ...value }));
const VALUES = variableValues(
  of({ A: 'one', EMPTY: '', FILE: { value: 'content', file: true }, RAW: { value: '$A', raw: true }, NESTED: '$A' }),
);

for (const [text, expected] of [
  ['plain', 'plain'],
  ['$A', 'one'],
  ['${A}', 'one'],
  ['%A%', 'one'],
  ['x$A-${A}y%A%z', 'xone-oneyonez'],
  ['$$A %%A%%', '$$A %%A%%'],
  ['$$$A', '$$one'],
  ['$UNKNOWN|${UNKNOWN}|%UNKNOWN%', '||'],
  ['$EMPTY|', '|'],
  ['$1 ${} $ % ${A', '$1 ${} $ % ${A'],
  ['$A_B', ''],
  ['$NESTED', '$A'],
  ['$RAW $FILE', '$A content'],
] as const) {
  test(`${text} becomes ${expected}`, () => assert.equal(expandText(text, VALUES), expected));
}

test('references may stay as they are written', () => {
  assert.equal(expandText('$A $X ${X} %X%', VALUES, { undefinedAs: 'kept' }), 'one $X ${X} %X%');
  assert.equal(expandText('$A ${RAW} %FILE%', VALUES, { keepFiles: true, keepRaw: true }), 'one ${RAW} %FILE%');
});

test('the names that a text refers to', () => {
  assert.deepEqual(referencesIn('$A ${B} %C% $A $$D %%E%% $1'), ['A', 'B', 'C']);
});

const values = (variables: Iterable<Variable>) =>
  Object.fromEntries([...variables].map(({ key, value }) => [key, value]));

test('variables are expanded after those they refer to, whatever their order', () => {
  const expanded = expandVariables(
    of({ C: '$B!', B: '${A}%A%', A: '1', D: { value: '$C', raw: true }, E: '$D', F: '$X' }),
  );
  assert.deepEqual(values(expanded), { A: '1', B: '11', C: '11!', D: '$C', E: '$C', F: '' });
  assert.equal(expanded.map(({ key }) => key).join(''), 'CBADEF');
});

test('one that refers to its own name means the one of lower precedence', () => {
  const expanded = expandVariables([
    ...of({ FIRST: '$P', P: '/bin' }),
    ...of({ P: '$P:/opt' }),
    ...of({ P: '$P:/home', Q: '$Q' }),
  ]);
  assert.deepEqual(values(expanded), { FIRST: '/bin:/opt:/home', P: '/bin:/opt:/home', Q: '' });
});

test('the one of highest precedence is meant, whichever is looked at first', () => {
  const expanded = expandVariables([...of({ FIRST: '$P', P: 'low' }), ...of({ P: 'high', LAST: '$P' })]);
  assert.deepEqual(values(expanded), { FIRST: 'high', P: 'high', LAST: 'high' });
});

test('circles are named in the order in which they are met', () => {
  assert.throws(() => expandVariables(of({ A: '$B', B: '$A' })), {
    name: 'ExpansionError',
    message: 'circular variable reference detected: ["A", "B"]',
  });
  assert.throws(() => expandVariables(of({ X: '$A', A: '$B', B: '${C}', C: '%A%', D: '$E', E: '$D' })), {
    message: 'circular variable reference detected: ["A", "B", "C"], ["D", "E"]',
  });
  assert.deepEqual(values(expandVariables(of({ A: '$B', B: { value: '$A', raw: true } }))), { A: '$A', B: '$A' });
});

test('variables that double each other are stopped', () => {
  const bomb = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`V${at}`, `$V${at + 1}$V${at + 1}`]));
  assert.throws(() => expandVariables(of({ ...bomb, V60: 'x' })), ExpansionError);
  assert.throws(() => expandText('$A'.repeat(500_000), variableValues(of({ A: 'x'.repeat(100) }))), ExpansionError);
  const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`W${at}`, '$BASE']));
  assert.throws(() => expandVariables(of({ ...wide, BASE: 'x'.repeat(10_000) })), ExpansionError);
});

test('a long chain is no trouble', () => {
  const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`V${at}`, `$V${at + 1}`]));
  assert.equal(values(expandVariables(of({ ...chain, V20000: 'x' }))).V0, 'x');
});
