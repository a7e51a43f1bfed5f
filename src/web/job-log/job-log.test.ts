import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTags, endSection, startSection, textsOf, whole } from '../../../test/support/job-log-html.ts';
import { jobLogStyles, logAfter, logBefore, renderLog } from './index.ts';

/** HTML of the texts of lines. */
const contents = (log: string) =>
  [...whole(log).matchAll(/<span class="log-text">(.*?)<\/span><\/(?:div|summary)>/gs)].map(([, html]) => html);

describe('colours and fonts', () => {
  const cases: readonly (readonly [log: string, html: string])[] = [
    ['plain <&>"\'', 'plain &lt;&amp;&gt;&quot;&#39;'],
    ['\x1b[31mred\x1b[0m no', '<span class="log-fg-1">red</span> no'],
    ['\x1b[31mred\x1b[m no', '<span class="log-fg-1">red</span> no'],
    ['\x1b[91;44ma', '<span class="log-bg-4 log-ink-9">a</span>'],
    ['\x1b[107mb\x1b[49mc', '<span class="log-bg-15">b</span>c'],
    ['\x1b[1;2;3;4;9ma', '<span class="log-bold log-dim log-italic log-underline log-strike">a</span>'],
    ['\x1b[1;3ma\x1b[22mb\x1b[23mc', '<span class="log-bold log-italic">a</span><span class="log-italic">b</span>c'],
    ['\x1b[4ma\x1b[24mb\x1b[9mc\x1b[29md', '<span class="log-underline">a</span>b<span class="log-strike">c</span>d'],
    ['\x1b[4ma\x1b[4:0mb', '<span class="log-underline">a</span>b'],
    ['\x1b[38;5;208ma\x1b[39mb', '<span class="log-fg-208">a</span>b'],
    ['\x1b[38:5:208ma', '<span class="log-fg-208">a</span>'],
    ['\x1b[48;5;300ma', '<span class="log-bg-255">a</span>'],
    ['\x1b[38;2;255;0;0ma', '<span class="log-fg-196">a</span>'],
    ['\x1b[38;2;128;128;128;1ma', '<span class="log-bold log-fg-244">a</span>'],
    ['\x1b[38:2::0:0:255ma', '<span class="log-fg-21">a</span>'],
    ['\x1b[38:2:0:255:0ma', '<span class="log-fg-46">a</span>'],
    ['\x1b[38;5ma', 'a'],
    ['\x1b[38;9ma', 'a'],
    ['\x1b[7ma\x1b[27mb', '<span class="log-bg-text log-ink-page">a</span>b'],
    ['\x1b[7;31ma', '<span class="log-bg-1 log-ink-page">a</span>'],
    ['\x1b[7;31;42ma', '<span class="log-bg-1 log-ink-2">a</span>'],
    ['\x1b[31ma\x1b[31mb', '<span class="log-fg-1">ab</span>'],
    ['\x1b[?25la\x1b[2Jb\x1b[>4;1mc', 'abc'],
    ['\x1b]0;title\x07a\x1b]8;;http://b\x1b\\c\x1b]8;;\x1b\\d', 'acd'],
    ['\x1b(Ba\x1b=b\x1b', 'ab'],
    ['a\x1b[31', 'a'],
    ['a\0\x07b\u0085c\x7fd', 'abcd'],
  ];
  for (const [log, html] of cases) {
    test(JSON.stringify(log), () => assert.deepEqual(contents(log), [html]));
  }

  test('a style lasts over lines', () => {
    assert.deepEqual(contents('\x1b[32ma\nb\x1b[0m\nc'), [
      '<span class="log-fg-2">a</span>',
      '<span class="log-fg-2">b</span>',
      'c',
    ]);
  });

  test('every class has a rule, every rule no more than a colour that can be read', () => {
    for (let color = 0; color < 256; color += 1) {
      for (const name of ['fg', 'bg', 'ink'])
        assert.ok(jobLogStyles.includes(`.log-${name}-${color}{`), `${name}-${color}`);
    }
    for (const name of ['bold', 'dim', 'italic', 'underline', 'strike', 'bg-text', 'ink-page']) {
      assert.ok(jobLogStyles.includes(`.log-${name}{`), name);
    }
    assert.ok(Buffer.byteLength(jobLogStyles) < 40_000);
  });
});

