import { certifiedKey, isCertificate } from '../../../core/ssh-certificate.ts';
import { SshReader, sshString } from '../../../core/ssh-fields.ts';
import { SSH_SIGNATURES, verifySshSignature } from '../../../core/ssh-verify.ts';
import { Message, Reason, SshError } from './numbers.ts';
import type { Transport } from './transport.ts';

const SERVICE = 'ssh-connection';
const METHOD = 'publickey';
/** Keys that a client may try: each costs a look-up. */
const MAX_TRIES = 20;
const CERTIFICATE = /-cert-v01@openssh\.com$/;

/** A key that a client shows; nothing says yet that it is theirs. */
export interface OfferedKey {
  /** As whom they want to sign in. */
  user: string;
  /** The key, or certificate, as it goes over the wire. */
  blob: Buffer;
}

/** Whom a key stands for; undefined where it opens nothing. */
export type FindIdentity<I> = (shown: OfferedKey) => Promise<I | undefined>;

/** Finds out who the client is (RFC 4252): by a key, of which it proves that it has the other half. */
export class Authentication<I> {
  readonly #transport: Transport;
  readonly #find: FindIdentity<I>;
  #asked = false;
  #tries = 0;

  constructor(transport: Transport, find: FindIdentity<I>) {
    this.#transport = transport;
    this.#find = find;
  }

  /** @returns who it is, once that is proven @throws SshError for what is out of turn, or too many tries; RangeError */
  async message(kind: number, payload: Buffer): Promise<I | undefined> {
    if (kind === Message.serviceRequest) return this.#service(new SshReader(payload, 1).text());
    if (kind !== Message.userauthRequest || !this.#asked)
      throw new SshError('a message before it is known who you are');
    const reader = new SshReader(payload, 1);
    const [user, service, method] = [reader.string().toString('utf8'), reader.text(), reader.text()];
    if (service !== SERVICE) throw new SshError('there is no such service');
    const identity = method === METHOD ? await this.#publicKey(user, payload, reader) : undefined;
    if (identity === 'asked') return undefined;
    if (identity !== undefined) {
      this.#transport.send(Message.userauthSuccess);
      return identity.is;
    }
    this.#tries += 1;
    if (this.#tries > MAX_TRIES) throw new SshError('too many keys were tried', Reason.noMoreAuthMethods);
    this.#transport.send(Message.userauthFailure, sshString(METHOD), Buffer.alloc(1));
    return undefined;
  }

  #service(name: string): undefined {
    if (name !== 'ssh-userauth') throw new SshError('there is no such service');
    this.#asked = true;
    this.#transport.send(Message.serviceAccept, sshString(name));
  }

  /** @returns `asked` where the client wanted to know whether it is worth the while to sign */
  async #publicKey(user: string, payload: Buffer, reader: SshReader): Promise<{ is: I } | 'asked' | undefined> {
    const signs = reader.boolean();
    const [algorithm, blob] = [reader.text(), reader.string()];
    const signedUpTo = reader.at;
    const signature = signs ? reader.string() : undefined;
    if (!reader.ended) throw new SshError('more than was expected');
    const key = keyFor(algorithm, blob);
    if (key === undefined) return undefined;
    const identity = await this.#find({ user, blob });
    if (identity === undefined) return undefined;
    if (signature === undefined) {
      this.#transport.send(Message.userauthPkOk, sshString(algorithm), sshString(blob));
      this.#tries += 1;
      return 'asked';
    }
    const signed = Buffer.concat([sshString(this.#transport.sessionId), payload.subarray(0, signedUpTo)]);
    const format = new SshReader(signature).text();
    if (format !== algorithm.replace(CERTIFICATE, formatEnd(algorithm))) return undefined;
    return verifySshSignature(key, signature, signed) ? { is: identity } : undefined;
  }
}

/** Certificates of keys on security tokens have the ending of their makers at the end, and not twice. */
const formatEnd = (algorithm: string): string => (algorithm.startsWith('sk-') ? '@openssh.com' : '');

/**
 * The key whose other half has to sign.
 * @returns undefined where the algorithm is none that is taken, or does not fit what was sent
 */
function keyFor(algorithm: string, blob: Buffer): Buffer | undefined {
  const format = algorithm.replace(CERTIFICATE, formatEnd(algorithm));
  if (!SSH_SIGNATURES.includes(format)) return undefined;
  const certified = CERTIFICATE.test(algorithm);
  try {
    if (certified !== isCertificate(blob)) return undefined;
    const key = certified ? certifiedKey(blob) : blob;
    const type = new SshReader(key).text();
    return type === (format.startsWith('rsa-sha2-') ? 'ssh-rsa' : format) ? key : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
