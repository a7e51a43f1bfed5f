import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupName, slug } from './slugs.ts';

for (const [name, expected] of [
  ['Feature/Add_it', 'feature-add-it'],
  ['--x--', 'x'],
  ['test: [ruby, 3.1]', 'test---ruby--3-1'],
  ['äß', ''],
  ['a😀b', 'a-b'],
  [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ['', ''],
] as const) {
  test(`the slug of "${name}" is "${expected}"`, () => assert.equal(slug(name), expected));
}

for (const [name, expected] of [
  ['rspec 1/3', 'rspec'],
  ['rspec 1:3', 'rspec'],
  ['rspec 1 3', 'rspec'],
  ['rspec: [mysql, 1]', 'rspec'],
  ['rspec: [mysql] 2/10', 'rspec'],
  ['rspec 1/2 3/4 5/6 7/8', 'rspec 1/2'],
  ['rspec 8', 'rspec 8'],
  ['rspec', 'rspec'],
  ['1/3', '1/3'],
] as const) {
  test(`"${name}" is of the group "${expected}"`, () => assert.equal(groupName(name), expected));
}
