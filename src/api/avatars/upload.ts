import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { invalidModel, invalidParameter } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import { UploadedFile } from '../../http/params/uploaded-file.ts';
import { CONTENT_TYPES, pictureName, SIGNATURE_BYTES } from './formats.ts';

const MAX_KIB = 200;

/**
 * What the `avatar` parameter of a user, group or project makes of its column: keeps an upload and gives its key, gives
 * null for the empty text, which removes the picture, and no column when nothing was given.
 * @throws ApiError 400 for what is too big or no picture
 */
export async function avatarColumn(
  deps: Deps,
  value: UploadedFile | string | undefined,
): Promise<{ avatar?: string | null }> {
  if (value === undefined) return {};
  if (value === '') return { avatar: null };
  if (!(value instanceof UploadedFile)) throw invalidParameter('avatar is invalid');
  if (value.size > MAX_KIB * 1024) throw invalidModel({ avatar: [`is too big (should be at most ${MAX_KIB} KiB)`] });
  const name = pictureName(value.filename, await firstBytes(value.path));
  if (name === undefined) {
    const formats = CONTENT_TYPES.join(', ');
    throw invalidModel({
      avatar: [`file format is not supported. Please try one of the following supported formats: ${formats}`],
    });
  }
  const { sha256 } = await deps.blobs.put(createReadStream(value.path), { maxBytes: MAX_KIB * 1024 });
  return { avatar: `${sha256}/${name}` };
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
