import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_POINTER_BYTES, parsePointer } from './lfs.ts';

const oid = '4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393';
const version = 'version https://git-lfs.github.com/spec/v1\n';
const parse = (text: string) => parsePointer(Buffer.from(text));

test('a pointer gives the id and the size of what it stands for', () => {
  assert.deepEqual(parse(`${version}oid sha256:${oid}\nsize 12345\n`), { oid, size: 12_345 });
  assert.deepEqual(parse(`${version}oid sha256:${oid}\nsize 0\n`), { oid, size: 0 });
});

test('pre-release pointers, extensions and unknown keys are read too', () => {
  assert.deepEqual(parse(`version https://hawser.github.com/spec/v1\noid sha256:${oid}\nsize 1\n`), { oid, size: 1 });
  assert.deepEqual(parse(`${version}ext-0-foo sha256:${oid}\noid sha256:${oid}\nsize 1\nx.y-z a b\n`), {
    oid,
    size: 1,
  });
});

test('all that breaks a rule is a file like any other', () => {
  const wrong = {
    'an empty file': '',
    'no version': `oid sha256:${oid}\nsize 1\n`,
    'version not first': `oid sha256:${oid}\n${version}size 1\n`,
    'another version': `version https://git-lfs.github.com/spec/v2\noid sha256:${oid}\nsize 1\n`,
    'keys out of order': `${version}size 1\noid sha256:${oid}\n`,
    'a key twice': `${version}oid sha256:${oid}\noid sha256:${oid}\nsize 1\n`,
    'no line feed at the end': `${version}oid sha256:${oid}\nsize 1`,
    'an empty line at the end': `${version}oid sha256:${oid}\nsize 1\n\n`,
    'carriage returns': `${version}oid sha256:${oid}\r\nsize 1\r\n`,
    'two spaces': `${version}oid  sha256:${oid}\nsize 1\n`,
    'an upper-case key': `${version}Aid x\noid sha256:${oid}\nsize 1\n`,
    'another hash': `${version}oid sha1:${oid.slice(0, 40)}\nsize 1\n`,
    'a short id': `${version}oid sha256:${oid.slice(1)}\nsize 1\n`,
    'an upper-case id': `${version}oid sha256:${oid.toUpperCase()}\nsize 1\n`,
    'no size': `${version}oid sha256:${oid}\n`,
    'a negative size': `${version}oid sha256:${oid}\nsize -1\n`,
    'a size with leading zeros': `${version}oid sha256:${oid}\nsize 01\n`,
    'a size past what can be counted': `${version}oid sha256:${oid}\nsize 9007199254740993\n`,
    'a byte order mark': `\ufeff${version}oid sha256:${oid}\nsize 1\n`,
  };
  for (const [what, text] of Object.entries(wrong)) assert.equal(parse(text), null, what);
  const latin1 = Buffer.from(`${version}oid sha256:${oid}\nsize 1\nz caf\xe9\n`, 'latin1');
  assert.equal(parsePointer(latin1), null);
});

test('a pointer has fewer than 1024 bytes', () => {
  const text = (length: number) => {
    const base = `${version}oid sha256:${oid}\nsize 1\nz `;
    return `${base}${'x'.repeat(length - base.length - 1)}\n`;
  };
  assert.notEqual(parse(text(MAX_POINTER_BYTES - 1)), null);
  assert.equal(parse(text(MAX_POINTER_BYTES)), null);
});
