import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DotenvError, parseDotenv } from './dotenv.ts';

const LIMITS = { bytes: 5_120, variables: 20 };
const parse = (text: string | Buffer) => Object.fromEntries(parseDotenv(Buffer.from(text), LIMITS));
const fails = (text: string | Buffer, message: string) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof DotenvError && error.message === message,
  );

test('a line is a key and a value, both trimmed, quotes kept', () => {
  assert.deepEqual(parse('A=1\nB = two words \r\nC="x=y"\nD='), { A: '1', B: 'two words', C: '"x=y"', D: '' });
  assert.deepEqual(parse('A=1\nA=2\n'), { A: '2' });
  assert.deepEqual(parse(''), {});
});

test('encodings with a mark are understood', () => {
  assert.deepEqual(parse('\ufeffA=ü'), { A: 'ü' });
  assert.deepEqual(parse(Buffer.from('\ufeffA=ü\n', 'utf16le')), { A: 'ü' });
  assert.deepEqual(parse(Buffer.from('\ufeffA=ü\n', 'utf16le').swap16()), { A: 'ü' });
});

test('all else is no variable', () => {
  for (const text of ['A', '# comment', 'A=1\n\nB=2', 'A=1\n ', '\n', 'A=\0', Buffer.from([0x41, 0x3d, 0xff])]) {
    fails(text, 'Invalid Format');
  }
  for (const text of ['A-B=1', '=1', 'Ä=1', 'a b=1']) {
    fails(text, "Validation failed: Key can contain only letters, digits and '_'.");
  }
  fails(`${'A'.repeat(256)}=1`, 'Validation failed: Key is too long (maximum is 255 characters)');
});

test('exactly the limits are allowed', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `K${at}=1`).join('\n');
  assert.equal(Object.keys(parse(lines(20))).length, 20);
  fails(lines(21), 'Dotenv files cannot have more than 20 variables');
  assert.equal(parse(`A=${'x'.repeat(LIMITS.bytes - 2)}`).A?.length, LIMITS.bytes - 2);
  fails(`A=${'x'.repeat(LIMITS.bytes - 1)}`, 'Dotenv Artifact Too Big. Maximum Allowable Size: 5120');
});
