import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePacket, FLUSH, MAX_PAYLOAD, type Packet, readPackets, readUntilFlush } from './packet-line.ts';

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(bytes: Buffer, size = bytes.length || 1, limit = 1_000_000): Promise<Packet[]> {
  const packets: Packet[] = [];
  for await (const packet of readPackets(chunked(bytes, size), limit)) packets.push(packet);
  return packets;
}

test('a packet carries its own length in four hex digits', () => {
  assert.equal(encodePacket('hello\n').toString(), '000ahello\n');
  assert.equal(encodePacket('').toString(), '0004');
  assert.equal(encodePacket(Buffer.alloc(MAX_PAYLOAD)).subarray(0, 4).toString(), 'fff0');
});

test('what is written is read back, however the stream is cut', async () => {
  const payloads = fc.array(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(payloads, fc.integer({ min: 1, max: 50 }), async (sent, size) => {
      const packets = await collect(Buffer.concat([...sent.map(encodePacket), FLUSH]), size);
      assert.deepEqual(packets, [...sent.map((payload) => ({ type: 'data', payload })), { type: 'flush' }]);
    }),
    { numRuns: 100 },
  );
});

test('the special packets of version 2 are told apart', async () => {
  const packets = await collect(Buffer.from('000000010002'), 5);
  assert.deepEqual(
    packets.map((packet) => packet.type),
    ['flush', 'delimiter', 'response-end'],
  );
});

test('too long a payload, a broken length and an end inside a packet are refused', async () => {
  assert.throws(() => encodePacket(Buffer.alloc(MAX_PAYLOAD + 1)), { code: 'invalid' });
  for (const broken of ['0003', 'fff1', 'zzzz', '00-4', '000ahel', '00']) {
    await assert.rejects(collect(Buffer.from(broken)), { code: 'invalid' }, broken);
  }
});

test('a stream longer than its limit is refused', async () => {
  const bytes = Buffer.concat(Array.from({ length: 10 }, () => encodePacket('0123456789')));
  await assert.rejects(collect(bytes, 14, 100), { code: 'invalid' });
  assert.equal((await collect(bytes, 14, 140)).length, 10);
});

test('reading until the flush leaves the rest, and an early end is null', async () => {
  const packets = readPackets(chunked(Buffer.from('0005a00000005b'), 3), 100);
  assert.deepEqual((await readUntilFlush(packets))?.map(String), ['a']);
  assert.equal(await readUntilFlush(packets), null);
});
