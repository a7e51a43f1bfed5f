const ARMOUR =
  /^-----BEGIN PGP SIGNATURE-----\n((?:[^\n]+\n)*\n)?([A-Za-z0-9+/=\n]+?)(?:\n=[A-Za-z0-9+/]{4})?\n-----END PGP/;
const MAX_LENGTH = 64 * 1024;
const SIGNATURE_PACKET = 2;
const ISSUER = 16;
const ISSUER_FINGERPRINT = 33;

/** The body of the first packet, where it is a signature (RFC 9580, section 4.2); throws RangeError past the end. */
function signatureBody(bytes: Buffer): Buffer | null {
  const tag = bytes.readUInt8(0);
  const isNew = (tag & 0x40) !== 0;
  if ((isNew ? tag & 0x3f : (tag >> 2) & 0x0f) !== SIGNATURE_PACKET) return null;
  const { start } = isNew ? newLength(bytes, 1) : { start: 1 + (1 << (tag & 3)) };
  return bytes.subarray(start);
}

/** A length of one, two or five bytes, and where what it counts begins. */
function newLength(bytes: Buffer, at: number): { length: number; start: number } {
  const first = bytes.readUInt8(at);
  if (first < 192) return { length: first, start: at + 1 };
  if (first < 255) return { length: ((first - 192) << 8) + bytes.readUInt8(at + 1) + 192, start: at + 2 };
  return { length: bytes.readUInt32BE(at + 1), start: at + 5 };
}

function issuerAmong(subpackets: Buffer): string | null {
  for (let at = 0; at < subpackets.length; ) {
    const { length, start } = newLength(subpackets, at);
    const type = subpackets.readUInt8(start) & 0x7f;
    const value = subpackets.subarray(start + 1, start + length);
    if (type === ISSUER && value.length === 8) return value.toString('hex');
    if (type === ISSUER_FINGERPRINT && value.length === 21) return value.subarray(-8).toString('hex');
    at = start + Math.max(1, length);
  }
  return null;
}

/**
 * The id of the key that an armoured PGP signature names as its maker: 16 hexadecimal digits in upper case.
 * Nothing is checked.
 * @returns null where the text is no signature of version 4, or names none
 */
export function pgpIssuer(armoured: string): string | null {
  const match = armoured.length > MAX_LENGTH ? null : ARMOUR.exec(armoured.replaceAll('\r\n', '\n'));
  if (match === null) return null;
  try {
    const body = signatureBody(Buffer.from(match[2]!, 'base64'));
    if (body === null || body.readUInt8(0) !== 4) return null;
    const hashed = body.readUInt16BE(4);
    const unhashed = body.readUInt16BE(6 + hashed);
    const issuer =
      issuerAmong(body.subarray(6, 6 + hashed)) ?? issuerAmong(body.subarray(8 + hashed, 8 + hashed + unhashed));
    return issuer?.toUpperCase() ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
