import { Readable } from 'node:stream';
import type { BaseContext } from '../../../http/http.route.ts';
import { parseJsonBody } from '../../../http/params/json.ts';
import { limitedBytes } from '../../../http/params/params.bytes.ts';
import { decodeUtf8 } from '../../../http/params/text.ts';
import { maxFileBytes } from '../../../packages/package-registry.limits.ts';
import { FileTooLarge, type ReceivedFile, receiveFile } from '../../../packages/receive.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { AttachmentScanner, type AttachmentStart, END, type ScanEvent } from './attachment-scanner.ts';
import { Base64Decoder } from './base64.ts';
import { npmError } from './npm.errors.ts';

const MIB = 1024 * 1024;
/** Bounds for keys and values of a document: `npm deprecate` sends all versions of a package. */
const BOUNDS = { values: 500_000, keys: 20_000 };
/** Maximum bytes of a body without the data of attachments. */
const MAX_DOCUMENT = 8 * MIB;
/** Maximum bytes of a body: the largest file as Base64, and the document. */
const longestBody = async (c: BaseContext): Promise<number> =>
  Math.ceil((await maxFileBytes(c.deps, 'npm')) / 3) * 4 + MAX_DOCUMENT;
/** Memory for parsing a document, as a multiple of its length. */
const MEMORY_FACTOR = 6;
/** Memory reserved at a time. */
const STEP = MIB;

/** Body of a request to a package: its document, and the file of a version, if any. */
export interface NpmBody {
  /** JSON, with empty strings in place of the data of attachments. */
  document: Record<string, unknown>;
  file: ReceivedFile | null;
}

const tooLarge = () => npmError(400, 'File is too large.', { Connection: 'close' });

/** Attachments in addition to the file: attestations of provenance. */
const isBeside = (name: string): boolean => name.endsWith('.sigstore');

/**
 * Reads a body from npm. The file is written to the blob store while it is received; the rest is kept in memory, within
 * a bounded share. The caller must add a reference to the file.
 * @throws ApiError 400, 413; 429 and 503 if too many requests wait for memory
 */
export async function readNpmBody(c: BaseContext): Promise<NpmBody> {
  const longest = await longestBody(c);
  if (Number(c.request.headers['content-length'] ?? 0) > longest) throw tooLarge();
  const scanner = new AttachmentScanner(MAX_DOCUMENT);
  const pieces = scanned(c, scanner, longest);
  let file: ReceivedFile | null = null;
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      const piece = next.value;
      if (!isBegin(piece)) continue;
      const bytes = decoded(pieces);
      if (file === null && !isBeside(piece.name)) {
        file = await receiveFile(c.deps, 'npm', Readable.from(bytes, { objectMode: false }));
      }
    }
    return { document: parseJsonBody(decodeUtf8(scanner.rest()), BOUNDS) as Record<string, unknown>, file };
  } catch (error) {
    if (file !== null) await discardBody(c, file);
    throw error instanceof FileTooLarge ? tooLarge() : error;
  }
}

/** Releases a file that will not be referenced. */
export const discardBody = ({ deps }: BaseContext, { sha256 }: ReceivedFile): Promise<void> =>
  enqueueBlobRemoval(deps, deps.db, [sha256]);

const isBegin = (piece: ScanEvent): piece is AttachmentStart => piece !== END && !Buffer.isBuffer(piece);

async function* scanned(
  c: BaseContext,
  scanner: AttachmentScanner,
  longest: number,
): AsyncGenerator<ScanEvent, void, void> {
  let held = 0;
  for await (const chunk of limitedBytes(c.bytes, longest) as AsyncIterable<Buffer>) {
    yield* scanner.scan(chunk);
    const needed = scanner.bufferedBytes * MEMORY_FACTOR;
    if (needed <= held) continue;
    const more = Math.ceil((needed - held) / STEP) * STEP;
    await c.hold(more);
    held += more;
  }
}

/** Decodes the bytes of the current attachment. */
async function* decoded(pieces: AsyncGenerator<ScanEvent, void, void>): AsyncGenerator<Buffer, void, void> {
  const decoder = new Base64Decoder();
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    if (!Buffer.isBuffer(next.value)) break;
    const bytes = decoder.decode(next.value);
    if (bytes.length > 0) yield bytes;
  }
  const last = decoder.end();
  if (last.length > 0) yield last;
}
