import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Why an address must not be reached, in the platform's words; null for a public address. */
export type AddressProblem = 'localhost' | 'the link local network' | 'the local network';

function listOf(type: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    list.addSubnet(address, Number(prefix), type);
  }
  return list;
}

const LOOPBACK = listOf('ipv4', ['127.0.0.0/8', '0.0.0.0/8']);
const LINK_LOCAL = listOf('ipv4', ['169.254.0.0/16']);
/** Private, shared, documentation, benchmark, multicast and reserved networks. */
const INTERNAL = listOf('ipv4', [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** Only global unicast addresses of IPv6 are public, except for tunnels and documentation. */
const PUBLIC_V6 = listOf('ipv6', ['2000::/3']);
const NOT_PUBLIC_V6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const LINK_LOCAL_V6 = listOf('ipv6', ['fe80::/10']);

/** The 16 bytes of an IPv6 address without a zone. */
function bytesOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (high: string, low: string) => ((Number(high) << 8) | Number(low)).toString(16);
  const text = dotted === null ? address : `${dotted[1]}${hex(dotted[2]!, dotted[3]!)}:${hex(dotted[4]!, dotted[5]!)}`;
  const [head = '', tail] = text.split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [before, after] = [words(head), words(tail ?? '')];
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<number>(gap).fill(0), ...after].flatMap((word) => [word >> 8, word & 0xff]);
}

/** The IPv4 address embedded in a mapped or NAT64 IPv6 address; null for others. */
function embeddedV4(bytes: readonly number[]): string | null {
  const begins = (prefix: readonly number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const mapped = begins([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
  const translated = begins([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]);
  return mapped || translated ? bytes.slice(12).join('.') : null;
}

function problemOfV6(address: string): AddressProblem | null {
  const bytes = bytesOf(address);
  const inner = embeddedV4(bytes);
  if (inner !== null) return addressProblem(inner);
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15]! <= 1) return 'localhost';
  if (LINK_LOCAL_V6.check(address, 'ipv6')) return 'the link local network';
  return PUBLIC_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6') ? null : 'the local network';
}

/** Why the server must not connect to an address. @param address IPv4 or IPv6, in any notation */
export function addressProblem(address: string): AddressProblem | null {
  const [bare = ''] = address.split('%');
  if (isIPv6(bare)) return problemOfV6(bare);
  if (!isIPv4(bare)) return 'the local network';
  if (LOOPBACK.check(bare)) return 'localhost';
  if (LINK_LOCAL.check(bare)) return 'the link local network';
  return INTERNAL.check(bare) ? 'the local network' : null;
}
