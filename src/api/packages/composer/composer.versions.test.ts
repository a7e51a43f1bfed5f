import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPackageName, versionOfBranch, versionOfTag } from './composer.versions.ts';

test('names have a vendor and no more than one slash', () => {
  for (const name of ['a/b', 'acme/my-app', 'acme/my--app', 'Acme.x/a_b.c-d']) assert.ok(isPackageName(name), name);
  for (const name of ['', 'a', 'a/', '/a', 'a/b/c', '../a', 'a/..', 'a/b-', 'a/b.', 'a b/c', `a/${'b'.repeat(255)}`]) {
    assert.ok(!isPackageName(name), name);
  }
  assert.ok(!isPackageName(`a/${'b-'.repeat(126)}`));
});

test('tags are versions where they are SemVer, branches always', () => {
  assert.equal(versionOfTag('v1.0.0'), '1.0.0');
  assert.equal(versionOfTag('1.0.0-rc.1'), '1.0.0-rc.1');
  for (const tag of ['1.0', 'vv1.0.0', 'release']) assert.equal(versionOfTag(tag), undefined);
  for (const [branch, version] of [
    ['1', '1.x-dev'],
    ['1.2', '1.2.x-dev'],
    ['v1.2.x', '1.2.x-dev'],
    ['1.2.3.4', 'dev-1.2.3.4'],
    ['main', 'dev-main'],
  ] as const) {
    assert.equal(versionOfBranch(branch), version);
  }
});
