import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ImportedObject, InvalidImportObject, isImportedObject } from './coerce-import.ts';
import { checkShape } from './shape.ts';

const MIB = 1024 * 1024;
/** Maximum size of an object, which is held in memory, in bytes. */
const MAX_LINE = 32 * MIB;
const LINE_FEED = 10;

/** A file that exceeds the maximum size, packed or unpacked, or has the wrong format. */
export class InvalidImportFile extends Error {
  override name = 'InvalidImportFile';
}

export interface Limits {
  /** Maximum size of the packed file, in bytes. */
  maxBytes: number;
  /** Maximum unpacked size, in bytes. */
  maxUnpacked: number;
}

/** Passes a stream through, and fails beyond a number of bytes. */
export async function* limitBytes(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new InvalidImportFile(`The file has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}

/** The lines of a stream; null for lines over 32 MiB. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let [parts, length]: [Buffer[], number] = [[], 0];
  const take = () => {
    const line = length > MAX_LINE ? null : Buffer.concat(parts);
    [parts, length] = [[], 0];
    return line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      length += end - from;
      if (length <= MAX_LINE) parts.push(chunk.subarray(from, end));
      from = end + 1;
      yield take();
    }
    length += chunk.length - from;
    if (length > MAX_LINE) parts = [];
    else parts.push(chunk.subarray(from));
  }
  if (length > 0) yield take();
}

/** Parses the object of a line. @throws InvalidImportObject */
function objectOf(line: Buffer | null): ImportedObject {
  if (line === null) throw new InvalidImportObject('the object is longer than 32 MiB');
  checkShape(line);
  let object: unknown;
  try {
    object = JSON.parse(line.toString());
  } catch {
    throw new InvalidImportObject('the line is not valid JSON');
  }
  if (!isImportedObject(object)) throw new InvalidImportObject('the line is not a JSON object');
  return object;
}

/**
 * Parses the objects of an NDJSON file; yields the error in place of an invalid object.
 * @throws InvalidImportFile if the file is too large; errors of the stream
 */
export async function* parseObjects(
  input: AsyncIterable<Buffer>,
): AsyncGenerator<ImportedObject | InvalidImportObject> {
  for await (const line of linesOf(input)) {
    if (line !== null && line.length === 0) continue;
    try {
      yield objectOf(line);
    } catch (error) {
      if (!(error instanceof InvalidImportObject)) throw error;
      yield error;
    }
  }
}

/**
 * Decompresses a gzip stream.
 * @throws InvalidImportFile if it is too large, or not in gzip format
 */
export async function* gunzipLimited(input: Readable, { maxBytes, maxUnpacked }: Limits): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const output = gunzip.pipe(new PassThrough());
  let failure: unknown = null;
  const ended = pipeline(limitBytes(input, maxBytes), gunzip).catch((error: unknown) => {
    failure = error;
    output.destroy(error as Error);
  });
  try {
    yield* limitBytes(output as AsyncIterable<Buffer>, maxUnpacked);
    await ended;
    if (failure !== null) throw failure;
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw typeof code === 'string' && code.startsWith('Z_')
      ? new InvalidImportFile('The file is not in gzip format.')
      : error;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}
