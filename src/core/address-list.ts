import { BlockList, isIPv6 } from 'node:net';

/**
 * Addresses and networks as a quick check.
 * @param entries good ones, such as `10.0.0.0/8`
 * @returns whether an address is among them; one of IPv4 in the form of IPv6 counts as what it is
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
