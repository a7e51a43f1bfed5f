import { randomBytes } from 'node:crypto';
import { SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { CIPHERS, MACS } from './ciphers.ts';
import { KEY_EXCHANGES } from './key-exchange.ts';
import { Message, Reason, SshError } from './numbers.ts';

/** Algorithms that one side supports, in order of preference (RFC 4253, section 7.1). */
interface Offer {
  keyExchanges: readonly string[];
  hostKeys: readonly string[];
  ciphersIn: readonly string[];
  ciphersOut: readonly string[];
  macsIn: readonly string[];
  macsOut: readonly string[];
  compressionsIn: readonly string[];
  compressionsOut: readonly string[];
}

/** The negotiated algorithms. */
export interface Choice {
  keyExchange: string;
  hostKey: string;
  cipherIn: string;
  cipherOut: string;
  /** Ignored for authenticated ciphers. */
  macIn: string;
  macOut: string;
  /** Whether to ignore the client's first key exchange message, sent for a wrongly guessed algorithm. */
  ignoresNext: boolean;
  /**
   * Whether strict key exchange applies: no other messages during it, and sequence numbers restart with new keys
   * (CVE-2023-48795).
   */
  strict: boolean;
  /** Whether the client supports EXT_INFO. */
  extensions: boolean;
}

const COOKIE_BYTES = 16;
const STRICT_SERVER = 'kex-strict-s-v00@openssh.com';
const STRICT_CLIENT = 'kex-strict-c-v00@openssh.com';
/** Maximum number of names in a list. */
const MAX_NAMES = 1_000;

/** @param hostKeys algorithms of the server's host keys */
export function kexInit(hostKeys: readonly string[]): Buffer {
  const ciphers = Object.keys(CIPHERS);
  const macs = Object.keys(MACS);
  const lists = [
    [...Object.keys(KEY_EXCHANGES), STRICT_SERVER],
    hostKeys,
    ...[ciphers, ciphers, macs, macs, ['none'], ['none'], [], []],
  ];
  return Buffer.concat([
    Buffer.from([Message.kexInit]),
    randomBytes(COOKIE_BYTES),
    ...lists.map((names) => sshString(names.join(','))),
    Buffer.alloc(1),
    uint32(0),
  ]);
}

/**
 * Negotiates algorithms: for each kind, the first of the client's that the server supports.
 * @param payload the client's KEXINIT
 * @throws SshError without a common algorithm; RangeError
 */
export function choose(payload: Buffer, hostKeys: readonly string[]): Choice {
  const reader = new SshReader(payload, 1 + COOKIE_BYTES);
  const names = () => {
    const list = reader.names();
    if (list.length > MAX_NAMES) throw new SshError('list of algorithms too long');
    return list;
  };
  const offer: Offer = {
    keyExchanges: names(),
    hostKeys: names(),
    ciphersIn: names(),
    ciphersOut: names(),
    macsIn: names(),
    macsOut: names(),
    compressionsIn: names(),
    compressionsOut: names(),
  };
  names();
  names();
  const guessed = reader.boolean();
  const keyExchange = first(offer.keyExchanges, Object.keys(KEY_EXCHANGES), 'key exchange');
  const hostKey = first(offer.hostKeys, hostKeys, 'host key');
  const cipherIn = first(offer.ciphersIn, Object.keys(CIPHERS), 'cipher');
  const cipherOut = first(offer.ciphersOut, Object.keys(CIPHERS), 'cipher');
  first(offer.compressionsIn, ['none'], 'compression');
  first(offer.compressionsOut, ['none'], 'compression');
  const mac = (cipher: string, list: readonly string[]) =>
    CIPHERS[cipher]!.guards ? '' : first(list, Object.keys(MACS), 'MAC');
  return {
    keyExchange,
    hostKey,
    cipherIn,
    cipherOut,
    macIn: mac(cipherIn, offer.macsIn),
    macOut: mac(cipherOut, offer.macsOut),
    ignoresNext:
      guessed && (offer.keyExchanges[0] !== Object.keys(KEY_EXCHANGES)[0] || offer.hostKeys[0] !== hostKeys[0]),
    strict: offer.keyExchanges.includes(STRICT_CLIENT),
    extensions: offer.keyExchanges.includes('ext-info-c'),
  };
}

function first(offered: readonly string[], known: readonly string[], what: string): string {
  const algorithm = offered.find((name) => known.includes(name));
  if (algorithm !== undefined) return algorithm;
  throw new SshError(`no matching ${what}; the server supports ${known.join(', ')}`, Reason.keyExchangeFailed);
}
