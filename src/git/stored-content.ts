import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Bytes of a file to be that wait on disk, because they are too many to be kept in memory. */
export interface StoredContent {
  /** How many bytes. */
  readonly size: number;
  /** Reads them, from the first on; may be called again. */
  open(): Readable;
}

/** What a file shall hold. */
export type FileContent = Buffer | StoredContent;

/** How many bytes a content has. */
export const sizeOf = (content: FileContent): number => (Buffer.isBuffer(content) ? content.length : content.size);

const SMALL = 256 * 1024;

/** The bytes of a file on disk: in memory where they are few. */
export async function contentOfFile(path: string): Promise<FileContent> {
  const { size } = await stat(path);
  if (size <= SMALL) return readFile(path);
  return { size, open: () => createReadStream(path, { highWaterMark: SMALL }) };
}

/** All bytes of a content. */
export async function contentBytes(content: FileContent): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.concat(await content.open().toArray());
}
