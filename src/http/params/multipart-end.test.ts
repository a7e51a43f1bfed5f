import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { multipartChunks } from './multipart-end.ts';

/** The output for a body that arrives in chunks of a size. */
async function read(body: string, size: number): Promise<string> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(Buffer.from(body.slice(at, at + size), 'latin1'));
  const chunks: Buffer[] = [];
  for await (const chunk of multipartChunks(Readable.from(pieces, { objectMode: true }))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

const SIZES = [1, 2, 7, 269, 270, 271, 500, 10_000];
const HEAD = '--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n';
const LONG = `${'\xff\n--x--\n'.repeat(100)}`;

test('a bare line feed before the line that ends a body becomes a whole line end, however the body is cut', async () => {
  for (const content of ['', 'a', 'a\n', LONG]) {
    for (const end of ['--x--', '--x--\n', '--x--\r\n', `--${'b'.repeat(252)}--\r\n`]) {
      for (const size of SIZES) {
        assert.equal(await read(`${HEAD}${content}\n${end}`, size), `${HEAD}${content}\r\n${end}`);
      }
    }
  }
});

test('all other bodies stay as they are', async () => {
  for (const body of [
    '',
    '\n',
    `${HEAD}${LONG}\r\n--x--\r\n`,
    `${HEAD}${LONG}\r\n--x--`,
    `${HEAD}a\n--x--\r\n\r\n`,
    `${HEAD}a\n--x\n`,
    `${HEAD}a\n----`,
    `${HEAD}a\n--x--b`,
    `${HEAD}a\n--x`,
  ]) {
    for (const size of SIZES) assert.equal(await read(body, size), body);
  }
});
