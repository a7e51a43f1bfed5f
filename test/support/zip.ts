import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/** A zip archive as a runner makes it: files by their paths; a path that ends in a slash is a directory. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path, { mode: 0o40755 });
    else zip.addBuffer(Buffer.from(content), path, { mode: 0o100644 });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** The files of an archive by their paths. @throws Error where it is no good */
export async function filesOfZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes);
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  return files;
}

/** An entry of an archive that is put together by hand, true or not. */
export interface RawEntry {
  name: string;
  content?: Buffer;
  /** Of the central directory; those of the content when absent. */
  size?: number;
  packedSize?: number;
  crc?: number;
  mode?: number;
  method?: number;
  flags?: number;
  /** Where its local header is said to be. */
  offset?: number;
  extra?: Buffer;
  /** No bytes of its own: it points to those of others. */
  shared?: boolean;
}

export interface RawArchive {
  /** How many entries the end says there are. */
  count?: number;
  /** Where the end says the directory begins. */
  directoryAt?: number;
  /** Put between directory and end. */
  beforeEnd?: Buffer;
}

function numbers(length: number, values: readonly [at: number, bytes: 2 | 4, value: number][]): Buffer {
  const block = Buffer.alloc(length);
  for (const [at, bytes, value] of values) block.writeUIntLE(value, at, bytes);
  return block;
}

/** A zip archive made of whatever entries, byte by byte: for archives that nobody's tool would make. */
export function rawZip(entries: readonly RawEntry[], archive: RawArchive = {}): Buffer {
  const data: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { name, content = Buffer.alloc(0), method = 8, extra = Buffer.alloc(0), flags = 0x800 } = entry;
    const packed = method === 8 ? deflateRawSync(content) : content;
    const bytes = Buffer.from(name);
    const local = numbers(30, [
      [0, 4, 0x04034b50],
      [4, 2, 20],
      [6, 2, flags],
      [8, 2, method],
      [14, 4, crc32(content)],
      [18, 4, packed.length],
      [22, 4, content.length],
      [26, 2, bytes.length],
    ]);
    const central = numbers(46, [
      [0, 4, 0x02014b50],
      [4, 2, 0x0314],
      [6, 2, 20],
      [8, 2, flags],
      [10, 2, method],
      [16, 4, entry.crc ?? crc32(content)],
      [20, 4, entry.packedSize ?? packed.length],
      [24, 4, entry.size ?? content.length],
      [28, 2, bytes.length],
      [30, 2, extra.length],
      [38, 4, ((entry.mode ?? 0o100644) << 16) >>> 0],
      [42, 4, entry.offset ?? at],
    ]);
    if (entry.shared !== true) {
      data.push(local, bytes, packed);
      at += local.length + bytes.length + packed.length;
    }
    directory.push(central, bytes, extra);
  }
  const central = Buffer.concat(directory);
  const { count = entries.length, directoryAt = at, beforeEnd = Buffer.alloc(0) } = archive;
  const end = numbers(22, [
    [0, 4, 0x06054b50],
    [8, 2, count & 0xffff],
    [10, 2, count & 0xffff],
    [12, 4, central.length],
    [16, 4, directoryAt],
  ]);
  return Buffer.concat([...data, central, beforeEnd, end]);
}

/** The record and the locator of a zip64 archive, which say what the end has no room for, to be put before it. */
export function zip64End(values: { count: bigint; directoryAt: bigint; recordAt: bigint }): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(values.count, 24);
  record.writeBigUInt64LE(values.count, 32);
  record.writeBigUInt64LE(values.directoryAt, 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(values.recordAt, 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}
