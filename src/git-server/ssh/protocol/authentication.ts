import { certifiedKey, isCertificate } from '../../../core/ssh-certificate.ts';
import { SshReader, sshString } from '../../../core/ssh-fields.ts';
import { SSH_SIGNATURES, verifySshSignature } from '../../../core/ssh-verify.ts';
import { Message, Reason, SshError } from './numbers.ts';
import type { Transport } from './transport.ts';

const SERVICE = 'ssh-connection';
const METHOD = 'publickey';
/** Maximum number of keys that a client may try. Each costs a look-up. */
const MAX_TRIES = 20;
const CERTIFICATE = /-cert-v01@openssh\.com$/;

/** A key that a client offers, before it has proven possession. */
export interface OfferedKey {
  /** The requested login name. */
  user: string;
  /** Key or certificate in wire format. */
  blob: Buffer;
}

/** Finds the identity of a key; undefined for unknown keys. */
export type FindIdentity<I> = (shown: OfferedKey) => Promise<I | undefined>;

/** User authentication (RFC 4252) by public key. */
export class Authentication<I> {
  readonly #transport: Transport;
  readonly #find: FindIdentity<I>;
  #asked = false;
  #tries = 0;

  constructor(transport: Transport, find: FindIdentity<I>) {
    this.#transport = transport;
    this.#find = find;
  }

  /**
   * @returns the identity once it is proven
   * @throws SshError for unexpected messages or too many attempts; RangeError
   */
  async message(kind: number, payload: Buffer): Promise<I | undefined> {
    if (kind === Message.serviceRequest) return this.#service(new SshReader(payload, 1).text());
    if (kind !== Message.userauthRequest || !this.#asked) throw new SshError('message received before authentication');
    const reader = new SshReader(payload, 1);
    const [user, service, method] = [reader.string().toString('utf8'), reader.text(), reader.text()];
    if (service !== SERVICE) throw new SshError('unknown service');
    const identity = method === METHOD ? await this.#publicKey(user, payload, reader) : undefined;
    if (identity === 'asked') return undefined;
    if (identity !== undefined) {
      this.#transport.send(Message.userauthSuccess);
      return identity.is;
    }
    this.#tries += 1;
    if (this.#tries > MAX_TRIES) throw new SshError('too many authentication attempts', Reason.noMoreAuthMethods);
    this.#transport.send(Message.userauthFailure, sshString(METHOD), Buffer.alloc(1));
    return undefined;
  }

  #service(name: string): undefined {
    if (name !== 'ssh-userauth') throw new SshError('unknown service');
    this.#asked = true;
    this.#transport.send(Message.serviceAccept, sshString(name));
  }

  /** @returns `asked` if the client only queried whether the key is acceptable */
  async #publicKey(user: string, payload: Buffer, reader: SshReader): Promise<{ is: I } | 'asked' | undefined> {
    const signs = reader.boolean();
    const [algorithm, blob] = [reader.text(), reader.string()];
    const signedUpTo = reader.at;
    const signature = signs ? reader.string() : undefined;
    if (!reader.ended) throw new SshError('unexpected data at the end of the message');
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

/** Signature formats of security-key certificates carry the vendor suffix once, at the end. */
const formatEnd = (algorithm: string): string => (algorithm.startsWith('sk-') ? '@openssh.com' : '');

/**
 * The public key that must verify the signature.
 * @returns undefined for an unsupported algorithm or a key that does not match it
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
