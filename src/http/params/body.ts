import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import type { UploadedFile } from '../schema.ts';
import { nestParams, type ParamValue, parseUrlencoded } from './rack.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Files of a multipart body; removed when the request ends. */
    uploads: UploadedFile[] | null;
  }
}

const invalidJson = () => new ApiError(400, 'Invalid json', { error: 'Invalid json' });

function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidJson();
  return value;
}

/**
 * Reads a multipart body: fields are nested like a query string's, files wait in a temporary folder.
 * @param limit bytes of the whole body
 */
async function readMultipart(
  request: FastifyRequest,
  tempDir: string,
  limit: number,
): Promise<Record<string, unknown>> {
  const contentType = request.headers['content-type'];
  if (contentType === undefined || !/boundary=/i.test(contentType))
    throw new ApiError(400, '400 Bad request - the multipart body has no boundary');
  const pairs: [string, ParamValue][] = [];
  const writes: Promise<void>[] = [];
  const uploads: UploadedFile[] = [];
  request.uploads = uploads;
  let refused: ApiError | undefined;
  const tooLarge = () => {
    refused ??= new ApiError(413, '413 Request Entity Too Large');
  };
  const form = new Busboy({
    headers: { ...request.headers, 'content-type': contentType },
    limits: {
      fieldSize: limit,
      fields: 20_000,
      files: 100,
      fileSize: limit,
      parts: 20_100,
      headerPairs: 50,
      fieldNameSize: 2_000,
    },
  });
  form.on('field', (name, value, _nameCut, valueCut) => {
    if (valueCut) tooLarge();
    pairs.push([name, value]);
  });
  form.on('file', (name, stream, filename, _encoding, type) => {
    const file: UploadedFile = {
      filename: filename ?? '',
      contentType: type,
      path: join(tempDir, `upload-${randomUUID()}`),
      size: 0,
    };
    uploads.push(file);
    pairs.push([name, file]);
    stream.on('data', (chunk: Buffer) => {
      file.size += chunk.length;
    });
    stream.on('limit', tooLarge);
    writes.push(pipeline(stream, createWriteStream(file.path, { mode: 0o600 })));
  });
  for (const limitEvent of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) form.on(limitEvent, tooLarge);
  let size = 0;
  request.raw.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      tooLarge();
      form.destroy(refused);
    }
  });
  await mkdir(tempDir, { recursive: true });
  try {
    await pipeline(request.raw, form);
    await Promise.all(writes);
  } catch {
    throw refused ?? new ApiError(400, '400 Bad request - the multipart body is malformed');
  }
  if (refused !== undefined) throw refused;
  return nestParams(pairs);
}

/** Teaches the server the body encodings of part 1, section 1.4: JSON, urlencoded and multipart. */
export function registerBodyParsers(app: FastifyInstance, tempDir: string): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('uploads', null);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseJsonBody(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseUrlencoded(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest) =>
    readMultipart(request, tempDir, request.routeOptions.bodyLimit),
  );
  app.addHook('onResponse', async (request) => {
    if (request.uploads === null) return;
    await Promise.all(request.uploads.map(({ path }) => rm(path, { force: true })));
  });
}
