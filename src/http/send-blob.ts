import { Readable } from 'node:stream';
import { ApiError, notFound } from '../core/core.errors.ts';
import type { ByteRange, StoredBlob } from '../storage/blob-store.ts';
import { contentDisposition } from './http.headers.ts';
import type { BaseContext, Success } from './http.route.ts';
import { matchesEtag } from './http.send.ts';

/** Memory of a blob stream. */
const STREAM_BYTES = 1024 * 1024;

/** Success responses of a route that sends a blob: the whole content, or the requested range. */
export const blobSuccess = (contentType: string, description: string) =>
  ({
    success: { status: 200, contentType, description },
    otherSuccess: { status: 206, contentType, description: 'The part of it that `Range` asks for.' },
  }) as const satisfies { success: Success; otherSuccess: Success };

/**
 * The range of a `Range` header (RFC 9110, 14.1.2).
 * @returns null for the whole content: without the header, with several ranges or another unit, and for an invalid one
 * @throws ApiError 416 for a range outside the content
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw new ApiError(416, '416 Range Not Satisfiable', {}, { 'Content-Range': `bytes */${size}` });
  return { start, end };
}

/**
 * Sends a blob as a download: whole or a range, with its hash as a strong ETag; 304 if the client has it.
 * @param ranged whether ranges are supported; false for routes that do not declare 206
 * @throws ApiError 404 if its content is missing, 416
 */
export async function sendBlob(
  c: BaseContext,
  { sha256, size }: StoredBlob,
  filename: string,
  contentType: string,
  ranged = true,
): Promise<Readable | undefined> {
  const { deps, request, reply } = c;
  const etag = `"${sha256}"`;
  reply.header('ETag', etag).header('Cache-Control', 'max-age=0, private, must-revalidate');
  const known = request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, etag)) {
    reply.code(304).send();
    return undefined;
  }
  const asked = request.headers['if-range'];
  const range = ranged && (asked === undefined || asked === etag) ? rangeOf(request.headers.range, size) : null;
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if ((await deps.blobs.stat(sha256)) === null) throw notFound();
  reply.header('Content-Type', contentType).header('Content-Length', String(end - start + 1));
  reply.header('Content-Disposition', contentDisposition('attachment', filename));
  reply.header('Content-Transfer-Encoding', 'binary').header('Accept-Ranges', ranged ? 'bytes' : 'none');
  if (range !== null) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`);
  if (request.method === 'HEAD' || size === 0) return Readable.from([]);
  return c.stream(STREAM_BYTES, async () => {
    const stream = await deps.blobs.get(sha256, { start, end });
    if (stream === null) throw notFound();
    return stream;
  });
}
