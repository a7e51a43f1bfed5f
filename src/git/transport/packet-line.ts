/*
 * The framing of git's wire protocol (gitprotocol-common):
 *
 *   packet       = data-packet / flush / delimiter / response-end
 *   data-packet  = length payload      ; length: four hex digits that count themselves, 0004 to fff0
 *   flush        = "0000"
 *   delimiter    = "0001"              ; protocol v2: between the sections of a message
 *   response-end = "0002"              ; protocol v2: end of an answer over a stateless connection
 *   payload      = at most 65516 bytes, of any value; a text payload usually ends with "\n"
 */
import { GitError } from '../common/index.ts';

const HEADER = 4;
const MAX_PACKET = 65_520;

/** Maximum payload of a packet in bytes. */
export const MAX_PAYLOAD = MAX_PACKET - HEADER;

/** The encoded flush packet. */
export const FLUSH = Buffer.from('0000');

export type Packet =
  | { type: 'data'; payload: Buffer }
  | { type: 'flush' }
  | { type: 'delimiter' }
  | { type: 'response-end' };

/**
 * Encodes a packet.
 * @param payload bytes, or text that is sent as UTF-8
 * @throws GitError `invalid` for a payload above {@link MAX_PAYLOAD} bytes
 */
export function encodePacket(payload: Buffer | string): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (bytes.length > MAX_PAYLOAD) throw new GitError('invalid', `a packet cannot hold ${bytes.length} bytes`);
  const length = (bytes.length + HEADER).toString(16).padStart(HEADER, '0');
  return Buffer.concat([Buffer.from(length, 'latin1'), bytes]);
}

function special(length: number): Packet {
  if (length === 0) return { type: 'flush' };
  if (length === 1) return { type: 'delimiter' };
  if (length === 2) return { type: 'response-end' };
  throw new GitError('invalid', `invalid packet length ${length}`);
}

function parseLength(header: Buffer): number {
  const text = header.toString('latin1');
  if (!/^[0-9a-f]{4}$/i.test(text)) throw new GitError('invalid', 'a packet does not start with a length');
  const length = Number.parseInt(text, 16);
  if (length > MAX_PACKET) throw new GitError('invalid', `a packet of ${length} bytes is too long`);
  return length;
}

/**
 * Splits a stream into packets. Buffers at most one unfinished packet and one chunk.
 * @param input chunks with arbitrary boundaries
 * @param maxBytes maximum number of bytes read
 * @throws GitError `invalid` for an invalid length, an end inside a packet, and above `maxBytes`
 */
export async function* readPackets(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Packet, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  let total = 0;
  for await (const chunk of input) {
    total += chunk.length;
    if (total > maxBytes) throw new GitError('invalid', `more than ${maxBytes} bytes of packets`);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER) {
      const length = parseLength(rest.subarray(0, HEADER));
      if (length < HEADER) {
        rest = rest.subarray(HEADER);
        yield special(length);
        continue;
      }
      if (rest.length < length) break;
      const payload = rest.subarray(HEADER, length);
      rest = rest.subarray(length);
      yield { type: 'data', payload };
    }
  }
  if (rest.length > 0) throw new GitError('invalid', 'the stream ended inside a packet');
}

/**
 * Reads the payloads up to the next flush packet.
 * @returns the payloads, or null if the stream ends before the flush
 */
export async function readUntilFlush(packets: AsyncGenerator<Packet, void, void>): Promise<Buffer[] | null> {
  const payloads: Buffer[] = [];
  for (;;) {
    const next = await packets.next();
    if (next.done) return null;
    if (next.value.type === 'flush') return payloads;
    if (next.value.type === 'data') payloads.push(next.value.payload);
  }
}
