const BLOCK = 512;
const MAX_NAME = 100;
/** Sizes from here on are encoded in base 256, as in GNU tar. */
const OCTAL_LIMIT = 8 ** 11;

/** End-of-archive marker. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/** Padding of the last block of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/**
 * Builds a ustar header, with read access for the owner only.
 * @param name at most 100 bytes of ASCII; a trailing slash makes it a folder
 * @param size size of the content in bytes
 * @param modified seconds since 1970
 */
export function tarHeader(name: string, size: number, modified: number): Buffer {
  if (name.length > MAX_NAME) throw new RangeError('the name of an archive member is too long');
  const folder = name.endsWith('/');
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  header.write(folder ? '0000700\0' : '0000600\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  if (size < OCTAL_LIMIT) header.write(`${octal(size)}\0`, 124, 'latin1');
  else header.writeBigUInt64BE(BigInt(size), 128);
  if (size >= OCTAL_LIMIT) header[124] = 0x80;
  header.write(`${octal(modified)}\0`, 136, 'latin1');
  header.write(' '.repeat(8), 148, 'latin1');
  header.write(folder ? '5' : '0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

const octal = (value: number): string => Math.max(0, Math.trunc(value)).toString(8).padStart(11, '0');
