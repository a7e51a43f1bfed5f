import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskSecrets, secretBytes } from './trace.mask.ts';

/** Sends a text in pieces, as a log comes. @returns what stands in the log in the end, and after each piece */
function through(secrets: string[], pieces: readonly (string | Buffer)[]): { whole: string; seen: string[] } {
  const known = secretBytes(secrets);
  let held = Buffer.alloc(0);
  let shown = '';
  const seen: string[] = [];
  for (const piece of pieces) {
    const bytes = Buffer.concat([held, Buffer.from(piece)]);
    const safe = maskSecrets(known, bytes);
    shown += bytes.toString('latin1', 0, safe);
    held = bytes.subarray(safe);
    seen.push(shown);
  }
  return { whole: shown + held.toString('latin1'), seen };
}

describe('secrets in a log', () => {
  const secret = 'hunter22secret';
  const text = `a ${secret} b\n${secret}${secret}`;
  const masked = 'a [MASKED]xxxxxx b\n[MASKED]xxxxxx[MASKED]xxxxxx';

  test('are hidden at their length', () => {
    assert.equal(through([secret], [text]).whole, masked);
    assert.equal(through(['12345678'], ['=12345678=']).whole, '=[MASKED]=');
    assert.equal(through([], [text]).whole, text);
  });

  test('are hidden wherever they are cut, and no part of them is seen before', () => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      for (let second = cut; second <= text.length; second += 3) {
        const pieces = [text.slice(0, cut), text.slice(cut, second), text.slice(second)];
        const { whole, seen } = through([secret], pieces);
        assert.equal(whole, masked);
        for (const shown of seen) assert.ok(masked.startsWith(shown), shown);
      }
    }
    assert.equal(through([secret], [...text]).whole, masked);
  });

  test('that begin alike, hold one another or repeat themselves, are all hidden', () => {
    const secrets = ['password1', 'password12345', 'word12345678'];
    assert.equal(through(secrets, ['password12345|password1|']).whole, '[MASKED]xxxxx|[MASKED]x|');
    assert.equal(through(secrets, ['password1', '2345|password1', '|']).whole, '[MASKED]xxxxx|[MASKED]x|');
    assert.equal(through(['aaaaaaaab'], ['aaaaaaaaaaab', 'aaaaaaaa', 'b']).whole, 'aaa[MASKED]x[MASKED]x');
  });

  test('are found in bytes that are no text', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x68]), Buffer.from(secret), Buffer.from([0xff])]);
    const { whole } = through([secret], [bytes.subarray(0, 7), bytes.subarray(7)]);
    assert.equal(
      Buffer.from(whole, 'latin1').toString('hex'),
      Buffer.concat([Buffer.from([0xff, 0xfe, 0x68]), Buffer.from('[MASKED]xxxxxx'), Buffer.from([0xff])]).toString(
        'hex',
      ),
    );
    assert.equal(through(['pässwörter'], ['ein pässwörter']).whole, 'ein [MASKED]xxxx');
  });

  test('hold nothing back that cannot begin one, and nothing for long', () => {
    assert.equal(through([secret], ['line\n']).seen[0], 'line\n');
    assert.equal(through([secret], ['hunter2', '\n']).seen[0], '');
    assert.equal(through([secret], ['hunter2', '\n']).seen[1], 'hunter2\n');
  });

  test('that are too short for it hide nothing', () => {
    assert.equal(through(['short', ''], ['a short text']).whole, 'a short text');
  });

  test('are found among thousands that begin alike, in a long log', () => {
    const many = Array.from({ length: 8_000 }, (_, index) => `secret-${index}-${'y'.repeat(20)}`);
    const known = secretBytes(many);
    const bytes = Buffer.from(`${'secretly, nothing is said here; '.repeat(8_000)}${many[7]}`);
    assert.equal(known.sorted.length, 8_000);
    assert.equal(maskSecrets(known, bytes), bytes.length);
    assert.ok(!bytes.includes(many[7]!));
  });
});
