import { BlockList, isIPv6 } from 'node:net';

/**
 * Compiles a list of addresses and networks for fast checks.
 * @param entries valid entries, such as `10.0.0.0/8`
 * @returns a function that tells whether the list contains an address; IPv4-mapped IPv6 addresses are treated as IPv4
 */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
