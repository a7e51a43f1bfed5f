import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PathGlobs } from './path-globs.ts';

const fits = (pattern: string, path: string): boolean => {
  const globs = new PathGlobs();
  globs.add(pattern, 7);
  return globs.match(path).length > 0;
};

test('patterns fit as shells take them', () => {
  for (const [pattern, path] of [
    ['a/b', 'a/b'],
    ['*', '.hidden'],
    ['*.ts', 'x.ts'],
    ['a*c*e', 'abcde'],
    ['?b', 'ab'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[^a]x', 'bx'],
    ['\\*x', '*x'],
    ['\\#x y', '#x y'],
    ['[x', '[x'],
    ['**/a', 'a'],
    ['**/a', 'b/c/a'],
    ['a/**/b', 'a/b'],
    ['a/**/b', 'a/x/y/b'],
    ['a/**/**/b', 'a/b'],
    ['a/**/*', 'a/x/y'],
    ['**/a/**/b', 'x/a/a/y/b'],
  ] as const) {
    assert.equal(fits(pattern, path), true, `${pattern} fits ${path}`);
  }
  for (const [pattern, path] of [
    ['a/b', 'a/b/c'],
    ['a', 'b/a'],
    ['*', 'a/b'],
    ['*.ts', 'x/y.ts'],
    ['?', 'ab'],
    ['[a-c]x', 'dx'],
    ['[!a-c]x', 'bx'],
    ['\\*x', 'ax'],
    ['a/**/b', 'a/x'],
    ['a/**', 'a/x/y'],
    ['**/a', 'b/ab'],
    ['a/**/*', 'a'],
  ] as const) {
    assert.equal(fits(pattern, path), false, `${pattern} does not fit ${path}`);
  }
});

test('all patterns that fit are told by their numbers', () => {
  const globs = new PathGlobs();
  for (const [number, pattern] of ['*', 'src/*', '**/*.ts', 'src/a.ts', 'src/**/*'].entries())
    globs.add(pattern, number);
  assert.deepEqual(
    globs.match('src/a.ts').sort((a, b) => a - b),
    [1, 2, 3, 4],
  );
});

test('the work does not multiply with stars, folders or plain patterns', () => {
  const stars = new PathGlobs();
  stars.add('*a'.repeat(2_000), 1);
  assert.deepEqual(stars.match('b'.repeat(2_000)), []);
  const folders = new PathGlobs();
  folders.add(`${'**/a/'.repeat(500)}z`, 1);
  folders.match('a/'.repeat(1_000));
  assert.ok(folders.steps < 2_000_000, String(folders.steps));
  const plain = new PathGlobs();
  for (let number = 0; number < 20_000; number += 1) plain.add(`src/folder-${number}/**/*`, number);
  assert.deepEqual(plain.match('src/folder-19999/x/y'), [19_999]);
  assert.ok(plain.steps < 20, String(plain.steps));
});