describe('lines', () => {
  const cases: readonly (readonly [log: string, texts: string[]])[] = [
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['\n\na', ['', '', 'a']],
    ['10%\r20%\rdone\n', ['done']],
    ['100%\r20%\n', ['20%%']],
    ['100%\r\x1b[K20%\n', ['20%']],
    ['100%\x1b[2K\r20%\n', ['20%']],
    ['abc\x1b[1Kd', ['abcd']],
    ['abc\b\bX', ['aXc']],
    ['\b\ba', ['a']],
    ['abc\x1b[2DX\x1b[1GY\x1b[5GZ', ['YXc Z']],
    ['a\tb', ['a\tb']],
    ['abc\r\x1b[0K\n', ['']],
    ['abc\r\x1b[0K', []],
    ['\u{1f600}é\n', ['\u{1f600}é']],
  ];
  for (const [log, texts] of cases) test(JSON.stringify(log), () => assert.deepEqual(textsOf(whole(log)), texts));

  test('have numbers that can be linked to', () => {
    assert.equal(
      whole('a\nb'),
      '<div class="log-line" id="L1"><a class="log-number" href="#L1">1</a><span class="log-text">a</span></div>\n' +
        '<div class="log-line" id="L2"><a class="log-number" href="#L2">2</a><span class="log-text">b</span></div>\n',
    );
  });

  test('link addresses, but nothing that could run', () => {
    assert.deepEqual(contents('see https://a.example/?b=1&c="x" (http://b.example/y). javascript:alert(1) ://'), [
      'see <a href="https://a.example/?b=1&amp;c=" rel="nofollow noopener">https://a.example/?b=1&amp;c=</a>&quot;x&quot; ' +
        '(<a href="http://b.example/y" rel="nofollow noopener">http://b.example/y</a>). javascript:alert(1) ://',
    ]);
  });

  test('that are too long are cut, between characters', () => {
    const long = `${'a'.repeat(8_191)}${'\u{1f600}'.repeat(5_000)}`;
    const texts = textsOf(whole(long));
    assert.equal(texts.join(''), long);
    assert.deepEqual(
      texts.map((text) => text.length),
      [8_191, 8_192, 1_808],
    );
  });

  test('with invalid bytes have replacements', () => {
    assert.deepEqual(textsOf(whole(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xf0, 0x9f, 0x98, 0x0a, 0xe2, 0x82]))), [
      'a\u{fffd}\u{fffd}(\u{fffd}',
      '\u{fffd}',
    ]);
  });
});

