import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';

/** What a proxy says of a connection that it forwards. */
export interface ProxyHeader {
  /** Bytes that it takes. */
  length: number;
  /** Of the client; null where the connection is the proxy's own, or it does not know. */
  address: string | null;
}

const V1 = Buffer.from('PROXY ');
const V2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** With the end of the line. */
const MAX_V1 = 107;
const V2_HEAD = 16;
/** Of what a proxy adds beside the addresses. */
const MAX_V2 = 4_096;
const LOCAL = 0x20;
const PROXY = 0x21;
const UNSPECIFIED = 0x00;
const TCP4 = 0x11;
const TCP6 = 0x21;

/**
 * Reads the header of the PROXY protocol that a connection begins with, in either version.
 * @returns undefined while it is not all there
 * @throws RangeError for what is none
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  if (startsAs(bytes, V2)) return bytes.length < V2_HEAD ? undefined : readBinary(bytes);
  if (startsAs(bytes, V1)) return readText(bytes);
  throw new RangeError('no header of the PROXY protocol');
}

/** Whether the bytes begin as they should, as far as they have come. */
const startsAs = (bytes: Buffer, begin: Buffer): boolean =>
  bytes.subarray(0, begin.length).equals(begin.subarray(0, bytes.length));

function readText(bytes: Buffer): ProxyHeader | undefined {
  const end = bytes.subarray(0, MAX_V1).indexOf('\r\n');
  if (end === -1) {
    if (bytes.length < MAX_V1) return undefined;
    throw new RangeError('a header of the PROXY protocol without an end');
  }
  const words = bytes.subarray(0, end).toString('latin1').split(' ');
  const [, family, address = '', to = '', ...ports] = words;
  if (family === 'UNKNOWN') return { length: end + 2, address: null };
  const fits = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false;
  const good = fits(address) && fits(to) && ports.length === 2 && ports.every((port) => /^\d{1,5}$/.test(port));
  if (!good || address.includes('%')) throw new RangeError('a header of the PROXY protocol that names no client');
  return { length: end + 2, address };
}

function readBinary(bytes: Buffer): ProxyHeader | undefined {
  const [command, family, rest] = [bytes[12]!, bytes[13]!, bytes.readUInt16BE(14)];
  if (rest > MAX_V2) throw new RangeError('a header of the PROXY protocol that is too long');
  if (command !== LOCAL && command !== PROXY) throw new RangeError('an unknown version of the PROXY protocol');
  const length = V2_HEAD + rest;
  if (bytes.length < length) return undefined;
  if (command === LOCAL || family === UNSPECIFIED) return { length, address: null };
  const body = bytes.subarray(V2_HEAD, length);
  if (family === TCP4 && rest >= 12) return { length, address: body.subarray(0, 4).join('.') };
  if (family === TCP6 && rest >= 36) return { length, address: textOf(body.subarray(0, 16)) };
  throw new RangeError('a header of the PROXY protocol that names no client');
}

/** An address of IPv6 in its short form. */
function textOf(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/**
 * Who is behind a proxy. What comes after the header is left to be read.
 * @param ms that the header may take
 * @returns null where the connection is the proxy's own
 * @throws RangeError where it begins with no header, or with none in time; the connection stays open
 */
export function addressBehind(socket: Socket, ms: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const over = (settle: () => void) => {
      clearTimeout(timer);
      socket.off('readable', read).off('close', gone);
      settle();
    };
    const fail = (error: unknown) => over(() => reject(error));
    const read = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        try {
          bytes = Buffer.concat([bytes, chunk]);
          const header = readProxyHeader(bytes);
          if (header === undefined) continue;
          const left = bytes.subarray(header.length);
          if (left.length > 0) socket.unshift(left);
          return over(() => resolve(header.address));
        } catch (error) {
          return fail(error);
        }
      }
    };
    const gone = () => fail(new RangeError('closed before its header of the PROXY protocol'));
    const timer = setTimeout(() => fail(new RangeError('no header of the PROXY protocol in time')), ms);
    socket.on('readable', read).on('close', gone);
  });
}
