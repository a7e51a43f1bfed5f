import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../../core/core.errors.ts';
import { FormExtractor } from './form-extractor.ts';
import { JsonExtractor } from './json-extractor.ts';
import type { RequestBody } from './request-body.ts';
import { decodeUtf8 } from './text.ts';
import { type Extractor, TextSink } from './text-sink.ts';
import { Utf8Check } from './utf8-check.ts';

/** Bodies up to this size are read in memory; larger ones into files, until there is memory to parse them. */
const SMALL_BODY = 64 * 1024;
const READ_BYTES = 256 * 1024;
/** Memory of a text during parsing as a multiple of its length: bytes, text, values, and results. */
const MEMORY_FACTOR = 6;

export type TextKind = 'json' | 'form';

export interface ReadOptions {
  /** Maximum size of the whole body. */
  limit: number;
  /** Provider of files and memory. */
  owner: RequestBody;
  /** Whether long texts are extracted to files, so that they are never in memory. */
  spoolTexts: boolean;
}

/** The rest of the body is not read, so the connection cannot serve another request. */
const tooLarge = () => new ApiError(413, '413 Request Entity Too Large', {}, { Connection: 'close' });

/** A completely received body. */
type Stored = { bytes: Buffer } | { path: string; size: number };

async function store(body: Readable, { limit, owner }: ReadOptions): Promise<Stored> {
  const chunks: Buffer[] = [];
  let size = 0;
  let file: { handle: FileHandle; path: string } | undefined;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
      if (file === undefined && size <= SMALL_BODY) continue;
      if (file === undefined) {
        await owner.prepare();
        const path = owner.newPath('body');
        file = { handle: await open(path, 'wx', 0o600), path };
      }
      await file.handle.appendFile(Buffer.concat(chunks.splice(0)));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') throw badRequest('the body ended prematurely');
    throw error;
  } finally {
    await file?.handle.close();
  }
  return file === undefined ? { bytes: Buffer.concat(chunks) } : { path: file.path, size };
}

async function* chunksOf(path: string): AsyncGenerator<{ chunk: Buffer; last: boolean }> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw new Error('a stored body is truncated');
      at += bytesRead;
      yield { chunk: chunk.subarray(0, bytesRead), last: at === size };
    }
  } finally {
    await handle.close();
  }
}

/** Splits a stored body into its long texts and the rest. @returns the paths of both, and the size of the rest */
async function takeApart(path: string, kind: TextKind, sink: TextSink, owner: RequestBody) {
  const extractor: Extractor = kind === 'json' ? new JsonExtractor(sink) : new FormExtractor(sink);
  const check = new Utf8Check();
  const paths = { rest: owner.newPath('rest'), long: owner.newPath('texts') };
  const rest = await open(paths.rest, 'wx', 0o600);
  try {
    const long = await open(paths.long, 'wx', 0o600);
    try {
      let size = 0;
      for await (const { chunk, last } of chunksOf(path)) {
        check.push(chunk);
        extractor.feed(chunk, last);
        const taken = sink.take();
        const unspooled = Buffer.concat(taken.rest);
        size += unspooled.length;
        await rest.appendFile(unspooled);
        if (taken.long.length > 0) await long.appendFile(Buffer.concat(taken.long));
      }
      check.end();
      return { ...paths, size };
    } finally {
      await long.close();
    }
  } finally {
    await rest.close();
  }
}

async function readWhole(path: string, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for await (const { chunk } of chunksOf(path)) at += chunk.copy(bytes, at);
  return bytes;
}

/**
 * Reads and parses the text of a body. Large bodies are received into a file at the client's pace, and are parsed when
 * there is memory for it.
 * @param parse parses the text to parameters
 * @throws ApiError 400, 413; 429 and 503 if too many requests wait for memory; errors of `parse`
 */
export async function readText(
  request: FastifyRequest,
  body: Readable,
  kind: TextKind,
  parse: (text: string) => object,
  options: ReadOptions,
): Promise<object> {
  const { limit, owner, spoolTexts } = options;
  if (Number(request.headers['content-length']) > limit) throw tooLarge();
  const stored = await store(body, options);
  if ('bytes' in stored) return parse(decodeUtf8(stored.bytes));
  if (!spoolTexts) {
    await owner.hold(stored.size * MEMORY_FACTOR);
    return parse(decodeUtf8(await readWhole(stored.path, stored.size)));
  }
  const sink = new TextSink();
  const { rest, long, size } = await takeApart(stored.path, kind, sink, owner);
  await owner.hold(size * MEMORY_FACTOR);
  return sink.restore(parse(decodeUtf8(await readWhole(rest, size))), owner, long) as object;
}
