import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';

const BLOCK = 512;

/** An entry of a tar as its bytes, with a header that may be false. @param type as it stands there, `0` for a file */
export function tarEntry(name: string, content: string | Buffer, { type = '0' }: { type?: string } = {}): Buffer {
  const bytes = Buffer.from(content as string);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${' '.repeat(8)}${type}`, 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** Attributes of the next entry, as the pax format has them. */
export function paxAttribute(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (`${length}`.length + rest.length !== length) length += 1;
  return tarEntry('attributes', `${length}${rest}`, { type: 'x' });
}

/** A gzipped tar of files, as package tools make them. */
export async function tarGzOf(files: Iterable<readonly [name: string, content: string | Buffer]>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of files) tar.entry({ name }, content);
  tar.finalize();
  return gzipSync(await buffer(tar));
}

/** Names and texts of the files in a tar, in their order. */
export async function entriesOf(tar: Buffer): Promise<[name: string, text: string][]> {
  const entries: [string, string][] = [];
  const reading = extract();
  reading.on('entry', async ({ name }, content, next) => {
    entries.push([name, (await buffer(content)).toString()]);
    next();
  });
  await pipeline(Readable.from([tar]), reading);
  return entries;
}
