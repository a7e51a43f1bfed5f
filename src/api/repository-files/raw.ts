import { basename } from 'node:path/posix';
import type { Readable } from 'node:stream';
import { notFound } from '../../core/errors.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import { lastCommitOf } from '../../git/last-commit.ts';
import { parsePointer } from '../../git/lfs.ts';
import type { FoundFile } from './service.ts';

/** Up to here a blob is sent from memory; above it streams from git. */
const MAX_IN_MEMORY = 1024 * 1024;
/** Git's own rule: a NUL in the first 8,000 bytes makes a file binary. */
const PROBE = 8_000;

export interface RawFile {
  metadata: {
    file_name: string;
    file_path: string;
    size: number;
    ref: string;
    blob_id: string;
    commit_id: string;
    last_commit_id: string;
    encoding: string;
    execute_filemode: boolean;
  };
  size: number;
  etag: string;
  contentType: string;
  open(): Readable | Buffer;
}

/**
 * The bytes of a file, ready to be sent. A symbolic link gives its text, never its target.
 * @param options `lfs`: give the LFS object that the file points to; ignored for other files
 * @throws ApiError 404
 */
export async function openRaw(
  deps: Deps,
  project: Project,
  file: FoundFile,
  options: { lfs: boolean; signal: () => AbortSignal },
): Promise<RawFile> {
  const { repo, entry, path } = file;
  const blob = await repo.objects.read(entry.oid, MAX_IN_MEMORY);
  if (blob === null) throw notFound('File');
  const metadata = {
    file_name: basename(path),
    file_path: path,
    size: blob.size,
    encoding: 'base64',
    ref: file.ref,
    blob_id: entry.oid,
    commit_id: file.commit,
    last_commit_id: (await lastCommitOf(repo, file.commit, path)) ?? file.commit,
    execute_filemode: entry.mode === '100755',
  };
  const { data } = blob;
  const pointer = options.lfs && data !== null ? parsePointer(data) : null;
  if (pointer !== null) {
    const object = await findLfsObject(deps, project.id, pointer.oid);
    return {
      metadata: { ...metadata, size: object.size },
      size: object.size,
      etag: `"${pointer.oid}"`,
      contentType: 'application/octet-stream',
      open: () => object.stream,
    };
  }
  return {
    metadata,
    size: blob.size,
    etag: `"${entry.oid}"`,
    contentType: await contentTypeOf(data),
    open: () => data ?? repo.objects.stream(entry.oid, { signal: options.signal() }),
  };
}

/** Text is shown as text whatever its name says; anything else is only bytes (no HTML, no script is ever run). */
function contentTypeOf(data: Buffer | null): string {
  if (data === null || data.subarray(0, PROBE).includes(0)) return 'application/octet-stream';
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
