import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkTags, endSection, startSection, textsOf, whole } from '../../../test/support/job-log-html.ts';
import { LOG_START, type LogState, logAfter, logBefore, MAX_RENDERED, renderLog } from './index.ts';

/** Pieces of logs, good and bad. */
const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '\b',
    '\t',
    'abc',
    'é',
    '\u{1f600}',
    '<b>&"',
    'https://a.example/b?c=d.',
    '\0',
    ' ',
  ),
  fc.constantFrom(
    '\x1b[31m',
    '\x1b[0m',
    '\x1b[1;44m',
    '\x1b[38;5;99m',
    '\x1b[0K',
    '\x1b[2K',
    '\x1b[1K',
    '\x1b[3D',
    '\x1b[5G',
    '\x1b[7m',
  ),
  fc.constantFrom(
    startSection('a'),
    endSection('a'),
    startSection('b', 1, '[collapsed=true]'),
    endSection('b'),
    'section_',
    'section_start:1:',
    '\x1b',
    '\x1b[',
    '\x1b]0;x',
    '\x07',
    's',
    'sec',
  ),
  fc.constantFrom('2026-01-02T03:04:05.000000Z 00O ', '2026-01-02T03:04:05.000000Z 00E+', '2026-01-02T03'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const bytes = fc
  .array(
    fc.oneof(
      piece.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));

describe('whatever comes', () => {
  test('is the same however it is divided, through JSON', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 }), (log, sizes) => {
        let state: LogState = LOG_START;
        let html = '';
        let from = 0;
        for (let at = 0; from < log.length; at += 1) {
          const part = log.subarray(from, from + sizes[at % sizes.length]!);
          from += part.length;
          const rendered = renderLog(part, state);
          assert.equal(rendered.consumed, part.length);
          html += rendered.html;
          state = JSON.parse(JSON.stringify(rendered.state));
        }
        assert.equal(html + logAfter(state), whole(log));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is well-formed, also as a page that begins and ends anywhere', () => {
    fc.assert(
      fc.property(bytes, bytes, (before, log) => {
        const { state } = renderLog(before);
        const { html, state: next } = renderLog(log, state);
        checkTags(logBefore(state) + html + logAfter(next));
      }),
      { numRuns: 1_000 },
    );
  });

  test('shows the text that a terminal would', () => {
    const simple = fc.array(
      fc.constantFrom('\n', '\r', '\b', 'a', 'bc', 'def', '<', '\x1b[31m', '\x1b[0m', '\x1b[K', '\x1b[2K', '\x1b[2D'),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(simple, (pieces) => {
        assert.deepEqual(textsOf(whole(pieces.join(''))), terminal(pieces));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Lines as a terminal shows them, cell by cell. */
function terminal(pieces: readonly string[]): string[] {
  const lines: string[] = [];
  let cells: string[] = [];
  let column = 0;
  for (const piece of pieces) {
    if (piece === '\n') {
      lines.push(cells.join(''));
      [cells, column] = [[], 0];
    } else if (piece === '\r') column = 0;
    else if (piece === '\b') column = Math.max(0, column - 1);
    else if (piece === '\x1b[2D') column = Math.max(0, column - 2);
    else if (piece === '\x1b[K') cells = cells.slice(0, column);
    else if (piece === '\x1b[2K') cells = [];
    else if (!piece.startsWith('\x1b')) {
      while (cells.length < column) cells.push(' ');
      for (const char of piece) cells[column++] = char;
    }
  }
  return cells.length > 0 ? [...lines, cells.join('')] : lines;
}

describe('large logs', () => {
  const MB = 1024 * 1024;
  /** Renders all in parts; the longest HTML and state of one. */
  function inParts(log: Uint8Array): { html: number; state: number; lines: number } {
    let state: LogState = LOG_START;
    const longest = { html: 0, state: 0, lines: 0 };
    for (let at = 0; at < log.length; ) {
      const part = renderLog(log.subarray(at), state);
      assert.ok(part.consumed > 0 && part.consumed <= MAX_RENDERED.bytes);
      at += part.consumed;
      state = part.state;
      longest.html = Math.max(longest.html, part.html.length);
    }
    longest.state = JSON.stringify(state).length;
    longest.lines = state.number;
    return longest;
  }

  const hostile: readonly (readonly [what: string, log: Uint8Array])[] = [
    ['one line', Buffer.alloc(20 * MB, 'x')],
    ['empty lines', Buffer.alloc(MB / 2, '\n')],
    ['returns', Buffer.alloc(MB / 2, 'ab\r')],
    ['returns to the begin of a long line', Buffer.concat([Buffer.alloc(8_000, 'x'), Buffer.alloc(MB / 2, 'a\r')])],
    ['colours', Buffer.alloc(MB / 2, '\x1b[31ma\x1b[32mb')],
    ['moves', Buffer.alloc(MB / 2, '\x1b[999Gx\n')],
    ['erasing', Buffer.alloc(MB / 2, 'x\x1b[K\x1b[1K')],
    ['begins of sequences', Buffer.alloc(MB / 2, '\x1b[')],
    ['begins of titles', Buffer.alloc(MB / 2, '\x1b]')],
    ['parameters', Buffer.concat([Buffer.from('\x1b['), Buffer.alloc(MB / 2, '1;')])],
    ['begins of markers', Buffer.alloc(MB / 2, 'section_start:1:a')],
    ['sections', Buffer.alloc(MB / 2, startSection('a'))],
    ['sections that end', Buffer.alloc(MB / 2, `${startSection('a')}${endSection('a')}`)],
    ['invalid bytes', Buffer.alloc(MB / 2, 0xe2)],
    ['addresses', Buffer.alloc(MB / 2, 'http://')],
    ['escaped characters', Buffer.alloc(MB / 2, '"&\n')],
  ];
  for (const [what, log] of hostile) {
    test(`of ${what} take bounded time and memory`, () => {
      const before = process.cpuUsage();
      const { html, state } = inParts(log);
      const { user, system } = process.cpuUsage(before);
      assert.ok(html < MAX_RENDERED.html + 8 * MB, `${html}`);
      assert.ok(state < 400_000, `${state}`);
      assert.ok(user + system < 5_000_000, `${user + system}`);
    });
  }
});
