import type { Readable } from 'node:stream';
import { notFound } from '../../../core/core.errors.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { contentTypeOf } from './formats.ts';

/**
 * Sends an avatar.
 * @param avatar the column, `<sha256>/<name>`
 * @param name requested file name; 404 if the avatar was replaced by another
 */
export async function sendPicture(
  { deps, reply }: BaseContext,
  avatar: string | null,
  name?: string,
): Promise<Readable> {
  const [sha256 = '', stored = ''] = avatar?.split('/') ?? [];
  if (avatar === null || (name !== undefined && name !== stored)) throw notFound('Avatar');
  const blob = await deps.blobs.stat(sha256);
  const stream = blob === null ? null : await deps.blobs.get(sha256);
  if (blob === null || stream === null) throw notFound('Avatar');
  reply.header('Content-Type', contentTypeOf(stored));
  reply.header('Content-Length', String(blob.size));
  reply.header('Content-Disposition', `inline; filename="${stored}"`);
  reply.header('Cache-Control', 'max-age=300, private, must-revalidate');
  return stream;
}
