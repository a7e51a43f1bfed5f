import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { outputOf } from '../../test/support/fork-server.ts';
import { parseTrailers } from './trailers.ts';

/** What git finds, as [key, value] pairs. */
function gitTrailers(message: string): string[][] {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
  const args = ['-c', 'trailer.separators=:', 'interpret-trailers', '--parse', '--no-divider'];
  const output = outputOf('git', args, { input: message, env, cwd: '/' }).toString();
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
}

function check(message: string): void {
  const expected: Record<string, string[]> = {};
  for (const [key = '', value = ''] of gitTrailers(message)) {
    expected[key] ??= [];
    expected[key].push(value);
  }
  const { trailers, extended } = parseTrailers(message);
  assert.deepEqual({ ...extended }, expected);
  const last = Object.fromEntries(Object.entries(expected).map(([key, values]) => [key, values.at(-1)]));
  assert.deepEqual({ ...trailers }, last);
}

test('the last value wins and all are kept', () => {
  const { trailers, extended } = parseTrailers(
    'Title\n\nBody\n\nReviewed-by: Ada\nReviewed-by: Grace\nChangelog: added\n',
  );
  assert.deepEqual({ ...trailers }, { 'Reviewed-by': 'Grace', Changelog: 'added' });
  assert.deepEqual({ ...extended }, { 'Reviewed-by': ['Ada', 'Grace'], Changelog: ['added'] });
});

test('no key is special', () => {
  const { trailers } = parseTrailers('Title\n\nconstructor: y\n');
  assert.equal(trailers.constructor, 'y');
  assert.equal(trailers.toString, undefined);
  assert.equal(Object.getPrototypeOf(trailers), null);
});

test('agrees with git on messages made for it', () => {
  const messages = [
    'Title: not a trailer',
    'Title\n\nKey: value',
    'Title\n\nKey: value\n\n\n',
    'Title\n\nKey: one\n two\n\tthree\nOther : spaced key\n',
    'Title\n\nprose here\nSigned-off-by: Ada <a@b>\n',
    'Title\n\none\ntwo\nthree\nfour\nSigned-off-by: Ada <a@b>\n',
    'Title\n\nprose\nKey: value\n',
    'Title\n\nKey: value\n(cherry picked from commit 0123456789012345678901234567890123456789)\n',
    'Title\n\nKey: value\n# comment\n\nConflicts:\n\tfile\n',
    'Title\n\nKey: value\n\n# ------------------------ >8 ------------------------\nOther: no\n',
    'Title\n---\nKey: value\n\nA: b\n---\nC: d\n',
    'Title\n\nKey:value\r\nOther: x\r\n',
    'Title\n\nKey:\nOther: x\n',
    'Title\n\n Key: indented\n',
    '',
    '\n\n',
    'Key: only\n\nKey: second\n',
  ];
  for (const message of messages) check(message);
});

test('agrees with git on arbitrary messages', () => {
  const line = fc.constantFrom(
    'Title',
    'Key: value',
    'Key: ',
    'Ref-To: #12',
    ' continued',
    '\tcontinued',
    'plain text',
    'key value: x',
    'key : x',
    ': x',
    'Signed-off-by: Ada <a@b>',
    '(cherry picked from commit 0123456789012345678901234567890123456789)',
    '# comment',
    'Conflicts:',
    '---',
    ' ',
    '\r',
    '',
    '',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, ended) => {
      check(lines.join('\n') + (ended ? '\n' : ''));
    }),
    { numRuns: 300 },
  );
});
