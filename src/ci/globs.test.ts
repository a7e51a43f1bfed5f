import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globMatcher } from './globs.ts';

const fits = (glob: string, path: string) => globMatcher([glob])(path);

test('globs fit the whole path, folders by **/ alone, and either of braces', () => {
  for (const [glob, path] of [
    ['README.md', 'README.md'],
    ['*.md', 'a.md'],
    ['*', '.hidden'],
    ['docs/*', 'docs/.hidden'],
    ['**/*.rb', 'a.rb'],
    ['**/*.rb', 'a/b/c.rb'],
    ['docs/**/*', 'docs/a'],
    ['docs/**/*', 'docs/a/.b/c'],
    ['*.{rb,py}', 'a.rb'],
    ['*.{rb,py}', 'a.py'],
    ['{src,test/unit}/**/*.{ts,js}', 'test/unit/a/b.ts'],
    ['{a,{b,c}}', 'c'],
    ['a{,.b}', 'a'],
    ['a{,.b}', 'a.b'],
    ['a{}', 'a'],
    ['\\{a,b\\}', '{a,b}'],
    ['[ab].txt', 'b.txt'],
    ['?.txt', 'b.txt'],
    ['docs/**', 'docs/a'],
    ['{**/,}x', 'a/b/x'],
  ] as const) {
    assert.equal(fits(glob, path), true, `${glob} fits ${path}`);
  }
  for (const [glob, path] of [
    ['*.md', 'docs/a.md'],
    ['docs', 'docs/a'],
    ['docs/', 'docs/a'],
    ['docs/**', 'docs/a/b'],
    ['a**/b', 'a/x/b'],
    ['*.{rb,py}', 'a.js'],
    ['{a,b', 'a'],
    ['{a,b', '{a,b'],
    ['', 'a'],
  ] as const) {
    assert.equal(fits(glob, path), false, `${glob} does not fit ${path}`);
  }
});

test('alternatives that multiply are bounded', () => {
  const matches = globMatcher([`${'{a,b}'.repeat(40)}`, `{${'x,'.repeat(100_000)}}${'y'.repeat(100_000)}`, 'plain']);
  assert.equal(matches('no'), false);
  assert.equal(globMatcher([`${'{'.repeat(200_000)}`])('a'), false);
});

test('many stars take no more than length times length steps', () => {
  assert.equal(fits(`${'*a'.repeat(50_000)}b`, `${'a'.repeat(250)}`), false);
  assert.equal(fits(`${'**/'.repeat(50_000)}b`, `${'a/'.repeat(2000)}c`), false);
  assert.equal(fits(`${'**/a/'.repeat(400)}b`, `${'a/'.repeat(2000)}c`), false);
});
