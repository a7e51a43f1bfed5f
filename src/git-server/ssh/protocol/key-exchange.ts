import * as crypto from 'node:crypto';
import { createECDH, createPublicKey, diffieHellman, generateKeyPairSync, hash } from 'node:crypto';
import { sshNumber, sshString } from '../../../core/ssh-fields.ts';
import { Reason, SshError } from './numbers.ts';

/** Result of a key exchange. */
export interface KeyExchangeResult {
  /** Reply for the client. */
  reply: Buffer;
  /** Shared secret, encoded for hashing. */
  secret: Buffer;
}

export interface KeyExchange {
  hash: 'sha256' | 'sha384' | 'sha512';
  /** @param sent the client's value @throws errors of crypto for an invalid value */
  exchange(sent: Buffer): KeyExchangeResult;
}

const X25519_BYTES = 32;

function x25519(sent: Buffer): { reply: Buffer; shared: Buffer } {
  if (sent.length !== X25519_BYTES) throw new SshError('invalid key exchange value');
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const key = { kty: 'OKP', crv: 'X25519', x: sent.toString('base64url') };
  const shared = diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: 'jwk' }) });
  if (shared.every((byte) => byte === 0)) throw new SshError('invalid key exchange value');
  return { reply: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'), shared };
}

/** RFC 8731. */
const curve25519: KeyExchange = {
  hash: 'sha256',
  exchange: (sent) => {
    const { reply, shared } = x25519(sent);
    return { reply, secret: sshNumber(shared) };
  },
};

/** RFC 5656. */
const nist = (curve: string, hash: KeyExchange['hash']): KeyExchange => ({
  hash,
  exchange: (sent) => {
    const mine = createECDH(curve);
    const reply = mine.generateKeys();
    return { reply, secret: sshNumber(mine.computeSecret(sent)) };
  },
});

const MLKEM_KEY_BYTES = 1_184;
/** DER prefix that turns an ML-KEM-768 key into a SubjectPublicKeyInfo. */
const MLKEM_PREFIX = Buffer.from('308204b2300b0609608648016503040402038204a100', 'hex');

/** Post-quantum hybrid (draft-ietf-sshm-mlkem-hybrid-kex): stays secret even if quantum computers break X25519. */
const mlkem768x25519: KeyExchange = {
  hash: 'sha256',
  exchange: (sent) => {
    if (sent.length !== MLKEM_KEY_BYTES + X25519_BYTES) throw new SshError('invalid key exchange value');
    const der = Buffer.concat([MLKEM_PREFIX, sent.subarray(0, MLKEM_KEY_BYTES)]);
    const { sharedKey, ciphertext } = crypto.encapsulate(createPublicKey({ key: der, format: 'der', type: 'spki' }));
    const classic = x25519(sent.subarray(MLKEM_KEY_BYTES));
    const secret = hash('sha256', Buffer.concat([sharedKey, classic.shared]), 'buffer');
    return { reply: Buffer.concat([ciphertext, classic.reply]), secret: sshString(secret) };
  },
};

/** Node.js supports ML-KEM from 24.7 on, depending on its OpenSSL. */
function hasMlkem(): boolean {
  try {
    return typeof crypto.encapsulate === 'function' && generateKeyPairSync('ml-kem-768') !== undefined;
  } catch {
    return false;
  }
}

/** Key exchange methods in order of preference. */
export const KEY_EXCHANGES: Readonly<Record<string, KeyExchange>> = {
  ...(hasMlkem() ? { 'mlkem768x25519-sha256': mlkem768x25519 } : {}),
  'curve25519-sha256': curve25519,
  'curve25519-sha256@libssh.org': curve25519,
  'ecdh-sha2-nistp256': nist('prime256v1', 'sha256'),
  'ecdh-sha2-nistp384': nist('secp384r1', 'sha384'),
  'ecdh-sha2-nistp521': nist('secp521r1', 'sha512'),
};

/** @throws SshError if the client's value is invalid for this method */
export function exchangeKeys(method: KeyExchange, sent: Buffer): KeyExchangeResult {
  try {
    return method.exchange(sent);
  } catch {
    throw new SshError('invalid key exchange value', Reason.keyExchangeFailed);
  }
}