describe('sections', () => {
  const cases: readonly (readonly [log: string, texts: string[]])[] = [
    [`${startSection('a')}Title\nx\n${endSection('a')}y\n`, ['> Title', 'x', '<', 'y']],
    [`\x1b[0K${startSection('a')}\x1b[0KTitle\nx\n\x1b[0K${endSection('a')}\nz\n`, ['> Title', 'x', '<', 'z']],
    [`${startSection('a')}A\n${endSection('a')}${startSection('b')}B\n${endSection('b')}`, ['> A', '<', '> B', '<']],
    [
      `${startSection('a')}A\n${startSection('b')}B\nx\n${endSection('b')}${endSection('a')}`,
      ['> A', '> B', 'x', '<', '<'],
    ],
    [`${startSection('a')}${startSection('b')}B\n${endSection('b')}${endSection('a')}`, ['> ', '> B', '<', '<']],
    [
      `${startSection('a')}A\n${startSection('b')}B\nx\n${endSection('a')}y\n${endSection('b')}z\n`,
      ['> A', '> B', 'x', '<', '<', 'y', 'z'],
    ],
    [`${startSection('a')}A\nx\n`, ['> A', 'x', '<']],
    [`${startSection('a')}${endSection('a')}`, ['> ', '<']],
    [`before ${startSection('a')}A\nbetween ${endSection('a')}after\n`, ['before ', '> A', 'between ', '<', 'after']],
    [`${endSection('none')}x\n`, ['x']],
    [`x${endSection('none')}y\n`, ['x', 'y']],
    ['section_start:x:a\r\x1b[0KA\n', ['A']],
    ['section_start:1:a b\n', ['section_start:1:a b']],
    ['section_start:1:a', ['section_start:1:a']],
    ['section_ends here\nsection_', ['section_ends here', 'section_']],
    [`${startSection('a').repeat(20)}x\n`, [...Array(15).fill('> '), '> x', ...Array(16).fill('<')]],
  ];
  for (const [log, texts] of cases)
    test(JSON.stringify(log).slice(0, 100), () => assert.deepEqual(textsOf(whole(log)), texts));

  test('show how long they took, and are closed or open', () => {
    const durations = (log: string) => [...whole(log).matchAll(/log-duration">([^<]*)</g)].map(([, text]) => text);
    assert.deepEqual(durations(`${startSection('a', 100)}A\n${endSection('a', 161)}`), ['01:01']);
    assert.deepEqual(durations(`${startSection('a', 100)}A\n${endSection('a', 3_800)}`), ['1:01:40']);
    assert.deepEqual(durations(`${startSection('a', 100)}A\n${endSection('a', 99)}`), []);
    assert.deepEqual(durations(`${startSection('a', 100, '[hide_duration=true]')}A\n${endSection('a', 161)}`), []);
    assert.match(whole(`${startSection('a')}A\n`), /<details open>/);
    assert.match(whole(`${startSection('a', 1, '[collapsed=true]')}A\n`), /<details>/);
    assert.match(whole(`${startSection('a', 1, '[hide_duration=true,collapsed=true]')}A\n`), /<details>/);
  });

  test('are opened again on a page that begins within them', () => {
    const { state } = renderLog(Buffer.from(`${startSection('<a'.slice(1))}A\n${startSection('b')}B\nx\n`));
    const next = renderLog(Buffer.from(`y\n${endSection('b')}z\n`), state);
    const page = logBefore(state) + next.html + logAfter(next.state);
    assert.deepEqual(textsOf(page), ['> a', '> b', 'y', '<', 'z', '<']);
    assert.match(page, /id="L4"/);
    checkTags(page);
  });
});

describe('times of a runner', () => {
  const at = (second: number, stream = '00O', more = ' ') => `2026-01-02T03:04:0${second}.000000Z ${stream}${more}`;

  test('stand beside the lines', () => {
    const html = whole(`${at(1)}one\n${at(2, '00E')}two\n${at(3)}\n`);
    assert.deepEqual(textsOf(html), ['one', 'two', '']);
    assert.match(html, /<time class="log-time" datetime="2026-01-02T03:04:01.000000Z">03:04:01<\/time>/);
    assert.match(html, /<div class="log-line log-error" id="L2">.*two/);
  });

  test('do not divide a line that goes on', () => {
    assert.deepEqual(textsOf(whole(`${at(1)}one\n${at(2, '00O', '+')} and more\n${at(3)}two\n`)), [
      'one and more',
      'two',
    ]);
    assert.deepEqual(textsOf(whole(`${at(1)}10%\r\n${at(2, '00O', '+')}20%\r\n${at(3)}two\n`)), ['20%', 'two']);
    assert.deepEqual(textsOf(whole(`${at(1, '00O', '+')}one\n`)), ['one']);
  });

  test('may be missing in a line, and are text where the first line has none', () => {
    assert.deepEqual(textsOf(whole(`${at(1)}one\ntwo\n${at(3)}three`)), ['one', 'two', 'three']);
    assert.deepEqual(textsOf(whole(`one\n${at(3)}two\n`)), ['one', `${at(3)}two`]);
  });

  test('go with sections', () => {
    assert.deepEqual(
      textsOf(whole(`${at(1)}${startSection('a')}A\n${at(2)}x\n${at(3)}${endSection('a')}\n${at(4)}y\n`)),
      ['> A', 'x', '<', 'y'],
    );
  });
});
