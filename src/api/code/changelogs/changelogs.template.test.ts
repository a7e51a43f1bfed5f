import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangelogError, parseTemplate, renderTemplate } from './changelogs.template.ts';
import { compareSemver, isVersion } from './changelogs.versions.ts';
import { insertSection } from './sections.ts';

const render = (template: string, data: unknown) => renderTemplate(parseTemplate(template), data);

test('values, conditions and loops', () => {
  const data = { users: [{ name: 'a' }, { name: 'b' }], yes: true, none: [], zero: 0, text: 'x', list: ['p', 'q'] };
  const cases: [string, string][] = [
    ['{{ text }}-{{text}}-{{ missing.deep }}', 'x-x-'],
    ['{{ users.1.name }}{{ users.length }}{{ text.length }}{{ users }}{{ constructor }}{{ __proto__.x }}', 'b'],
    ['{% each users %}\n{{name}}\n{% end %}', 'a\nb\n'],
    ['{% each list %}<{{ it }}{{ text }}>{% end %}', '<p><q>'],
    ['{% if yes %}1{% else %}2{% end %}{% if none %}1{% else %}2{% end %}{% if missing %}3{% end %}', '12'],
    ['{% if zero %}set{% end %}{{ zero }}{{ yes }}', 'set0true'],
    ['---\n{% if yes %}\nbar\n{% end %}\n---\n', '---\nbar\n---\n'],
    ['a\\\nb', 'ab'],
    ['{ } % \\ {x}', '{ } % \\ {x}'],
    ['{% each text %}1{% end %}{% each missing %}2{% end %}', ''],
  ];
  for (const [template, expected] of cases) assert.equal(render(template, data), expected, template);
});

test('a template that breaks the rules is refused, and so is one that never ends', () => {
  for (const bad of [
    '{% if %}{% end %}',
    '{% if a %}',
    '{% end %}',
    '{% else %}',
    '{{ a',
    '{% for a %}{% end %}',
    '{{ a b }}',
  ]) {
    assert.throws(() => parseTemplate(bad), ChangelogError, bad);
  }
  assert.throws(() => parseTemplate('{% each a %}{% else %}{% end %}'), ChangelogError);
  assert.throws(() => parseTemplate('{% if a %}'.repeat(100) + '{% end %}'.repeat(100)), ChangelogError);
  const nested = { list: Array.from({ length: 2_000 }, () => ({ list: Array.from({ length: 2_000 }, () => 1) })) };
  assert.throws(() => render('{% each list %}{% each list %}x{% end %}{% end %}', nested), ChangelogError);
  const many = { list: Array.from({ length: 10_000 }, () => 1) };
  assert.throws(() => render(`{% each list %}${'x'.repeat(10_000)}{% end %}`, many), ChangelogError);
});

test('sections stand in the order of versions, each once', () => {
  const section = (version: string) => `## ${version} (2026-01-01)\n\nNo changes.\n`;
  let content = insertSection('', '1.1.0', section('1.1.0'))!;
  assert.equal(content, section('1.1.0'));
  content = insertSection(`# Changes\n\n${content}`, '1.10.0', section('1.10.0'))!;
  content = insertSection(content, '1.0.0', section('1.0.0'))!;
  content = insertSection(content, '1.10.0-rc1', section('1.10.0-rc1'))!;
  assert.deepEqual(content.match(/^##? \S+/gm), ['# Changes', '## 1.10.0', '## 1.10.0-rc1', '## 1.1.0', '## 1.0.0']);
  assert.doesNotMatch(content, /\n\n\n|[^\n]\n##/);
  assert.equal(insertSection(content, '1.1.0', section('1.1.0')), null);
  assert.equal(insertSection('About us\n', '1.0.0', section('1.0.0')), `About us\n\n${section('1.0.0')}`);
});

test('semantic versions', () => {
  for (const good of ['1.0.0', 'v0.0.0', '1.2.3-rc.1+build.5']) assert.ok(isVersion(good), good);
  for (const bad of ['1.0', 'x1.0.0', '01.0.0', '1.0.0-', '', '1.0.0\n', `1.0.${'9'.repeat(300)}`])
    assert.ok(!isVersion(bad), bad);
  assert.ok(compareSemver('1.10.0', 'v1.9.0') > 0);
  assert.ok(compareSemver('2.0.0-rc1', '2.0.0') < 0);
  assert.ok(compareSemver('2.0.0-rc2', '2.0.0-rc10') < 0);
  assert.ok(compareSemver('1.0.99999999999999999999', '1.0.99999999999999999998') > 0);
});
