import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  groupNameErrors,
  groupPathErrors,
  projectNameErrors,
  projectPathErrors,
  usernameErrors,
} from './core.paths.ts';

test('paths of letters, digits, underscores, dashes and dots are taken', () => {
  for (const path of ['a', 'A-b_c.d', '_x', '.hidden', '123', 'group-', 'git', 'x.gitx', 'a'.repeat(255)]) {
    assert.deepEqual(groupPathErrors(path, { topLevel: true }), [], path);
    assert.deepEqual(projectPathErrors(path), [], path);
  }
});

test('paths that addresses or git would misread are refused', () => {
  for (const path of [
    '-x',
    'x.',
    'x.git',
    'x.GIT',
    'x.atom',
    'a/b',
    'a b',
    'ü',
    'a\u200bb',
    'a\n',
    '..',
    'a%2fb',
    '\u202ea',
  ]) {
    assert.match(groupPathErrors(path, { topLevel: true })[0] ?? '', /^can contain only letters/, JSON.stringify(path));
    assert.match(projectPathErrors(path)[0] ?? '', /^can contain only letters/, JSON.stringify(path));
    assert.match(usernameErrors(path.padStart(2, '-'))[0] ?? '', /^can contain only/);
  }
});

test('blank and overlong paths are refused', () => {
  assert.deepEqual(projectPathErrors(' '), ["can't be blank"]);
  assert.deepEqual(projectPathErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
  assert.deepEqual(usernameErrors('a'), ['is too short (minimum is 2 characters)']);
});

test('reserved words depend on the place and not on the case', () => {
  assert.deepEqual(groupPathErrors('API', { topLevel: true }), ['API is a reserved name']);
  assert.deepEqual(groupPathErrors('api', { topLevel: false }), []);
  assert.deepEqual(groupPathErrors('-', { topLevel: false }), ['- is a reserved name']);
  assert.deepEqual(projectPathErrors('Tree'), ['Tree is a reserved name']);
  assert.deepEqual(usernameErrors('admin'), ['admin is a reserved name']);
});

test('names take letters of any script and emojis, not control or direction characters', () => {
  for (const name of ['Ärger & Co', 'a/b', '<b>', '\u202eevil', 'a\u0000b', 'line\nbreak', '-dash', ' lead']) {
    assert.equal(groupNameErrors(name).length, 1, JSON.stringify(name));
    assert.equal(projectNameErrors(name).length, 1, JSON.stringify(name));
  }
  for (const name of ['Größe', '日本語', 'Team 1', '🚀 launch', '👩‍💻', 'v1.0_x-y', '👍🏽 ok', '🇫🇷']) {
    assert.deepEqual(groupNameErrors(name), [], name);
    assert.deepEqual(projectNameErrors(name), [], name);
  }
  assert.deepEqual(groupNameErrors('Group (old)'), []);
  assert.deepEqual(projectNameErrors('C++'), []);
  assert.equal(projectNameErrors('p (old)').length, 1);
});
