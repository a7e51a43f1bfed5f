const BLOCK = 512;
const MAX_NAME = 100;
/** Sizes from here on are written in base 256, as GNU tar and its readers do. */
const OCTAL_LIMIT = 8 ** 11;

/** The end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/** What fills the last block of a file of so many bytes. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/**
 * The header of a member in the ustar format, readable by the owner alone.
 * @param name at most 100 bytes of ASCII; a closing slash makes it a folder
 * @param size bytes of the content that follows
 * @param modified seconds since 1970
 */
export function tarHeader(name: string, size: number, modified: number): Buffer {
  if (name.length > MAX_NAME) throw new RangeError('the name of a member of an archive is too long');
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
