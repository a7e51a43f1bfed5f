import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Allowlist } from './allowlist.ts';
import { addressProblem } from './outbound.addresses.ts';

/** An address that the server does not connect to; the message says why, in the platform's words. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress';
}

/** A host that has no address at the moment. */
export class UnresolvedHost extends BlockedAddress {
  override name = 'UnresolvedHost';
}

export interface OutboundRules {
  /** Loopback and private addresses may be reached. */
  allowLocalNetwork: boolean;
  /** Names, addresses and networks that may be reached where the rest of the local network may not. */
  allowed?: readonly string[];
  /** Nothing is sent but requests that read. */
  silent?: boolean;
}

const LOOKUP_MS = 10_000;

/** What addresses of a kind may say. */
export interface AddressRules {
  /** Without the colon, in the order in which the refusal names them. */
  schemes: readonly string[];
  /** Ports below 1024. */
  ports: readonly number[];
}

const HTTP: AddressRules = { schemes: ['http', 'https'], ports: [80, 443] };

/**
 * Reads an address of another server over HTTP; what comes out means the same to every program.
 * @throws BlockedAddress
 */
export const parseHttpUrl = (text: string): URL => parseAddress(text, HTTP);

/**
 * Reads an address of another server; what comes out means the same to every program.
 * @throws BlockedAddress
 */
export function parseAddress(text: string, { schemes, ports }: AddressRules): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new BlockedAddress('is blocked: URI is invalid');
  }
  if (!schemes.includes(url.protocol.slice(0, -1))) {
    throw new BlockedAddress(`is blocked: Only allowed schemes are ${schemes.join(', ')}`);
  }
  // Some programs take the part before a backslash, a blank or a second @ for the host, others the part after it.
  if (/[\\\s\0]/.test(text) || (text.split(/[/?#]/)[2] ?? '').split('@').length > 2 || !HOST.test(url.hostname)) {
    throw new BlockedAddress('is blocked: URI is invalid');
  }
  const port = url.port === '' ? null : Number(url.port);
  if (port !== null && port < 1024 && !ports.includes(port)) {
    throw new BlockedAddress(`is blocked: Only allowed ports are ${ports.join(', ')}, and any over 1024`);
  }
  return url;
}

/** A name that no program takes for an option or decodes further, or an address. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]*)|\[[0-9a-f:.]+\])$/i;

/**
 * The addresses of a URL's host, each of which may be reached. Connect to one of these and to nothing else: asked
 * again, the name could lead elsewhere.
 * @throws BlockedAddress
 */
export async function resolveExternal(url: URL, rules: OutboundRules): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  const blocked = rules.allowLocalNetwork ? [] : addresses.filter((address) => addressProblem(address) !== null);
  if (blocked.length === 0) return addresses;
  const allowlist = new Allowlist(rules.allowed ?? []);
  const port = portOf(url);
  if (allowlist.has(host, port)) return addresses;
  for (const address of blocked) {
    const problem = allowlist.has(address, port) ? null : addressProblem(address);
    if (problem !== null) throw new BlockedAddress(`is blocked: Requests to ${problem} are not allowed`);
  }
  return addresses;
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ssh:': 22, 'git:': 9418 };
const portOf = ({ port, protocol }: URL): number => (port === '' ? (PORTS[protocol] ?? 0) : Number(port));

async function addressesOf(host: string): Promise<string[]> {
  const invalid = new UnresolvedHost('is blocked: Host cannot be resolved or invalid');
  let timer: NodeJS.Timeout | undefined;
  try {
    const slow = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, LOOKUP_MS, invalid);
    });
    const found = await Promise.race([lookup(host, { all: true }), slow]);
    if (found.length === 0) throw invalid;
    return found.map(({ address }) => address);
  } catch {
    throw invalid;
  } finally {
    clearTimeout(timer);
  }
}
