import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { patternSize } from '../../core/pattern-size.ts';
import { compilePattern, readPattern } from './expressions.pattern.ts';

const ORDINARY = [
  '^(main|master|release-.*)$',
  '^v\\d+\\.\\d+\\.\\d+(-(alpha|beta|rc)\\.\\d+)?$',
  '^[A-Z]{2,10}-[0-9]{1,6}: .{10,72}(\\n\\n.*)?$',
  '^[a-z0-9-]{1,100}\\.[a-z]{2,10}\\.[a-z]{2,10}$',
  '^[0-9a-f]{40}$|^[0-9a-f]{64}$',
  '(a|b){3}[^]x]+\\{2\\}{2}',
  'Coverage: \\d{1,3}(\\.\\d{1,2})?%',
  '[\\]]{5}',
];

test('patterns as people write them are taken', () => {
  for (const source of ORDINARY) assert.ok(compilePattern(source, 'i') !== null, source);
});

test('the size of a pattern is about that of its program', () => {
  for (const source of [...ORDINARY, '((x{9}){9}){9}', '(ab{100}){10}', 'x'.repeat(1000), '(?:ab|cd){500}']) {
    const program = RE2JS.compile(source).programSize();
    const size = patternSize(source);
    assert.ok(size * 2 >= program && size <= program * 8 + 20, `${source}: ${size} for ${program}`);
  }
});

test('patterns that would become large, and broken ones, are none', () => {
  for (const source of [
    '((x{10}){10}){10}y'.repeat(20),
    'x'.repeat(20_000),
    '(',
    '((((',
    ')',
    'x{1001}',
    '(?<=a)b',
    '[',
    '\\',
  ]) {
    assert.equal(compilePattern(source, ''), null, source.slice(0, 30));
  }
  assert.equal(readPattern('no pattern'), null);
  assert.equal(readPattern('/x/y'), null);
  assert.equal(readPattern('/a/b/i')?.test('A/B'), true);
});

test('the size of a hostile text takes one pass', () => {
  for (const text of ['('.repeat(1_000_000), '['.repeat(1_000_000), '{1'.repeat(500_000), 'x{1000}'.repeat(200_000)]) {
    assert.ok(patternSize(text) >= 0);
  }
});
