import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_COMMANDS, parseQuickActions } from './quick-actions.parse.ts';

const NAMES = new Set(['close', 'label', 'title', 'assign']);
const parse = (text: string) => parseQuickActions(text, (name) => NAMES.has(name));
const commands = (text: string) => parse(text).commands.map(({ name, argument }) => `${name}|${argument}`);

test('quick actions are lines of their own; the text keeps the rest', () => {
  assert.deepEqual(parse('Thanks\n/close\n/LABEL   ~bug ~"a b"  \nBye'), {
    text: 'Thanks\nBye',
    commands: [
      { name: 'close', argument: '' },
      { name: 'label', argument: '~bug ~"a b"' },
    ],
    dropped: 0,
  });
  assert.equal(parse('/close\n\n\nThanks\n\n/label a\n').text, 'Thanks');
  assert.equal(parse('One\r\n/close\r\nTwo').text, 'One\nTwo');
  assert.deepEqual(commands('/close'), ['close|']);
  assert.deepEqual(commands('/title a / b'), ['title|a / b']);
});

test('what is no quick action stays as it is, to the byte', () => {
  for (const text of [
    '',
    'no slash \r\n',
    '/unknown x\n',
    '/closed',
    '/close/',
    ' /close',
    'please /close',
    '//close',
    '/ close',
    '/label\u00a0x',
    '\\/close',
    '/constructor',
    '/__proto__',
    `/title ${'x'.repeat(10_000)}`,
  ]) {
    assert.deepEqual(parse(text), { text, commands: [], dropped: 0 }, JSON.stringify(text));
  }
});

test('in code, comments, HTML and quotations they are text', () => {
  for (const text of [
    '```\n/close\n```',
    '```sh\n/close\n````',
    '~~~\n/close\n~~~',
    '```\n/close',
    '  ```\n/close\n  ```',
    '`\n/close\n`',
    'a `b\n/close\nc` d',
    '    /close',
    '\t/close',
    '> /close',
    '>>>\n/close\n>>>',
    '<!--\n/close\n-->',
    '<!-- a\n/close',
    '<details>\n/close\n</details>',
    '<details>\n\n/close\n\n</details>',
    '<Details open>\n<summary>More</summary>\n\n/close\n\n</details>',
    '<details><summary>More</summary>\n\n/close\n\n</DETAILS>',
    '<span>\n/close\n</span>',
    '<my-note id="a">\n\n/close\n</my-note>',
    '<div class="a">\n/close',
    '<pre>\n\n/close\n\n</pre>',
    '- a\n  /close',
  ]) {
    assert.deepEqual(parse(text), { text, commands: [], dropped: 0 }, JSON.stringify(text));
  }
});

test('behind code, HTML and quotations they act again', () => {
  for (const text of [
    '```\n/label a\n```\n/close',
    'a `b` c\n/close',
    'a ` b\n\n/close\n\nc ` d',
    '>>>\n/label a\n>>>\n/close',
    '>>>\n/close',
    '<details>\n\n/label a\n\n</details>\n/close',
    '<details>\n\n/close',
    '<b>Note</b> this\n/close',
    '<b>Note this\n/close\n</b>',
    '<p>one</p>\n\n/close\n\n<p>two</p>',
    '<p>\none\n\n/close\n\ntwo <p>three</p>',
    '<pre>\n/label a\n</pre>\n/close',
    '<!-- /label a -->\n/close',
    '> quoted\n\n/close',
    '<user@example.org>\n/close',
  ]) {
    assert.deepEqual(commands(text), ['close|'], JSON.stringify(text));
  }
});

test('a shrug and a tableflip are put into the text', () => {
  assert.deepEqual(parse('/shrug'), { text: '¯\\＿(ツ)＿/¯', commands: [], dropped: 0 });
  assert.equal(parse('/shrug What else?\n/tableflip').text, 'What else? ¯\\＿(ツ)＿/¯\n(╯°□°)╯︵ ┻━┻');
  assert.equal(parse('`\n/shrug\n`').text, '`\n/shrug\n`');
});

test('the number is bounded, and long texts take little time whatever they are', () => {
  const many = parse('/close\n'.repeat(MAX_COMMANDS + 100));
  assert.deepEqual([many.commands.length, many.dropped, many.text], [MAX_COMMANDS, 100, '']);
  const megabyte = (part: string) => part.repeat(Math.ceil(1_000_000 / part.length));
  const hostile = [
    '/',
    '/\n',
    '/close\n',
    '/close ',
    '`/\n',
    '<p\n/',
    '<p>\n/\n</',
    '<b>\n</b>\n/',
    '</a \n/',
    '<a b\n/',
    '>>>\n/x\n',
    '<!--\n/',
    '\n/ \n',
    '/a`\n``/',
    '\r\n/',
  ];
  for (const part of hostile) {
    const before = process.cpuUsage();
    parse(megabyte(part));
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 2_000_000, `${JSON.stringify(part)} took ${(user + system) / 1_000} ms`);
  }
});
