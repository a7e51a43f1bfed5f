import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';

/** A parsed PROXY protocol header. */
export interface ProxyHeader {
  /** Length of the header in bytes. */
  length: number;
  /** Client address; null if the connection is the proxy's own or the client is unknown. */
  address: string | null;
}

const V1 = Buffer.from('PROXY ');
const V2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** Includes the line end. */
const MAX_V1 = 107;
const V2_HEAD = 16;
/** Maximum length of version 2 addresses and extensions. */
const MAX_V2 = 4_096;
const LOCAL = 0x20;
const PROXY = 0x21;
const UNSPECIFIED = 0x00;
const TCP4 = 0x11;
const TCP6 = 0x21;

/**
 * Reads the PROXY protocol header (version 1 or 2) at the start of a connection.
 * @returns undefined while the header is incomplete
 * @throws RangeError for an invalid header
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  if (startsAs(bytes, V2)) return bytes.length < V2_HEAD ? undefined : readBinary(bytes);
  if (startsAs(bytes, V1)) return readText(bytes);
  throw new RangeError('no PROXY protocol header');
}

/** Whether the received bytes match the expected prefix so far. */
const startsAs = (bytes: Buffer, begin: Buffer): boolean =>
  bytes.subarray(0, begin.length).equals(begin.subarray(0, bytes.length));

function readText(bytes: Buffer): ProxyHeader | undefined {
  const end = bytes.subarray(0, MAX_V1).indexOf('\r\n');
  if (end === -1) {
    if (bytes.length < MAX_V1) return undefined;
    throw new RangeError('unterminated PROXY protocol header');
  }
  const words = bytes.subarray(0, end).toString('latin1').split(' ');
  const [, family, address = '', to = '', ...ports] = words;
  if (family === 'UNKNOWN') return { length: end + 2, address: null };
  const fits = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false;
  const good = fits(address) && fits(to) && ports.length === 2 && ports.every((port) => /^\d{1,5}$/.test(port));
  if (!good || address.includes('%')) throw new RangeError('no client address in the PROXY protocol header');
  return { length: end + 2, address };
}

function readBinary(bytes: Buffer): ProxyHeader | undefined {
  const [command, family, rest] = [bytes[12]!, bytes[13]!, bytes.readUInt16BE(14)];
  if (rest > MAX_V2) throw new RangeError('PROXY protocol header too long');
  if (command !== LOCAL && command !== PROXY) throw new RangeError('unsupported PROXY protocol version');
  const length = V2_HEAD + rest;
  if (bytes.length < length) return undefined;
  if (command === LOCAL || family === UNSPECIFIED) return { length, address: null };
  const body = bytes.subarray(V2_HEAD, length);
  if (family === TCP4 && rest >= 12) return { length, address: body.subarray(0, 4).join('.') };
  if (family === TCP6 && rest >= 36) return { length, address: textOf(body.subarray(0, 16)) };
  throw new RangeError('no client address in the PROXY protocol header');
}

/** Formats an IPv6 address in its short form. */
function textOf(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/**
 * Reads the client address from the PROXY protocol header. The data after the header stays unread.
 * @param ms timeout for the header
 * @returns null if the connection is the proxy's own
 * @throws RangeError for an invalid or late header; the connection stays open
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
    const gone = () => fail(new RangeError('connection closed before the PROXY protocol header'));
    const timer = setTimeout(() => fail(new RangeError('timed out waiting for the PROXY protocol header')), ms);
    socket.on('readable', read).on('close', gone);
  });
}
