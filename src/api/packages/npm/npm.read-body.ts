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
/** Keys and values of a document: `npm deprecate` sends all versions of a package. */
const BOUNDS = { values: 500_000, keys: 20_000 };
/** Bytes of a body beside the data of its attachments. */
const MAX_DOCUMENT = 8 * MIB;
/** Bytes of a body: the largest file as base64, and what stands beside it. */
const longestBody = async (c: BaseContext): Promise<number> =>
  Math.ceil((await maxFileBytes(c.deps, 'npm')) / 3) * 4 + MAX_DOCUMENT;
/** How many times its length a document takes while it is parsed. */
const MEMORY_FACTOR = 6;
/** Memory that is asked for at a time. */
const STEP = MIB;

/** What npm sends to a package: its document, and the file of a version if it came with one. */
export interface NpmBody {
  /** JSON, with empty texts in the place of the data of attachments. */
  document: Record<string, unknown>;
  file: ReceivedFile | null;
}

const tooLarge = () => npmError(400, 'File is too large.', { Connection: 'close' });

/** Attachments beside the file: what attests where it was built. */
const isBeside = (name: string): boolean => name.endsWith('.sigstore');

/**
 * Reads a body of npm. The file goes to the blob store while it comes; the rest waits in memory, of which there is a
 * bounded share. Whoever takes the file sees to it that something refers to it.
 * @throws ApiError 400, 413; 429 and 503 while too many wait for memory
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

/** Has a file removed that nothing will refer to. */
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

/** The bytes of the attachment that has begun. */
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
