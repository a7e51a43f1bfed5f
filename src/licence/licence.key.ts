import { createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { BadTerms, type LicenseTerms, readTerms } from './terms.ts';

/** Said in front of what is signed, so that a signature of an issuer's key can mean nothing else. */
const PURPOSE = 'stithy license 1';
/** Longer texts are no keys: a key with all that terms may hold is shorter. */
const MAX_KEY = 65_536;

const INVALID = 'The license key is invalid.';

/** A text that is no license of the issuer; the message goes to whoever showed it. */
export class BadLicenseKey extends Error {
  override name = 'BadLicenseKey';
}

const unreadable = () => new BadLicenseKey(`${INVALID} Make sure it is exactly as you received it from GitLab Inc.`);

interface Envelope {
  /** The terms as JSON, in Base64. */
  data: string;
  /** Ed25519 signature over the other two, in Base64. */
  key: string;
  /** Makes each key another one, in Base64. */
  iv: string;
}

const signed = ({ data, iv }: Omit<Envelope, 'key'>): Buffer => Buffer.from(`${PURPOSE}\n${iv}\n${data}`);

/**
 * The key of a license: one Base64 text of a JSON object with `data`, `key` and `iv`.
 * @param issuer an Ed25519 private key
 */
export function writeLicenseKey(terms: LicenseTerms, issuer: KeyObject): string {
  const data = Buffer.from(JSON.stringify(terms)).toString('base64');
  const iv = randomBytes(16).toString('base64');
  const key = sign(null, signed({ data, iv }), issuer).toString('base64');
  return Buffer.from(JSON.stringify({ data, key, iv } satisfies Envelope)).toString('base64');
}

/** Without the line breaks and spaces that mail and terminals put in. */
export const tidyKey = (text: string): string => text.replaceAll(/\s+/g, '');

/** @throws BadLicenseKey where the text cannot be the key of any license */
function openEnvelope(text: string): Envelope {
  if (text.length > MAX_KEY || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw unreadable();
  let found: unknown;
  try {
    found = JSON.parse(Buffer.from(text, 'base64').toString());
  } catch {
    throw unreadable();
  }
  const { data, key, iv } = (found ?? {}) as Partial<Record<keyof Envelope, unknown>>;
  if (typeof data !== 'string' || typeof key !== 'string' || typeof iv !== 'string') throw unreadable();
  return { data, key, iv };
}

/**
 * What the key of a license says, whoever made it.
 * @throws BadLicenseKey
 */
export function readLicenseKey(text: string): LicenseTerms {
  return termsIn(openEnvelope(tidyKey(text)));
}

function termsIn({ data }: Envelope): LicenseTerms {
  let found: unknown;
  try {
    found = JSON.parse(Buffer.from(data, 'base64').toString());
  } catch {
    throw unreadable();
  }
  try {
    return readTerms(found);
  } catch (error) {
    throw error instanceof BadTerms ? new BadLicenseKey(`${INVALID} In it, ${error.message}.`) : error;
  }
}

/**
 * What a license says that the issuer has signed.
 * @param issuer public key as Base64 of its DER; null where nobody is trusted
 * @throws BadLicenseKey
 */
export function verifyLicenseKey(text: string, issuer: string | null): LicenseTerms {
  const envelope = openEnvelope(tidyKey(text));
  if (issuer === null) {
    throw new BadLicenseKey(
      `${INVALID} This server trusts no issuer of licenses: its operator names one by STITHY_LICENSE_ISSUER.`,
    );
  }
  const publicKey = createPublicKey({ key: Buffer.from(issuer, 'base64'), format: 'der', type: 'spki' });
  if (!verify(null, signed(envelope), publicKey, Buffer.from(envelope.key, 'base64'))) throw unreadable();
  return termsIn(envelope);
}
