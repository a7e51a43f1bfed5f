import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CodeOwner, CodeOwnerMatcher, parseCodeOwners } from './core.code-owners.ts';

const short = (owner: CodeOwner): string =>
  owner.type === 'name' ? `@${owner.name}` : owner.type === 'email' ? owner.email : `@@${owner.level}`;

/** Section, pattern and owners of the deciding entries for a path. */
const owners = (text: string, path: string): string[] =>
  new CodeOwnerMatcher(parseCodeOwners(text))
    .entriesFor(path)
    .map(({ section, pattern, owners }) => [section.name, pattern, ...owners.map(short)].join(' '));

test('users, groups, roles and addresses are owners; other words are not', () => {
  const [entry] = parseCodeOwners('*.rb @ann @group/sub and you@example.com @@developers @@Owner @@guest @ a@b@c');
  assert.deepEqual(entry!.owners.map(short), ['@ann', '@group/sub', 'you@example.com', '@@30', '@@50']);
});

test('the last entry that fits decides, be it without owners', () => {
  const text = '* @all\n*.md @docs\n/secret/ @sec\n/secret/open.md\n';
  assert.deepEqual(owners(text, 'a.ts'), ['codeowners * @all']);
  assert.deepEqual(owners(text, 'x/y.md'), ['codeowners *.md @docs']);
  assert.deepEqual(owners(text, 'secret/deep/x.md'), ['codeowners /secret/ @sec']);
  assert.deepEqual(owners(text, 'secret/open.md'), ['codeowners /secret/open.md']);
  assert.deepEqual(owners(text, 'x/secret/a'), ['codeowners * @all']);
});

test('patterns reach as far as their slashes say', () => {
  assert.deepEqual(owners('docs @d', 'a/docs'), ['codeowners docs @d']);
  assert.deepEqual(owners('docs @d', 'docs/x'), []);
  assert.deepEqual(owners('docs/ @d', 'a/docs/b/c'), ['codeowners docs/ @d']);
  assert.deepEqual(owners('/docs/* @d', 'docs/b/c'), []);
  assert.deepEqual(owners('/docs/**/*.md @d', 'docs/b/c.md'), ['codeowners /docs/**/*.md @d']);
  assert.deepEqual(owners('\\#file @d', '#file'), ['codeowners \\#file @d']);
  assert.deepEqual(owners('path\\ with\\ blanks/ @d', 'path with blanks/x'), ['codeowners path\\ with\\ blanks/ @d']);
});

test('each section decides for itself', () => {
  const text =
    '* @base\r\n\r\n[Docs] @writer\r\n*.md\r\n/api/ @api\r\n^[Look]\r\n*.md @looker\r\n[docs]\r\nREADME.md @top\r\n';
  assert.deepEqual(owners(text, 'x.md'), ['codeowners * @base', 'Docs *.md @writer', 'Look *.md @looker']);
  assert.deepEqual(owners(text, 'api/x.md'), ['codeowners * @base', 'Docs /api/ @api', 'Look *.md @looker']);
  assert.deepEqual(owners(text, 'README.md').at(1), 'Docs README.md @top');
});

test('headers tell what is optional and how many have to approve', () => {
  const sections = (text: string) =>
    parseCodeOwners(text).map(({ section: { name, optional, approvals } }) => [name, optional, approvals]);
  assert.deepEqual(sections('[A][2]\nx @a\n^[B][3] @b\ny\n[C][0]\nz @c'), [
    ['A', false, 2],
    ['B', true, 3],
    ['C', false, 1],
  ]);
  assert.deepEqual(sections('^[A]\nx @a\n[a][2]\ny @a'), [
    ['A', false, 2],
    ['A', false, 2],
  ]);
  assert.deepEqual(sections('[A][99999]\nx @a'), [['A', false, 100]]);
  assert.deepEqual(
    parseCodeOwners('[unclosed @a').map(({ pattern }) => pattern),
    ['[unclosed'],
  );
});

test('what a section excludes has no owner in it, and is not included again', () => {
  const text = '* @all\n!gen/\ngen/x @late\n[Other]\n* @other\n';
  assert.deepEqual(owners(text, 'gen/x'), ['Other * @other']);
  assert.deepEqual(owners(text, 'a'), ['codeowners * @all', 'Other * @other']);
});

test('comments and blank lines are nothing', () => {
  assert.deepEqual(parseCodeOwners('# x @a\n\n   \n!\n'), []);
});

test('texts made to cost time are read in proportion to their length', () => {
  for (const text of [
    '['.repeat(300_000),
    `[${'a'.repeat(300_000)}`,
    `x${' @'.repeat(150_000)}`,
    '\\ '.repeat(150_000),
  ]) {
    assert.ok(parseCodeOwners(text).length <= 1);
  }
  assert.equal(parseCodeOwners('x @a\n'.repeat(100_000)).length, 20_000);
});
