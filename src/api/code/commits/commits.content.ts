import { type FileHandle, open } from 'node:fs/promises';
import { badRequest } from '../../../core/core.errors.ts';
import { contentOfFile, type FileContent } from '../../../git/files/index.ts';
import { SpooledText } from '../../../http/params/request-body.ts';
import type { UploadedFile } from '../../../http/params/uploaded-file.ts';

/** File content as sent by a client. */
export type SentContent = string | SpooledText | UploadedFile;

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decodes file content sent by a client. @throws ApiError 400 */
export async function decodeContent(
  content: SentContent,
  encoding: string | undefined,
  name: string,
): Promise<FileContent> {
  if (content instanceof SpooledText) return encoding === 'base64' ? decodeSpooled(content, name) : content;
  if (typeof content !== 'string') return contentOfFile(content.path);
  if (encoding !== 'base64') return Buffer.from(content, 'utf8');
  const text = content.replace(/\s+/g, '');
  if (!BASE64.test(text)) throw badRequest(`${name} is not valid base64`);
  return Buffer.from(text, 'base64');
}

/** Decodes a long text in parts, into a temporary file. */
async function decodeSpooled(content: SpooledText, name: string): Promise<FileContent> {
  const path = content.owner.newPath('decoded');
  const file = await open(path, 'wx', 0o600);
  try {
    await decodeInto(file, content, name);
  } finally {
    await file.close();
  }
  return contentOfFile(path);
}

async function decodeInto(file: FileHandle, content: SpooledText, name: string): Promise<void> {
  let rest = '';
  for await (const chunk of content.open() as AsyncIterable<Buffer>) {
    const text = rest + chunk.toString('latin1').replace(/\s+/g, '');
    // Padding is followed by something other than padding.
    if (text.indexOf('=') !== -1 && text.indexOf('=') < text.length - 2)
      throw badRequest(`${name} is not valid base64`);
    const whole = text.includes('=') ? 0 : text.length - (text.length % 4);
    const ready = text.slice(0, whole);
    if (!BASE64.test(ready)) throw badRequest(`${name} is not valid base64`);
    rest = text.slice(whole);
    await file.appendFile(Buffer.from(ready, 'base64'));
  }
  if (!BASE64.test(rest)) throw badRequest(`${name} is not valid base64`);
  await file.appendFile(Buffer.from(rest, 'base64'));
}
