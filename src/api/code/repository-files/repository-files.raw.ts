import { basename } from 'node:path/posix';
import type { Readable } from 'node:stream';
import { notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { bufferOver } from '../../../git/common/index.ts';
import { type ContentDigest, contentDigest, parsePointer } from '../../../git/trees/index.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import { Serialized } from '../../../http/http.send.ts';
import type { CachedResponse } from '../../../http/immutable-responses.ts';
import {
  askFor,
  commitOf,
  digestIn,
  type FileLocation,
  fileHeaders,
  type ResolvedFile,
} from './repository-files.files.ts';

/** Git's own rule: a NUL in the first 8,000 bytes makes a file binary. */
const PROBE = 8_000;
const BINARY = 'application/octet-stream';

/** A stream of bytes, with all headers of the response, including ETag. */
export interface RawStream {
  headers: Readonly<Record<string, string>>;
  etag: string;
  open(): Readable;
}

/**
 * Opens the raw content of a file. For a symbolic link it is the link text, never its target.
 * @param options `lfs`: send the LFS object if the file is a pointer
 * @throws ApiError 404
 */
export async function openRaw(
  deps: Deps,
  project: Project,
  location: FileLocation,
  options: { lfs: boolean; signal: () => AbortSignal },
): Promise<CachedResponse | RawStream> {
  const { repo } = location;
  const key = `raw:${repo.id}:${location.ref}\0${location.path}`;
  const cached = options.lfs ? undefined : deps.immutableResponses.peek(key);
  if (cached !== undefined && commitOf(cached) === location.commit) return cached;
  const answer = await askFor(location, 'raw', cached);
  const file = { ...location, entry: answer.entry };
  const { entry } = file;
  const known = cached && digestIn(cached, file);
  if (cached !== undefined && known !== undefined) {
    const sent = { ...known, etag: cached.json.etag, type: cached.headers['content-type']! };
    return deps.immutableResponses.setBody(key, cached.json, headersOf(file, answer.last, sent));
  }
  const data = answer.bytes && bufferOver(answer.bytes);
  const pointer = options.lfs && data !== null ? parsePointer(data) : null;
  if (pointer !== null) {
    const object = await findLfsObject(deps, project.id, pointer.oid);
    const etag = `"${pointer.oid}"`;
    return {
      headers: headersOf(file, answer.last, { size: object.size, sha256: pointer.oid, etag, type: BINARY }),
      etag,
      open: () => object.stream,
    };
  }
  const etag = `"${entry.oid}"`;
  const digest = answer.content ?? (await contentDigest(repo, entry.oid));
  const headers = headersOf(file, answer.last, { ...digest, etag, type: contentTypeOf(data) });
  if (data === null) {
    return { headers, etag, open: () => repo.objects.stream(entry.oid, { signal: options.signal() }) };
  }
  return deps.immutableResponses.setBody(key, new Serialized(data, etag), headers);
}

interface Sent extends ContentDigest {
  etag: string;
  type: string;
}

function headersOf(file: ResolvedFile, last: string | null, { etag, type, ...digest }: Sent): Record<string, string> {
  return {
    ...fileHeaders(file, last, digest),
    'content-disposition': contentDisposition('inline', basename(file.path)),
    'content-length': String(digest.size),
    'content-type': type,
    'cache-control': 'max-age=0, private, must-revalidate',
    etag,
  };
}

/**
 * Text is served as plain text regardless of its name, anything else as bytes, so that no HTML or script is ever run.
 */
function contentTypeOf(data: Buffer | null): string {
  if (data === null || data.subarray(0, PROBE).includes(0)) return BINARY;
  return 'text/plain; charset=utf-8';
}

async function findLfsObject(deps: Deps, projectId: number, oid: string): Promise<{ size: number; stream: Readable }> {
  const row = await deps.db
    .selectFrom('lfs_objects')
    .select('size')
    .where('project_id', '=', projectId)
    .where('oid', '=', oid)
    .executeTakeFirst();
  const stream = row === undefined ? null : await deps.blobs.get(oid);
  if (row === undefined || stream === null) throw notFound();
  return { size: row.size, stream };
}
