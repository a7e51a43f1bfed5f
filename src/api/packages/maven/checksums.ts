import type { Readable } from 'node:stream';
import { parseJson } from '../../../db/columns.ts';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import { limitedBytes } from '../../../http/params/params.bytes.ts';
import type { ReceivedFile } from '../../../packages/receive.ts';
import type { Checksum } from './maven.paths.ts';

/** Metadata of a Maven file in addition to the digests of all files. */
export interface MavenFileMetadata {
  sha512?: string;
}

/** @returns metadata to store with a file */
export const fileMetadata = ({ sha512 }: ReceivedFile): MavenFileMetadata => ({ sha512 });

/** Returns a digest of a file, hexadecimal; null if unknown. */
export function checksumOf(file: PackageFile, kind: Checksum): string | null {
  if (kind === 'sha512') return parseJson<MavenFileMetadata>(file.metadata).sha512 ?? null;
  return file[kind];
}

/** Maximum size of a checksum file: the checksum and optionally a name. */
const MAX_BYTES = 1024;

/** Reads an uploaded checksum: the first word, in lower case. @throws ApiError 413 */
export async function readChecksum(bytes: Readable): Promise<string> {
  let text = '';
  for await (const chunk of limitedBytes(bytes, MAX_BYTES)) text += String(chunk);
  return (text.trim().split(/\s/, 1)[0] ?? '').toLowerCase();
}
