import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSemVer, parseSemVer } from './semver.ts';

test('versions are those of semver.org, and nothing else', () => {
  for (const good of [
    '0.0.0',
    '1.2.3',
    '1.0.0-alpha.1',
    '1.0.0-0a.x-y',
    '1.0.0+build.01',
    '1.0.0-rc.1+b',
    '9'.repeat(30).concat('.0.0'),
  ]) {
    assert.notEqual(parseSemVer(good), null, good);
  }
  for (const bad of [
    '',
    '1',
    '1.2',
    'v1.2.3',
    '01.2.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3-a..b',
    '1.2.3+',
    '1.2.3 ',
    '1.2.3\n',
    `1.2.3-${'a'.repeat(250)}`,
  ]) {
    assert.equal(parseSemVer(bad), null, bad);
  }
});

test('versions go in the order of semver.org', () => {
  const inOrder = [
    '0.9.0',
    '1.0.0-1',
    '1.0.0-2',
    '1.0.0-11',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.2.0',
    '1.10.0',
    '99999999999999999999.0.0',
    '100000000000000000000.0.0',
  ];
  const parsed = inOrder.map((text) => parseSemVer(text)!);
  for (const [i, a] of parsed.entries()) {
    for (const [j, b] of parsed.entries()) assert.equal(Math.sign(compareSemVer(a, b)), Math.sign(i - j));
  }
  assert.equal(compareSemVer(parseSemVer('1.0.0+a')!, parseSemVer('1.0.0+b')!), 0);
});
