import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { ApiError, invalidParameter } from '../../core/core.errors.ts';
import { pluck } from '../../core/pluck.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { Enum } from '../../http/http.schema.ts';
import { type FileBodyOptions, readFileBody } from '../../http/params/multipart-file.ts';
import { limitedBytes } from '../../http/params/params.bytes.ts';
import { maxFileBytes } from '../../packages/package-registry.limits.ts';
import { FileTooLarge, type ReceivedFile, receiveFile } from '../../packages/receive.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';

/** Bytes of a multipart body in addition to its file. */
const ENVELOPE = 1024 * 1024;

/** A binary body. Its size is checked by the handler, with the message of the registry (`receiveUpload`). */
export const UPLOAD_BODY = {
  contentType: 'application/octet-stream',
  description: 'The content of the file, or a multipart body with the file in a field.',
  limit: () => Number.MAX_SAFE_INTEGER,
};

/** Status that a publisher may give a package. */
export const StatusInput = Type.Optional(
  Enum(['default', 'hidden'], { description: 'Status of the package; a hidden package is not listed.' }),
);

/** A received upload; its file is stored, but not referenced yet. */
export interface Upload {
  file: ReceivedFile;
  /** File name from the client; null if the body is the file itself. */
  filename: string | null;
  /** Other fields of a multipart body. */
  fields: Record<string, string>;
}

const FORM = /^multipart\/form-data\b/i;

/**
 * Refuses a body that is not multipart, before it is read. @param field name of the required field
 * @throws ApiError 400
 */
export function requireForm({ request }: BaseContext, field: string): void {
  if (!FORM.test(request.headers['content-type'] ?? '')) {
    throw new ApiError(400, `${field} is missing`, { error: `${field} is missing` }, { Connection: 'close' });
  }
}

const tooLarge = () => new ApiError(400, '400 Bad request - File is too large', {}, { Connection: 'close' });

/**
 * Stores the file of a request, which is its body or a field of a multipart body, while it is received.
 * @param field name of the field
 * @param options for tools that send many further fields
 * @param missing refusal of a multipart body without the field
 * @throws ApiError 400 for a file that is too large or missing, or a malformed body
 */
export async function receiveUpload(
  { deps, request, bytes }: BaseContext,
  type: string,
  field: string,
  options?: FileBodyOptions,
  missing = () => invalidParameter(`${field} is missing`),
): Promise<Upload> {
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
    if (filename === undefined) throw missing();
    return { file: stored[0]!, filename, fields };
  } catch (error) {
    if (stored.length > 0) await enqueueBlobRemoval(deps, deps.db, pluck(stored, 'sha256'));
    throw error instanceof FileTooLarge ? tooLarge() : error;
  }
}

/** Returns the result of `check` for an upload; releases its file if that throws. @throws errors of `check` */
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
