import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFileName, isName, normalVersion } from './pypi.names.ts';

test('versions are brought into the normal form of PEP 440', () => {
  for (const [text, normal] of [
    ['1.0', '1.0'],
    ['v1.0', '1.0'],
    ['1!2.0', '1!2.0'],
    ['0!2.0', '2.0'],
    ['01.02.003', '1.2.3'],
    ['1.0-ALPHA.1', '1.0a1'],
    ['1.0c', '1.0rc0'],
    ['1.0-preview_2', '1.0rc2'],
    ['1.0-1', '1.0.post1'],
    ['1.0rev3', '1.0.post3'],
    ['1.0-r', '1.0.post0'],
    ['1.0.DEV', '1.0.dev0'],
    ['1.0a1.post2.dev3+Ubuntu-1.007', '1.0a1.post2.dev3+ubuntu.1.7'],
    ['20261122', '20261122'],
  ] as const) {
    assert.equal(normalVersion(text), normal, text);
  }
  for (const text of [
    '',
    'a',
    '1.0+',
    '1..0',
    '1.0.',
    '1.0 beta 2 x',
    '1!',
    '1.0+a..b',
    `1${'0'.repeat(255)}`,
    '1.0\n2',
  ]) {
    assert.equal(normalVersion(text), undefined, text);
  }
});

test('long versions that are none are refused at once', () => {
  for (const text of [`${'1'.repeat(254)}!`, `1+${'a-'.repeat(126)}`, `1${'.0'.repeat(126)}x`]) {
    assert.equal(normalVersion(text), undefined);
  }
});

test('names are those of the specification', () => {
  for (const name of ['a', 'A.b-c_d', '1']) assert.ok(isName(name), name);
  for (const name of ['', '-a', 'a-', '.a', 'a b', 'a/b', 'é', 'a\n']) assert.ok(!isName(name), name);
  for (const name of ['a-1!2.0+x-py3-none-any.whl']) assert.ok(isFileName(name), name);
  for (const name of ['', '.', '..', 'a/b', 'a b', 'a\n']) assert.ok(!isFileName(name), name);
});
