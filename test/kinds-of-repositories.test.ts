import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
/** The rooms that a push passes, and all others that know repositories of more than one kind. */
const ROOMS = ['git', 'git-server', 'mirroring', 'repositories'];
/** A choice by what a repository belongs to: a comparison with a name of it, or a case. */
const CHOICE = /(?:[!=]== |case )'(?:project|snippet|wiki)'/;
/** Comparisons of something else with the same names. */
const OTHERWISE = [
  // What a storage move is of: with a project or group its wiki moves along.
  /^src\/repositories\/moves\//,
  // What owns a wiki or a push rule: a project or a group.
  /^src\/repositories\/(?:repository\.wikis|push-rules\/effective-push-rule)\.ts/,
  /\bowner\.type === 'project'/,
];

test('nothing asks whether a repository is that of a project, a snippet or a wiki: each has its implementation', () => {
  const choices: string[] = [];
  for (const file of globSync(`src/{${ROOMS.join(',')}}/**/*.ts`, { cwd: root })) {
    if (file.endsWith('.test.ts')) continue;
    for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
      const place = `${file.replaceAll('\\', '/')}:${index + 1}: ${line.trim()}`;
      if (CHOICE.test(line) && !OTHERWISE.some((known) => known.test(place))) choices.push(place);
    }
  }
  assert.deepEqual(choices, []);
});
