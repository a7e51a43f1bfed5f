import { hash } from 'node:crypto';
import { SshReader, sshString } from '../../../core/ssh-fields.ts';
import { type Choice, choose, kexInit } from './algorithms.ts';
import { type Keys, keyLengths, type Opener, openerOf, type Sealer, sealerOf } from './ciphers.ts';
import type { HostKey } from './host-key.ts';
import { exchangeKeys, KEY_EXCHANGES } from './key-exchange.ts';
import { Message, SshError } from './numbers.ts';

/** Version strings of both sides, without the line end. */
export interface Versions {
  client: string;
  server: string;
}

/** Result of the negotiation. */
export interface NegotiatedKeys {
  choice: Choice;
  /** KEXDH_REPLY. */
  reply: Buffer;
  /** Exchange hash; the first one is the session id. */
  hash: Buffer;
  sealer(sessionId: Buffer): Sealer;
  opener(sessionId: Buffer): Opener;
}

/** Server side of one key exchange (RFC 4253, sections 7 and 8). */
export class Rekeying {
  /** The server's KEXINIT. */
  readonly init: Buffer;
  readonly #hostKeys: readonly HostKey[];
  readonly #versions: Versions;
  #clientInit: Buffer | undefined;
  #choice: Choice | undefined;
  #agreed: NegotiatedKeys | undefined;

  constructor(hostKeys: readonly HostKey[], versions: Versions) {
    this.#hostKeys = hostKeys;
    this.#versions = versions;
    this.init = kexInit(this.#algorithms);
  }

  get #algorithms(): string[] {
    return this.#hostKeys.map(({ algorithm }) => algorithm);
  }

  /** Whether the client's KEXINIT was received; only key exchange messages are valid afterwards. */
  get begun(): boolean {
    return this.#clientInit !== undefined;
  }

  /** The negotiated keys, once available. */
  get agreed(): NegotiatedKeys | undefined {
    return this.#agreed;
  }

  /** @param payload the client's KEXINIT @throws SshError */
  begin(payload: Buffer): Choice {
    if (this.#clientInit !== undefined) throw new SshError('KEXINIT received twice');
    this.#clientInit = payload;
    this.#choice = choose(payload, this.#algorithms);
    return this.#choice;
  }

  /**
   * @param payload the client's first key exchange message
   * @returns undefined if the message must be ignored because the client guessed wrongly
   * @throws SshError
   */
  exchange(payload: Buffer): NegotiatedKeys | undefined {
    const choice = this.#choice;
    if (choice === undefined || this.#agreed !== undefined) throw new SshError('unexpected key exchange message');
    if (choice.ignoresNext) {
      choice.ignoresNext = false;
      return undefined;
    }
    if (payload[0] !== Message.kexExchange) throw new SshError('unknown key exchange message');
    const sent = new SshReader(payload, 1).string();
    const method = KEY_EXCHANGES[choice.keyExchange]!;
    const { reply, secret } = exchangeKeys(method, sent);
    const hostKey = this.#hostKeys.find(({ algorithm }) => algorithm === choice.hostKey)!;
    const { client, server } = this.#versions;
    const parts = [client, server, this.#clientInit!, this.init, hostKey.blob, sent, reply].map(sshString);
    const digest = hash(method.hash, Buffer.concat([...parts, secret]), 'buffer');
    const direction = (cipher: string, mac: string, letters: string) => (sessionId: Buffer) =>
      derive(method.hash, secret, digest, sessionId, letters, keyLengths(cipher, mac));
    const out = direction(choice.cipherOut, choice.macOut, 'BDF');
    const into = direction(choice.cipherIn, choice.macIn, 'ACE');
    this.#agreed = {
      choice,
      reply: Buffer.concat([
        Buffer.from([Message.kexReply]),
        ...[hostKey.blob, reply, hostKey.sign(digest)].map(sshString),
      ]),
      hash: digest,
      sealer: (sessionId) => sealerOf(choice.cipherOut, choice.macOut, out(sessionId)),
      opener: (sessionId) => openerOf(choice.cipherIn, choice.macIn, into(sessionId)),
    };
    return this.#agreed;
  }
}

/** Key derivation (RFC 4253, section 7.2). @param letters for the IV, the cipher key and the MAC key */
function derive(
  algorithm: string,
  secret: Buffer,
  digest: Buffer,
  sessionId: Buffer,
  letters: string,
  lengths: { [K in keyof Keys]: number },
): Keys {
  const one = (letter: string, length: number): Buffer => {
    let key = hash(algorithm, Buffer.concat([secret, digest, Buffer.from(letter), sessionId]), 'buffer');
    while (key.length < length) {
      key = Buffer.concat([key, hash(algorithm, Buffer.concat([secret, digest, key]), 'buffer')]);
    }
    return key.subarray(0, length);
  };
  return {
    iv: one(letters[0]!, lengths.iv),
    key: one(letters[1]!, lengths.key),
    macKey: one(letters[2]!, lengths.macKey),
  };
}
