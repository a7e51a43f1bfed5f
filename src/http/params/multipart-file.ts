import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApiError } from '../../core/core.errors.ts';
import { multipartChunks } from './multipart-end.ts';

/** The rest of the body is not read, so the connection cannot serve another request. */
const CLOSE = { Connection: 'close' };
const malformed = (what: string) => new ApiError(400, `400 Bad request - the multipart body ${what}`, {}, CLOSE);

const MAX_PARTS = 100;
const MAX_FIELD = 64 * 1024;

/** Content of a multipart body besides the expected file. */
export interface FileBody<T> {
  /** Result for the file; undefined if there was none. */
  file: T | undefined;
  /** The other fields, as texts. */
  fields: Record<string, string>;
}

/** Options for bodies of certain tools. */
export interface FileBodyOptions {
  /** Maximum number of parts; 100 by default. */
  parts?: number;
  /** Fields to keep, cut at 64 KiB; others are skipped. All by default. */
  keep?: ReadonlySet<string>;
}

/**
 * Reads a multipart body with one file, which is streamed to its destination without a temporary file. Further files
 * are skipped.
 * @param body the body, which fails past its limit
 * @param name field of the file
 * @param take consumes the file; its errors end the reading
 * @param options for bodies with many parts
 * @throws ApiError 400 for an invalid body; errors of `body` and `take`
 */
export async function readFileBody<T>(
  headers: IncomingHttpHeaders,
  body: Readable,
  name: string,
  take: (file: Readable, filename: string) => Promise<T>,
  { parts = MAX_PARTS, keep }: FileBodyOptions = {},
): Promise<FileBody<T>> {
  if (!/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) return { file: undefined, fields: {} };
  const form = newForm(headers, parts);
  const fields: Record<string, string> = Object.create(null);
  const streams = new Set<BusboyFileStream>();
  let taking: Promise<T> | undefined;
  let stop: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    stop = reject;
  });
  failed.catch(() => {});
  form.on('field', (field, value, _nameCut, cut) => {
    if (keep !== undefined && !keep.has(field)) return;
    if (cut && keep === undefined) stop(malformed('has a field that is too long'));
    fields[field] = value;
  });
  form.on('file', (field = '', stream, filename) => {
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    // The form reports a premature end.
    stream.on('error', () => {});
    if (field !== name || taking !== undefined) {
      stream.resume();
      return;
    }
    taking = take(stream, filename ?? '');
    taking.catch(stop);
  });
  form.on('partsLimit', () => stop(malformed('has too many parts')));
  const closed = new Promise<void>((resolve) => form.once('finish', resolve));
  form.once('error', () => stop(malformed('is malformed')));
  let isOver = false;
  const readAll = async () => {
    for await (const chunk of multipartChunks(body)) {
      if (isOver) return;
      if (!form.write(chunk)) await new Promise((resolve) => form.once('drain', resolve));
    }
    form.end();
    await closed;
  };
  try {
    // A failure is reported even if the rest of the body never arrives.
    await Promise.race([readAll(), failed]);
    return { file: await taking, fields };
  } catch (error) {
    isOver = true;
    for (const stream of streams) stream.destroy(error as Error);
    await taking?.catch(() => {});
    throw error;
  }
}

function newForm(headers: IncomingHttpHeaders, parts: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type']! },
      limits: { parts, headerPairs: 50, fieldNameSize: 2_000, fieldSize: MAX_FIELD },
      isPartAFile: (_field, _type, filename) => filename !== undefined,
    });
  } catch {
    throw malformed('has no boundary');
  }
}
