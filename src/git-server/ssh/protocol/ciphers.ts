import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import { uint32 } from '../../../core/ssh-fields.ts';
import { SshError } from './numbers.ts';

/** Encrypts outgoing packets. */
export interface Sealer {
  /** @param sequence sequence number of the message @returns the packet in wire format */
  seal(payload: Buffer, sequence: number): Buffer;
}

/** Decrypts incoming packets. */
export interface Opener {
  /** Number of bytes required to determine the length of a packet. */
  readonly headBytes: number;
  /**
   * Length of the whole packet on the wire. Called once for each packet.
   * @param head its first bytes
   * @throws SshError for an invalid length
   */
  lengthOf(head: Buffer): number;
  /** @param packet the whole packet @returns its payload @throws SshError if authentication fails */
  open(packet: Buffer, sequence: number): Buffer;
}

/** Key material for one direction. */
export interface Keys {
  iv: Buffer;
  key: Buffer;
  macKey: Buffer;
}

interface CipherKind {
  name: string;
  keyBytes: number;
  ivBytes: number;
  /** Whether the cipher authenticates packets itself, so no MAC is used. */
  guards: boolean;
}

interface MacKind {
  hash: string;
  bytes: number;
  /** Whether the MAC covers the encrypted packet (encrypt-then-MAC), with the length in clear. */
  afterEncryption: boolean;
}

const BLOCK = 16;
const PLAIN_BLOCK = 8;
const LENGTH_BYTES = 4;
const TAG_BYTES = 16;
const MIN_PADDING = 4;
/** RFC 4253, section 6.1: implementations need not accept longer packets, and this server requires none. */
const MAX_PACKET = 35_000;

const gcm = (bits: number): CipherKind => ({ name: `aes-${bits}-gcm`, keyBytes: bits / 8, ivBytes: 12, guards: true });
const ctr = (bits: number): CipherKind => ({ name: `aes-${bits}-ctr`, keyBytes: bits / 8, ivBytes: 16, guards: false });

/** Ciphers with hardware support, in order of preference. */
export const CIPHERS: Readonly<Record<string, CipherKind>> = {
  'aes128-gcm@openssh.com': gcm(128),
  'aes256-gcm@openssh.com': gcm(256),
  'aes128-ctr': ctr(128),
  'aes192-ctr': ctr(192),
  'aes256-ctr': ctr(256),
};

export const MACS: Readonly<Record<string, MacKind>> = {
  'hmac-sha2-256-etm@openssh.com': { hash: 'sha256', bytes: 32, afterEncryption: true },
  'hmac-sha2-512-etm@openssh.com': { hash: 'sha512', bytes: 64, afterEncryption: true },
  'hmac-sha2-256': { hash: 'sha256', bytes: 32, afterEncryption: false },
  'hmac-sha2-512': { hash: 'sha512', bytes: 64, afterEncryption: false },
};

/** Key lengths of a cipher and a MAC. */
export const keyLengths = (cipher: string, mac: string): { [K in keyof Keys]: number } => {
  const { keyBytes, ivBytes } = CIPHERS[cipher]!;
  return { iv: ivBytes, key: keyBytes, macKey: MACS[mac]?.bytes ?? 0 };
};

/**
 * Builds a plaintext packet: length, padding length, payload, padding.
 * @param open leading bytes that are not encrypted and do not count towards the block size
 */
function pack(payload: Buffer, block: number, open: number): Buffer {
  const bare = LENGTH_BYTES + 1 + payload.length - open;
  let padding = block - (bare % block);
  if (padding < MIN_PADDING) padding += block;
  const packet = Buffer.allocUnsafe(LENGTH_BYTES + 1 + payload.length + padding);
  packet.writeUInt32BE(packet.length - LENGTH_BYTES);
  packet[LENGTH_BYTES] = padding;
  payload.copy(packet, LENGTH_BYTES + 1);
  randomFillSync(packet, packet.length - padding);
  return packet;
}

/** @param packet decrypted, starting with the padding length */
function unpack(packet: Buffer): Buffer {
  const padding = packet[0]!;
  if (padding < MIN_PADDING || padding + 2 > packet.length) throw new SshError('invalid packet padding');
  return packet.subarray(1, packet.length - padding);
}

/** @param block block size of the encrypted part @param open bytes before it @throws SshError */
function checkedLength(length: number, block: number, open: number): number {
  if (length < 1 + 1 + MIN_PADDING || length > MAX_PACKET || (LENGTH_BYTES + length - open) % block !== 0) {
    throw new SshError('invalid packet length');
  }
  return length;
}

/** Plaintext packets before the first key exchange. */
export const PLAIN: Sealer & Opener = {
  headBytes: LENGTH_BYTES,
  seal: (payload) => pack(payload, PLAIN_BLOCK, 0),
  lengthOf: (head) => LENGTH_BYTES + checkedLength(head.readUInt32BE(), PLAIN_BLOCK, 0),
  open: (packet) => unpack(packet.subarray(LENGTH_BYTES)),
};

