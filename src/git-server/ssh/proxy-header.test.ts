import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readProxyHeader } from './proxy-header.ts';

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const ports = Buffer.from([0xc0, 0, 0, 22]);

/** A header of version 2. */
function binary(command: number, family: number, body: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([SIGNATURE, Buffer.from([command, family]), length, body]);
}

const v4 = Buffer.concat([Buffer.from([203, 0, 113, 7, 10, 0, 0, 1]), ports]);
const v6 = Buffer.concat([Buffer.from('20010db8000000000000000000000005', 'hex'), Buffer.alloc(15), Buffer.from([1])]);

test('headers of the PROXY protocol say who is forwarded, in both versions, once all of them is there', () => {
  for (const [bytes, address] of [
    [Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 49152 22\r\n'), '203.0.113.7'],
    [Buffer.from('PROXY TCP6 2001:db8::5 ::1 49152 22\r\n'), '2001:db8::5'],
    [Buffer.from('PROXY UNKNOWN\r\n'), null],
    [Buffer.from('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'), null],
    [binary(0x21, 0x11, v4), '203.0.113.7'],
    [binary(0x21, 0x11, Buffer.concat([v4, randomBytes(200)])), '203.0.113.7'],
    [binary(0x21, 0x21, Buffer.concat([v6, ports])), '2001:db8::5'],
    [binary(0x20, 0x00, Buffer.alloc(0)), null],
    [binary(0x20, 0x11, v4), null],
    [binary(0x21, 0x00, Buffer.alloc(0)), null],
  ] as const) {
    for (let end = 0; end < bytes.length; end += 1) assert.equal(readProxyHeader(bytes.subarray(0, end)), undefined);
    const after = Buffer.concat([bytes, Buffer.from('SSH-2.0-x\r\n')]);
    assert.deepEqual(readProxyHeader(after), { length: bytes.length, address }, bytes.toString('latin1'));
  }
});

test('what is no such header, or names no client, is refused', () => {
  for (const bytes of [
    'SSH-2.0-OpenSSH_9.6\r\n',
    'PROXI',
    'PROXY TCP4 203.0.113.7 10.0.0.1 49152\r\n',
    'PROXY TCP4 2001:db8::5 10.0.0.1 49152 22\r\n',
    'PROXY TCP6 203.0.113.7 ::1 49152 22\r\n',
    'PROXY TCP6 fe80::1%eth0 ::1 49152 22\r\n',
    'PROXY TCP4 203.0.113.7\n10.0.0.1 49152 22\r\n',
    'PROXY TCP4 203.0.113.7 10.0.0.1 x 22\r\n',
    'PROXY UDP4 203.0.113.7 10.0.0.1 49152 22\r\n',
    `PROXY TCP4 ${'1'.repeat(120)}`,
    binary(0x22, 0x11, v4),
    binary(0x11, 0x11, v4),
    binary(0x21, 0x12, v4),
    binary(0x21, 0x31, Buffer.alloc(216)),
    binary(0x21, 0x11, v4.subarray(0, 11)),
    binary(0x21, 0x21, v6),
    binary(0x21, 0x11, Buffer.alloc(5_000)),
  ]) {
    assert.throws(() => readProxyHeader(Buffer.from(bytes as string)), RangeError, String(bytes));
  }
  for (let round = 0; round < 500; round += 1) {
    const bytes = binary(round % 256, (round * 7) % 256, randomBytes(round % 60));
    try {
      readProxyHeader(bytes);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
    }
  }
});
