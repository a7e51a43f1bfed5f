import { BlockList, isIP } from 'node:net';

const PORT = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/;

/** Parses an entry: a name, an address or a network, optionally with the only port that it applies to. */
function partsOf(entry: string): { host: string; port: number | null } {
  const [, host, port] = PORT.exec(entry) ?? [];
  const bare = (host ?? entry).replace(/^\[|\]$/g, '');
  return { host: bare.toLowerCase(), port: port === undefined ? null : Number(port) };
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function covers(network: string, address: string): boolean {
  const [base = '', prefix] = network.split('/');
  const version = isIP(base);
  const bits = version === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (version === 0 || isIP(address) === 0 || length < 0 || length > bits) return false;
  const list = new BlockList();
  list.addSubnet(base, length, family(base));
  return list.check(address, family(address));
}

/**
 * Hosts of the local network that may be reached although local requests are not allowed.
 * @param entries names, addresses and networks (`10.0.0.0/8`), optionally with a port
 */
export class Allowlist {
  readonly #entries: readonly { host: string; port: number | null }[];

  constructor(entries: readonly string[]) {
    this.#entries = entries.map(partsOf);
  }

  /** @param host host of a URL, or its address */
  has(host: string, port: number): boolean {
    const name = host.toLowerCase();
    const fitting = this.#entries.filter((entry) => entry.port === null || entry.port === port);
    return fitting.some((entry) => entry.host === name || covers(entry.host, name));
  }
}
