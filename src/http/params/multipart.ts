import { createWriteStream, type WriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../core/core.errors.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { multipartChunks } from './multipart-end.ts';
import { nestParams, type ParamValue } from './rack.ts';
import { type RequestBody, SpooledText } from './request-body.ts';
import { LONG_TEXT } from './text-sink.ts';
import { UploadedFile } from './uploaded-file.ts';
import { Utf8Check } from './utf8-check.ts';

/** The rest of the body is not read, so the connection cannot serve another request. */
const CLOSE = { Connection: 'close' };
const malformed = (what: string) => new ApiError(400, `400 Bad request - the multipart body ${what}`, {}, CLOSE);
const tooLarge = (why = '') => new ApiError(413, `413 Request Entity Too Large${why}`, {}, CLOSE);

/** Each field costs far more than one of another form type. */
const MAX_FIELDS = 2_000;
const MAX_FILES = 100;
/** Replacement for invalid bytes in decoded text. */
const REPLACEMENT = '\ufffd';

/** All parts are read as bytes, which is the only way to detect invalid UTF-8. */
function newForm(headers: BusboyHeaders, limit: number): BusboyInstance {
  try {
    const parts = MAX_FIELDS + MAX_FILES;
    const limits = { files: parts, parts, headerPairs: 50, fieldNameSize: 2_000, fileSize: limit };
    return new Busboy({ headers, limits, isPartAFile: () => true });
  } catch {
    throw malformed('has no boundary');
  }
}

/** Reads one body. */
class MultipartReader {
  readonly pairs: [string, ParamValue][] = [];
  readonly form: BusboyInstance;
  readonly #owner: RequestBody;
  #files = 0;
  readonly #targets: WriteStream[] = [];
  readonly #writes: Promise<void>[] = [];
  #refused: ApiError | undefined;
  /** Why a file could not be written, if the client is not at fault. */
  fault: unknown;
  #closed: Promise<void>;

  constructor(headers: BusboyHeaders, owner: RequestBody, limit: number) {
    this.#owner = owner;
    this.form = newForm(headers, limit);
    const refuse = () => {
      this.#refused ??= tooLarge();
    };
    const tooMany = () => {
      this.#refused ??= tooLarge(` - a multipart body has at most ${MAX_FIELDS} fields and ${MAX_FILES} files`);
    };
    this.form.on('file', (name = '', stream, filename, _encoding, type) => {
      stream.on('limit', refuse);
      if (`${name}${filename ?? ''}`.includes(REPLACEMENT)) this.#refused ??= malformed('has a name that is not UTF-8');
      if (filename === undefined && type !== 'application/octet-stream') this.#read(name, stream);
      else if (this.#files < MAX_FILES) this.#keep(name, stream, filename ?? '', type);
      else {
        tooMany();
        stream.resume();
      }
    });
    for (const event of ['partsLimit', 'filesLimit'] as const) this.form.on(event, tooMany);
    this.#closed = new Promise((resolve, reject) => {
      this.form.once('finish', resolve);
      this.form.once('error', reject);
    });
    this.#closed.catch(() => {});
  }

  /** Reads a field with a text value; a long one into a file. */
  #read(name: string, stream: BusboyFileStream): void {
    const pair: [string, ParamValue] = [name, ''];
    const check = new Utf8Check();
    let chunks: Buffer[] = [];
    let size = 0;
    let long: { path: string; target: WriteStream } | undefined;
    this.pairs.push(pair);
    const refuse = (error: unknown) => {
      this.#refused ??= error instanceof ApiError ? malformed('has a field that is not UTF-8') : undefined;
    };
    stream.on('data', (chunk: Buffer) => {
      try {
        check.push(chunk);
      } catch (error) {
        refuse(error);
      }
      size += chunk.length;
      if (long !== undefined) {
        if (!long.target.destroyed && !long.target.write(chunk)) stream.pause();
        return;
      }
      chunks.push(chunk);
      if (size <= LONG_TEXT) return;
      const path = this.#owner.newPath('text');
      const target = createWriteStream(path, { mode: 0o600 });
      long = { path, target };
      this.#targets.push(target);
      const written = new Promise<void>((resolve, reject) => target.once('finish', resolve).once('error', reject));
      written.catch(() => {});
      this.#writes.push(written);
      // The rest is read all the same; the failure is reported at the end.
      for (const event of ['drain', 'error'] as const) target.on(event, () => stream.resume());
      target.write(Buffer.concat(chunks));
      chunks = [];
    });
    stream.on('end', () => {
      try {
        check.end();
      } catch (error) {
        refuse(error);
      }
      if (long === undefined) {
        pair[1] = Buffer.concat(chunks).toString('utf8');
      } else {
        long.target.end();
        pair[1] = new SpooledText(this.#owner, long.path, 0, size);
      }
    });
    // The form reports a premature end.
    stream.on('error', () => {});
  }

  #keep(name: string, stream: BusboyFileStream, filename: string, contentType: string): void {
    const file = new UploadedFile(filename, contentType, this.#owner.newPath('upload'));
    this.#files += 1;
    this.pairs.push([name, file]);
    stream.on('data', (chunk: Buffer) => {
      file.size += chunk.length;
    });
    const target = createWriteStream(file.path, { mode: 0o600 });
    this.#targets.push(target);
    const write = pipeline(stream, target);
    // Checked in `finish`; an earlier failure of a file must not end the process.
    write.catch((error: unknown) => {
      if (environmentFaultOf(error) !== null) this.fault ??= error;
    });
    this.#writes.push(write);
  }

  /** Reads until the body ends, is refused, or the client disconnects. */
  async read(body: Readable, limit: number): Promise<void> {
    let size = 0;
    for await (const chunk of multipartChunks(body)) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      if (this.#refused !== undefined) throw this.#refused;
      const parts = this.pairs.length;
      if (!this.form.write(chunk)) await Promise.race([drained(this.form), this.#closed]);
      // Many small parts are much work, and buffered ones would be read without a pause.
      if (this.pairs.length > parts) await setImmediate();
    }
    this.form.end();
    await this.#closed;
    await Promise.all(this.#writes);
    if (this.#refused !== undefined) throw this.#refused;
  }

  /** Closes and removes the files of an incomplete body. */
  async abandon(): Promise<void> {
    await Promise.all(this.#targets.map(closed));
    await this.#owner.release();
  }
}

/** Closes a file and waits for it: a file that is still being opened would reappear after its removal. */
const closed = (target: WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (target.closed) return resolve();
    target.on('error', () => {});
    target.once('close', resolve);
    target.destroy();
  });

const drained = (form: BusboyInstance): Promise<void> => new Promise((resolve) => form.once('drain', resolve));

/**
 * Reads a multipart body: fields are nested as in a query string; files and long texts are stored in temporary files.
 * @param owner provider of the temporary files
 * @param limit maximum size of the body
 * @throws ApiError 400 if it is malformed, 413 if it is too large; the file system's error on a full disk
 */
export async function readMultipart(
  request: FastifyRequest,
  body: Readable,
  owner: RequestBody,
  limit: number,
): Promise<Record<string, unknown>> {
  if (Number(request.headers['content-length']) > limit) throw tooLarge();
  const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
  await owner.prepare();
  const reader = new MultipartReader(headers, owner, limit);
  try {
    await reader.read(body, limit);
  } catch (error) {
    await reader.abandon();
    if (reader.fault !== undefined) throw reader.fault;
    throw error instanceof ApiError ? error : malformed('is malformed');
  }
  return nestParams(reader.pairs);
}
