import type { Readable } from 'node:stream';
import { notFound } from '../../../core/core.errors.ts';
import type { Upload } from '../../../db/tables/uploads.table.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { shownType } from './uploads.names.ts';

/**
 * Sends the content of an upload, with headers that let browsers display only images, audio, video and PDF.
 * @param how `show` displays these; `save` downloads all
 * @throws ApiError 404 if the content is missing
 */
export async function sendUpload(
  { deps, reply }: BaseContext,
  upload: Upload,
  how: 'show' | 'save',
): Promise<Readable> {
  const type = shownType(upload.filename);
  const stream = await deps.blobs.get(upload.sha256);
  if (stream === null) throw notFound('Upload');
  reply.header('Content-Type', type ?? 'application/octet-stream');
  reply.header('Content-Length', String(upload.size));
  const shown = how === 'show' && type !== undefined;
  reply.header('Content-Disposition', contentDisposition(shown ? 'inline' : 'attachment', upload.filename));
  reply.header('Cache-Control', 'private, must-revalidate, max-age=0');
  reply.header('ETag', `"${upload.sha256}"`);
  return stream;
}
