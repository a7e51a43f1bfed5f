import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Content of a new file that is too large for memory and waits on disk. */
export interface StoredContent {
  /** Size in bytes. */
  readonly size: number;
  /** Opens a stream of the content; may be called repeatedly. */
  open(): Readable;
}

/** Content of a new file. */
export type FileContent = Buffer | StoredContent;

/** Size of a content in bytes. */
export const sizeOf = (content: FileContent): number => (Buffer.isBuffer(content) ? content.length : content.size);

const SMALL = 256 * 1024;

/** Content of a file on disk, in memory if it is small. */
export async function contentOfFile(path: string): Promise<FileContent> {
  const { size } = await stat(path);
  if (size <= SMALL) return readFile(path);
  return { size, open: () => createReadStream(path, { highWaterMark: SMALL }) };
}

/** Reads a whole content into memory. */
export async function contentBytes(content: FileContent): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.concat(await content.open().toArray());
}
