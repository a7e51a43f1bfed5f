import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import type { BaseContext } from '../../../http/http.route.ts';
import { packageKinds } from '../package-kinds.ts';
import { AttachmentScanner, END } from './attachment-scanner.ts';
import { Base64Decoder } from './base64.ts';
import { readNpmBody } from './npm.read-body.ts';

/** What comes out of a text that is scanned in pieces of a size. */
function scan(text: string, size: number, maxBufferedBytes = 1_000_000) {
  const scanner = new AttachmentScanner(maxBufferedBytes);
  const bytes = Buffer.from(text);
  const attachments: { name: string; data: string; ended: boolean }[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const piece of scanner.scan(bytes.subarray(at, at + size))) {
      const last = attachments.at(-1);
      if (piece === END) last!.ended = true;
      else if (Buffer.isBuffer(piece)) last!.data += piece.toString();
      else attachments.push({ name: piece.name, data: '', ended: false });
    }
  }
  return { attachments, rest: scanner.rest().toString() };
}
const SIZES = [1, 2, 3, 7, 1_000];

describe('the data of attachments', () => {
  test('is found wherever a text is cut, and nothing else is taken for it', () => {
    const document = {
      data: 'top "quoted" \\ text',
      versions: { '1.0.0': { _attachments: { x: { data: 'no' } }, 'a"b': ['_attachments', { data: 'no' }] } },
      _attachments: {
        'a.tgz': { length: 3, data: 'AAAA', content_type: 'x', more: { data: 'no' } },
        'b\\".sigstore': { data: 'with \\" escapes' },
        c: [{ data: 'no' }],
        d: { data: '' },
        e: { data: 5 },
      },
      after: { data: 'no' },
    };
    for (const size of SIZES) {
      const { attachments, rest } = scan(JSON.stringify(document), size);
      assert.deepEqual(
        attachments.map(({ name, ended }) => [name, ended]),
        [
          ['a.tgz', true],
          ['b\\".sigstore', true],
          ['d', true],
        ],
      );
      assert.equal(attachments[0]!.data, 'AAAA');
      assert.equal(JSON.parse(`"${attachments[1]!.data}"`), 'with \\" escapes');
      const expected = structuredClone(document);
      for (const name of ['a.tgz', 'b\\".sigstore', 'd'] as const) expected._attachments[name].data = '';
      assert.deepEqual(JSON.parse(rest), expected);
    }
  });

  test('is found behind keys that are written with escapes', () => {
    for (const size of SIZES) {
      const { attachments } = scan('{"_attachm\\u0065nts" : {"x":{"d\\u0061ta"\n:\t"AA=="}}}', size);
      assert.deepEqual(attachments, [{ name: 'x', data: 'AA==', ended: true }]);
    }
  });

  test('does not end with the text', () => {
    assert.throws(() => scan('{"_attachments":{"x":{"data":"AA', 5), /Invalid json/);
    assert.throws(() => scan('{"a', 5), /Invalid json/);
  });

  test('is all that can be long', () => {
    const long = `{"_attachments":{"x":{"data":"${'A'.repeat(100_000)}"}}}`;
    assert.equal(scan(long, 999, 100).attachments[0]!.data.length, 100_000);
    assert.throws(() => scan(`{"readme":"${'A'.repeat(1_000)}"}`, 99, 100), /413/);
    assert.throws(() => scan('['.repeat(101), 10), /Invalid json/);
  });
});

describe('base64 in a text of JSON', () => {
  const decode = (text: string, size: number) => {
    const decoder = new Base64Decoder();
    const out: Buffer[] = [];
    for (let at = 0; at < text.length; at += size) out.push(decoder.decode(Buffer.from(text.slice(at, at + size))));
    return Buffer.concat([...out, decoder.end()]);
  };
  const bytes = Buffer.from(Array.from({ length: 256 }, (_each, n) => 255 - n));

  test('is decoded wherever it is cut, however it is escaped and padded', () => {
    for (const end of [254, 255, 256]) {
      const plain = bytes.subarray(0, end).toString('base64');
      const ways = [
        plain,
        plain.replace(/=+$/, ''),
        plain.replaceAll('/', '\\/'),
        plain.replaceAll('+', '\\u002b').replaceAll('/', '\\u002F'),
        plain.replace(/.{76}/g, '$&\\r\\n'),
      ];
      for (const way of ways) {
        for (const size of SIZES) assert.deepEqual(decode(way, size), bytes.subarray(0, end));
      }
    }
  });

  test('is refused where it is none', () => {
    for (const text of ['a.b=', 'abcde', 'ab==ab==', '====', 'a\\b', 'ab\\', 'ab\\u00', 'ab\\"', 'äb==']) {
      for (const size of [1, 100]) assert.throws(() => decode(text, size), /base64/, text);
    }
  });

  test('is refused as soon as its padding is too long, which is kept', () => {
    const decoder = new Base64Decoder();
    decoder.decode(Buffer.from('ab=='));
    assert.throws(() => decoder.decode(Buffer.from('=')), /base64/);
  });
});

describe('a body', () => {
  test('whose length nobody announced ends where the largest file would', async () => {
    const MIB = 1024 * 1024;
    const maxMebibytes = 700;
    let input = 0;
    async function* body() {
      yield Buffer.from('{"_attachments":{"x.sigstore":{"data":"');
      for (const data = Buffer.alloc(MIB, 'A'); input < maxMebibytes; input += 1) yield data;
      yield Buffer.from('"}}}');
    }
    const bytes = Readable.from(body(), { objectMode: false });
    const deps = { recent: { get: async () => ({}) }, packageKinds };
    const c = { deps, request: { headers: {} }, bytes, hold: async () => {} } as unknown as BaseContext;
    await assert.rejects(readNpmBody(c), { status: 413 });
    assert.ok(input < maxMebibytes);
  });
});