/** AES-GCM in OpenSSH's variant (RFC 5647, negotiated by the cipher alone): the end of the IV counts packets. */
class Gcm implements Sealer, Opener {
  readonly headBytes = LENGTH_BYTES;
  readonly #name: CipherGCMTypes;
  readonly #key: Buffer;
  readonly #iv: Buffer;

  constructor(name: string, { key, iv }: Keys) {
    this.#name = name as CipherGCMTypes;
    this.#key = key;
    this.#iv = Buffer.from(iv);
  }

  seal(payload: Buffer): Buffer {
    const packet = pack(payload, BLOCK, LENGTH_BYTES);
    const cipher = createCipheriv(this.#name, this.#key, this.#iv);
    const head = packet.subarray(0, LENGTH_BYTES);
    cipher.setAAD(head);
    const sealed = [head, cipher.update(packet.subarray(LENGTH_BYTES)), cipher.final()];
    this.#count();
    return Buffer.concat([...sealed, cipher.getAuthTag()]);
  }

  lengthOf(head: Buffer): number {
    return LENGTH_BYTES + checkedLength(head.readUInt32BE(), BLOCK, LENGTH_BYTES) + TAG_BYTES;
  }

  open(packet: Buffer): Buffer {
    const end = packet.length - TAG_BYTES;
    const decipher = createDecipheriv(this.#name, this.#key, this.#iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(packet.subarray(0, LENGTH_BYTES));
    decipher.setAuthTag(packet.subarray(end));
    this.#count();
    const plain = decipher.update(packet.subarray(LENGTH_BYTES, end));
    try {
      decipher.final();
    } catch {
      throw tampered();
    }
    return unpack(plain);
  }

  #count(): void {
    this.#iv.writeBigUInt64BE(BigInt.asUintN(64, this.#iv.readBigUInt64BE(4) + 1n), 4);
  }
}

const tampered = () => new SshError('packet authentication failed');

const authenticator = ({ hash, bytes }: MacKind, key: Buffer, sequence: number, covered: Buffer): Buffer =>
  createHmac(hash, key).update(uint32(sequence)).update(covered).digest().subarray(0, bytes);

class CtrSealer implements Sealer {
  readonly #cipher;
  readonly #mac: MacKind;
  readonly #macKey: Buffer;

  constructor(name: string, mac: MacKind, { key, iv, macKey }: Keys) {
    this.#cipher = createCipheriv(name, key, iv);
    this.#mac = mac;
    this.#macKey = macKey;
  }

  seal(payload: Buffer, sequence: number): Buffer {
    const open = this.#mac.afterEncryption ? LENGTH_BYTES : 0;
    const packet = pack(payload, BLOCK, open);
    const sealed = Buffer.concat([packet.subarray(0, open), this.#cipher.update(packet.subarray(open))]);
    const covered = this.#mac.afterEncryption ? sealed : packet;
    return Buffer.concat([sealed, authenticator(this.#mac, this.#macKey, sequence, covered)]);
  }
}

class CtrOpener implements Opener {
  readonly headBytes: number;
  readonly #decipher;
  readonly #mac: MacKind;
  readonly #macKey: Buffer;
  /** Decrypted first block of the current packet, if the length is encrypted. */
  #head = Buffer.alloc(0);

  constructor(name: string, mac: MacKind, { key, iv, macKey }: Keys) {
    this.#decipher = createDecipheriv(name, key, iv);
    this.#mac = mac;
    this.#macKey = macKey;
    this.headBytes = mac.afterEncryption ? LENGTH_BYTES : BLOCK;
  }

  lengthOf(head: Buffer): number {
    const { afterEncryption, bytes } = this.#mac;
    if (!afterEncryption) this.#head = this.#decipher.update(head);
    const length = (afterEncryption ? head : this.#head).readUInt32BE();
    return LENGTH_BYTES + checkedLength(length, BLOCK, afterEncryption ? LENGTH_BYTES : 0) + bytes;
  }

  open(packet: Buffer, sequence: number): Buffer {
    const end = packet.length - this.#mac.bytes;
    const check = (covered: Buffer) => {
      const right = authenticator(this.#mac, this.#macKey, sequence, covered);
      if (!timingSafeEqual(right, packet.subarray(end))) throw tampered();
    };
    if (this.#mac.afterEncryption) {
      check(packet.subarray(0, end));
      return unpack(this.#decipher.update(packet.subarray(LENGTH_BYTES, end)));
    }
    const plain = Buffer.concat([this.#head, this.#decipher.update(packet.subarray(BLOCK, end))]);
    check(plain);
    return unpack(plain.subarray(LENGTH_BYTES));
  }
}

/** Creates the encryption for one direction. @param mac ignored for authenticated ciphers */
export function sealerOf(cipher: string, mac: string, keys: Keys): Sealer {
  const { guards, name } = CIPHERS[cipher]!;
  return guards ? new Gcm(name, keys) : new CtrSealer(name, MACS[mac]!, keys);
}

/** Creates the decryption for the other direction. */
export function openerOf(cipher: string, mac: string, keys: Keys): Opener {
  const { guards, name } = CIPHERS[cipher]!;
  return guards ? new Gcm(name, keys) : new CtrOpener(name, MACS[mac]!, keys);
}
