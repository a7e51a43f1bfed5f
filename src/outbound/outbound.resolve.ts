import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Allowlist } from './allowlist.ts';
import { addressProblem } from './outbound.addresses.ts';

/** An address that the server must not connect to; the message says why, in the platform's words. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress';
}

/** A host name that cannot be resolved at the moment. */
export class UnresolvedHost extends BlockedAddress {
  override name = 'UnresolvedHost';
}

export interface OutboundRules {
  /** Whether loopback and private addresses may be reached. */
  allowLocalNetwork: boolean;
  /** Names, addresses and networks that may be reached although the local network may not. */
  allowed?: readonly string[];
  /** Only requests that read are allowed. */
  silent?: boolean;
  /** Nothing leaves the machine: only loopback is reached, and no name is looked up. */
  captured?: boolean;
}

const LOOKUP_MS = 10_000;

/** Rules for addresses of a kind. */
export interface AddressRules {
  /** Without the colon, in the order of the refusal. */
  schemes: readonly string[];
  /** Allowed ports below 1024. */
  ports: readonly number[];
}

const HTTP: AddressRules = { schemes: ['http', 'https'], ports: [80, 443] };

/**
 * Parses an HTTP URL of another server, so that all programs interpret the result alike.
 * @throws BlockedAddress
 */
export const parseHttpUrl = (text: string): URL => parseAddress(text, HTTP);

/**
 * Parses a URL of another server, so that all programs interpret the result alike.
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
  // Programs disagree whether the host is before or after a backslash, a blank or a second @.
  if (/[\\\s\0]/.test(text) || (text.split(/[/?#]/)[2] ?? '').split('@').length > 2 || !HOST.test(url.hostname)) {
    throw new BlockedAddress('is blocked: URI is invalid');
  }
  const port = url.port === '' ? null : Number(url.port);
  if (port !== null && port < 1024 && !ports.includes(port)) {
    throw new BlockedAddress(`is blocked: Only allowed ports are ${ports.join(', ')}, and any over 1024`);
  }
  return url;
}

/** A host name that no program takes for an option or decodes further, or an IP address. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]*)|\[[0-9a-f:.]+\])$/i;

/**
 * Resolves the host of a URL; each of the addresses is allowed. Connect to one of these only: a second lookup could
 * return another address.
 * @throws BlockedAddress
 */
export async function resolveExternal(url: URL, rules: OutboundRules): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (rules.captured === true && isIP(host) === 0 && host !== 'localhost')
    throw new UnresolvedHost('is blocked: Nothing leaves the machine with STITHY_BENCH_OUTBOUND=capture');
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

/**
 * Refuses addresses beyond the machine, where nothing may leave it. To be called before connecting.
 * @throws BlockedAddress
 */
export function refuseCaptured(addresses: readonly string[], { captured }: OutboundRules): void {
  if (captured === true && addresses.some((address) => addressProblem(address) !== 'localhost'))
    throw new BlockedAddress('is blocked: Nothing leaves the machine with STITHY_BENCH_OUTBOUND=capture');
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
    const addresses = await Promise.race([lookup(host, { all: true }), slow]);
    if (addresses.length === 0) throw invalid;
    return addresses.map(({ address }) => address);
  } catch {
    throw invalid;
  } finally {
    clearTimeout(timer);
  }
}
