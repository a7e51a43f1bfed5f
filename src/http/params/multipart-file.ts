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

/** What a multipart body held beside the file that was wanted. */
export interface FileBody<T> {
  /** What was made of the file; undefined where there was none. */
  file: T | undefined;
  /** Its other fields, as texts. */
  fields: Record<string, string>;
}

/** What a tool sends beyond what others do. */
export interface FileBodyOptions {
  /** How many parts there may be; 100 when absent. */
  parts?: number;
  /** Fields that are kept, and cut where they are longer than 64 KiB; all others are passed over. All when absent. */
  keep?: ReadonlySet<string>;
}

/**
 * Reads a multipart body whose one file is handed on while it comes, to be stored where it belongs without lying anywhere
 * else before. Other files are passed over.
 * @param body its bytes, which fail past their limit
 * @param name of the field that holds the file
 * @param take reads the file to its end; what it throws ends the reading
 * @param options for bodies of many parts
 * @throws ApiError 400 for what is no such body; what `body` and `take` fail with
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
    // What ends before its time is told by the form.
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
    // What fails is told even where the rest of the body never comes.
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
