import type { Readable } from 'node:stream';
import { ApiError } from '../../core/core.errors.ts';
import type { PackageType } from '../../db/tables/packages.table.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { type FileBodyOptions, readFileBody } from '../../http/params/multipart-file.ts';
import { limitedBytes } from '../../http/params/params.bytes.ts';
import { maxFileBytes } from '../../packages/package-registry.limits.ts';
import { FileTooLarge, type ReceivedFile, receiveFile } from '../../packages/receive.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';

/** Bytes of a multipart body beside the file in it. */
const ENVELOPE = 1024 * 1024;

/** A body of bytes whose size the handler refuses in the words of its registry (`receiveUpload`). */
export const UPLOAD_BODY = {
  contentType: 'application/octet-stream',
  description: 'The bytes of the file; or a multipart body with the file in a field.',
  limit: () => Number.MAX_SAFE_INTEGER,
};

/** What was uploaded; its file is stored, but nothing refers to it yet. */
export interface Upload {
  file: ReceivedFile;
  /** As the client calls it; null for a body that is nothing but the file. */
  filename: string | null;
  /** Other fields of a multipart body. */
  fields: Record<string, string>;
}

const FORM = /^multipart\/form-data\b/i;

/** Refuses a body that is not multipart before it is read. @param field that it should have @throws ApiError 400 */
export function requireForm({ request }: BaseContext, field: string): void {
  if (!FORM.test(request.headers['content-type'] ?? '')) {
    throw new ApiError(400, `${field} is missing`, { error: `${field} is missing` }, { Connection: 'close' });
  }
}

const tooLarge = () => new ApiError(400, '400 Bad request - File is too large', {}, { Connection: 'close' });

/**
 * Stores the file that a request brings, as its whole body or in a field of a multipart one, while it comes.
 * @param field its name
 * @param options for tools that send many fields beside it
 * @returns undefined for a multipart body without it
 * @throws ApiError 400 for what is too large or malformed
 */
export async function receiveUpload(
  { deps, request, bytes }: BaseContext,
  type: PackageType,
  field: string,
  options?: FileBodyOptions,
): Promise<Upload | undefined> {
  const max = await maxFileBytes(deps, type);
  if (Number(request.headers['content-length'] ?? 0) > max + ENVELOPE) throw tooLarge();
  const stored: ReceivedFile[] = [];
  try {
    if (!FORM.test(request.headers['content-type'] ?? '')) {
      return { file: await receiveFile(deps, type, bytes), filename: null, fields: {} };
    }
    const body = limitedBytes(bytes, max + ENVELOPE);
    const take = async (file: Readable, name: string) => {
      stored.push(await receiveFile(deps, type, file));
      return name;
    };
    const { file: filename, fields } = await readFileBody(request.headers, body, field, take, options);
    return filename === undefined ? undefined : { file: stored[0]!, filename, fields };
  } catch (error) {
    if (stored.length > 0)
      await enqueueBlobRemoval(
        deps,
        deps.db,
        stored.map(({ sha256 }) => sha256),
      );
    throw error instanceof FileTooLarge ? tooLarge() : error;
  }
}

/** What `check` makes of an upload; where it refuses that, the file goes. @throws what `check` throws */
export async function discardOnError<T>(
  { deps }: BaseContext,
  { file }: Upload,
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [file.sha256]);
    throw error;
  }
}
