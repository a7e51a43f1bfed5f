import type { Readable } from 'node:stream';
import { parseJson } from '../../../db/columns.ts';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import { limitedBytes } from '../../../http/params/params.bytes.ts';
import type { ReceivedFile } from '../../../packages/receive.ts';
import type { Checksum } from './maven.paths.ts';

/** What is kept with a file of a Maven package, beside the digests that all files have. */
export interface MavenFileMetadata {
  sha512?: string;
}

/** @returns what to keep with a file */
export const fileMetadata = ({ sha512 }: ReceivedFile): MavenFileMetadata => ({ sha512 });

/** A digest of a file, in hexadecimal digits; null where it is not known. */
export function checksumOf(file: PackageFile, kind: Checksum): string | null {
  if (kind === 'sha512') return parseJson<MavenFileMetadata>(file.metadata).sha512 ?? null;
  return file[kind];
}

/** Bytes of a file that holds a checksum and, at the most, a name. */
const MAX_BYTES = 1024;

/** Reads an uploaded checksum: the first word, in small letters. @throws ApiError 413 */
export async function readChecksum(bytes: Readable): Promise<string> {
  let text = '';
  for await (const chunk of limitedBytes(bytes, MAX_BYTES)) text += String(chunk);
  return (text.trim().split(/\s/, 1)[0] ?? '').toLowerCase();
}
