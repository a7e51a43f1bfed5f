import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { invalidModel, invalidParameter } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { CONTENT_TYPES, pictureName, SIGNATURE_BYTES } from './formats.ts';

const MAX_KIB = 200;

/**
 * Column value for the `avatar` parameter of a user, group or project: stores an upload and returns its key, returns
 * null for the empty string, which removes the avatar, and no column if the parameter is absent.
 * @throws ApiError 400 if the file is too large or not an image
 */
export async function avatarColumn(
  deps: Deps,
  value: UploadedFile | string | undefined,
): Promise<{ avatar?: string | null }> {
  return value === undefined ? {} : { avatar: await storePicture(deps, value, 'avatar', MAX_KIB) };
}

/**
 * Stores an uploaded image in the blob store.
 * @param value an empty string for no image
 * @param field name of the parameter, for error messages
 * @param maxKib maximum size in KiB
 * @param extensions allowed file name extensions; defaults to those of all image formats
 * @returns `<sha256>/<name>`; null for no image
 * @throws ApiError 400 if the file is too large or not an image
 */
export async function storePicture(
  deps: Deps,
  value: UploadedFile | string,
  field: string,
  maxKib: number,
  extensions?: readonly string[],
): Promise<string | null> {
  if (value === '') return null;
  if (!(value instanceof UploadedFile)) throw invalidParameter(`${field} is invalid`);
  if (value.size > maxKib * 1024) throw invalidModel({ [field]: [`is too big (should be at most ${maxKib} KiB)`] });
  const name = pictureName(value.filename, await firstBytes(value.path));
  if (name === undefined) {
    const formats = CONTENT_TYPES.join(', ');
    throw invalidModel({
      [field]: [`file format is not supported. Please try one of the following supported formats: ${formats}`],
    });
  }
  if (extensions !== undefined && !extensions.some((each) => name.endsWith(`.${each}`))) {
    throw invalidModel({ [field]: [`file format is not supported. Allowed formats: ${extensions.join(', ')}`] });
  }
  const { sha256 } = await deps.blobs.put(createReadStream(value.path), { maxBytes: maxKib * 1024 });
  return `${sha256}/${name}`;
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
