import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileBody } from './multipart-file.ts';

const headers = { 'content-type': 'multipart/form-data; boundary=x' };
const begun = `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'y'.repeat(1_000)}`;

/** A body that stalls. */
const stalled = (start: string): Readable => {
  const body = new Readable({ read() {} });
  body.push(start);
  return body;
};

test('what goes wrong with a file is told although the rest of the body does not come', async () => {
  const body = stalled(begun);
  const read = readFileBody(headers, body, 'file', async (file) => {
    file.resume();
    await sleep(5);
    throw new Error('too large');
  });
  await assert.rejects(read, { message: 'too large' });
  // What arrives then is not read.
  body.push('z'.repeat(1_000));
  await sleep(5);
  body.push('\r\n--x--\r\n');
  await sleep(5);
  assert.equal(body.readableLength, 9);
});

test('so is what goes wrong with a field', async () => {
  const field = `--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n${'y'.repeat(100_000)}\r\n--x\r\n`;
  const body = stalled(field + ' '.repeat(300));
  await assert.rejects(
    readFileBody(headers, body, 'file', async () => {}),
    { status: 400, message: '400 Bad request - the multipart body has a field that is too long' },
  );
});

test('a file is there with the fields around it', async () => {
  const before = '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n';
  const after = '\r\n--x\r\nContent-Disposition: form-data; name="g"\r\n\r\n2\r\n--x--\r\n';
  const body = Readable.from([before, begun, after].map((part) => Buffer.from(part)));
  const { file, fields } = await readFileBody(headers, body, 'file', (stream) => text(stream));
  assert.equal(file, 'y'.repeat(1_000));
  assert.deepEqual({ ...fields }, { f: '1', g: '2' });
});
