import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestionBlocks } from './suggestion-blocks.ts';

const of = (...lines: string[]) => suggestionBlocks(lines.join('\n'));

test('blocks have offsets, up to 100, and lines with their line feeds', () => {
  assert.deepEqual(of('Like so:', '```suggestion', 'a', '', ' b', '```', 'or so', '``` suggestion:-1+20', '```'), [
    { above: 0, below: 0, content: 'a\n\n b\n' },
    { above: 1, below: 20, content: '' },
  ]);
  assert.deepEqual(of('```suggestion:-101+100 text', '', '```'), [{ above: 100, below: 100, content: '\n' }]);
  assert.deepEqual(of('```suggestion:+1', 'x', '```'), [{ above: 0, below: 0, content: 'x\n' }]);
});

test('only a block of that kind is a suggestion, and only outside others', () => {
  const none = [
    ['```suggestions', 'x', '```'],
    ['```Suggestion', 'x', '```'],
    ['    ```suggestion', 'x', '    ```'],
    ['``suggestion', 'x', '``'],
    ['```suggestion `x`', 'x', '```'],
    ['````', '```suggestion', 'x', '```', '````'],
    ['<!--', '```suggestion', 'x', '```', '-->'],
    ['a suggestion'],
  ];
  for (const lines of none) assert.deepEqual(of(...lines), [], lines.join('|'));
  assert.deepEqual(of('<!-- a --> b', '~~~ ruby', '```suggestion', '~~~', '```suggestion', 'x', '```'), [
    { above: 0, below: 0, content: 'x\n' },
  ]);
});

test('longer fences hold shorter ones, of their own indentation, ended by the text at the latest', () => {
  assert.deepEqual(of('  ~~~~suggestion', '  a', '~~~', '```', '   b', '~~~~~'), [
    { above: 0, below: 0, content: 'a\n~~~\n```\n b\n' },
  ]);
  assert.deepEqual(suggestionBlocks('```suggestion\r\na\r\n```\r\n'), [{ above: 0, below: 0, content: 'a\n' }]);
  assert.deepEqual(of('```suggestion', 'a'), [{ above: 0, below: 0, content: 'a\n' }]);
});

test('a text has at most 100 suggestions, and is read in linear time', () => {
  assert.equal(suggestionBlocks('```suggestion\n```\n'.repeat(101)).length, 100);
  const long = [
    `${'```suggestion `\n'.repeat(60_000)}`,
    `\`\`\`suggestion\n${' '.repeat(500_000)}\n${'\n'.repeat(500_000)}`,
    `<!-- suggestion ${'<!--\n'.repeat(200_000)}`,
    `suggestion${'`'.repeat(1_000_000)}`,
  ];
  const { user } = process.cpuUsage();
  for (const text of long) suggestionBlocks(text);
  assert.ok(process.cpuUsage().user - user < 2_000_000, String(process.cpuUsage().user - user));
});
