import { createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { InvalidTerms, type LicenseTerms, readTerms } from './terms.ts';

/** Prefix of the signed text, so that a signature of an issuer's key cannot mean anything else. */
const PURPOSE = 'stithy license 1';
/** Maximum length of a key, more than any terms need. */
const MAX_KEY = 65_536;

const INVALID = 'The license key is invalid.';

/** A text that is not a valid license; the message is for the person who submitted it. */
export class InvalidLicenseKey extends Error {
  override name = 'InvalidLicenseKey';
}

const unreadable = () =>
  new InvalidLicenseKey(`${INVALID} Make sure it is exactly as you received it from GitLab Inc.`);

interface Envelope {
  /** The terms as JSON, in Base64. */
  data: string;
  /** Ed25519 signature of the other two, in Base64. */
  key: string;
  /** Makes each key unique, in Base64. */
  iv: string;
}

const signed = ({ data, iv }: Omit<Envelope, 'key'>): Buffer => Buffer.from(`${PURPOSE}\n${iv}\n${data}`);

/**
 * Creates the key of a license: Base64 of a JSON object with `data`, `key` and `iv`.
 * @param issuer an Ed25519 private key
 */
export function writeLicenseKey(terms: LicenseTerms, issuer: KeyObject): string {
  const data = Buffer.from(JSON.stringify(terms)).toString('base64');
  const iv = randomBytes(16).toString('base64');
  const key = sign(null, signed({ data, iv }), issuer).toString('base64');
  return Buffer.from(JSON.stringify({ data, key, iv } satisfies Envelope)).toString('base64');
}

/** Removes line breaks and spaces added by mail programs and terminals. */
export const withoutWhitespace = (text: string): string => text.replaceAll(/\s+/g, '');

/** @throws InvalidLicenseKey if the text cannot be a license key */
function openEnvelope(text: string): Envelope {
  if (text.length > MAX_KEY || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw unreadable();
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(text, 'base64').toString());
  } catch {
    throw unreadable();
  }
  const { data, key, iv } = (decoded ?? {}) as Partial<Record<keyof Envelope, unknown>>;
  if (typeof data !== 'string' || typeof key !== 'string' || typeof iv !== 'string') throw unreadable();
  return { data, key, iv };
}

/**
 * Reads the terms of a license key without checking its signature.
 * @throws InvalidLicenseKey
 */
export function readLicenseKey(text: string): LicenseTerms {
  return termsIn(openEnvelope(withoutWhitespace(text)));
}

function termsIn({ data }: Envelope): LicenseTerms {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(data, 'base64').toString());
  } catch {
    throw unreadable();
  }
  try {
    return readTerms(decoded);
  } catch (error) {
    throw error instanceof InvalidTerms
      ? new InvalidLicenseKey(`${INVALID} Error in its terms: ${error.message}.`)
      : error;
  }
}

/**
 * Reads the terms of a license key signed by the issuer.
 * @param issuer public key as Base64 of its DER; null if no issuer is trusted
 * @throws InvalidLicenseKey
 */
export function verifyLicenseKey(text: string, issuer: string | null): LicenseTerms {
  const envelope = openEnvelope(withoutWhitespace(text));
  if (issuer === null) {
    throw new InvalidLicenseKey(
      `${INVALID} This server trusts no license issuer; its operator can set STITHY_LICENSE_ISSUER.`,
    );
  }
  const publicKey = createPublicKey({ key: Buffer.from(issuer, 'base64'), format: 'der', type: 'spki' });
  if (!verify(null, signed(envelope), publicKey, Buffer.from(envelope.key, 'base64'))) throw unreadable();
  return termsIn(envelope);
}
